import * as z from 'zod/mini'
import { exporting, spreadsheet } from './commonCalls.ts'
import { deviceListFilters } from './devices.ts'
import { endpoint, file, oneOrFile } from './endpoint.ts'
import { byId, nothingIn, oneOf, saidOut, upload } from './fields.ts'

/** Columns of the sheet; the titles are the cells of the first row. */
export const importColumns = {
  code: '设备编号',
  name: '设备名称',
  operator: '运营商',
  equipType: '设备类型',
  equipModel: '设备型号',
  region: '地区',
  address: '地址',
  businessStatus: '业务状态',
  protocol: '接入协议',
} as const
export type ImportColumn = keyof typeof importColumns

/** A sheet with more rows is refused; the user splits it. */
export const importRowLimit = 20_000
const importFileLimitBytes = 10 * 1024 * 1024

export const ImportProblem = z.object({
  /** The row's number in the sheet; the titles are row 1. */
  row: z.number(),
  /** The column's title. */
  column: saidOut,
  /** The cell's text; null for an empty cell. */
  value: z.nullable(z.string()),
  message: saidOut,
})
export type ImportProblem = z.output<typeof ImportProblem>

/** The result of a dry run, which writes nothing. */
export const ImportReport = z.object({
  fileName: z.string(),
  /** Devices in the sheet, and how many of them are without a problem. */
  rowCount: z.number(),
  validCount: z.number(),
  /** Every problem, by row and column. */
  problems: z.array(ImportProblem),
})
export type ImportReport = z.output<typeof ImportReport>

export const readImportTemplate = endpoint({
  method: 'GET',
  path: '/equip/import/template',
  access: 'equip:import',
  summary: '下载设备导入模板',
  input: nothingIn,
  reply: file(spreadsheet),
})

/**
 * With `dryRun` it returns the problems of the sheet and writes nothing. Without `dryRun` it writes all rows, or none
 * if a row is invalid (400 with every problem), and returns a sheet with the secret of each device. The secrets are
 * shown only this once.
 */
export const importDevices = endpoint({
  method: 'POST',
  path: '/equip/import',
  access: 'equip:import',
  summary: '导入设备',
  fileLimitBytes: importFileLimitBytes,
  input: z.object({
    file: upload('请选择要导入的文件'),
    dryRun: z._default(oneOf('试运行', [0, 1]), 0),
  }),
  reply: oneOrFile(ImportReport, spreadsheet),
  isWrite: true,
})

/**
 * Returns a sheet with new secrets for the devices of one of the caller's own imports, for a user who lost the file
 * or left before it arrived. Devices that have connected keep their secrets and are not included.
 */
export const renewImportSecrets = endpoint({
  method: 'POST',
  path: '/equip/import/secrets/:id',
  access: 'equip:import',
  summary: '重新生成导入设备的密钥',
  input: byId,
  reply: file(spreadsheet),
  isWrite: true,
})

export const exportDevices = endpoint({
  ...exporting,
  path: '/equip/export',
  access: 'equip:export',
  summary: '导出设备',
  input: z.object(deviceListFilters),
})
