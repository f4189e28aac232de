import * as z from 'zod/mini'
import { spreadsheet } from './alarms.ts'
import { deviceFilters } from './devices.ts'
import { endpoint, file, oneOrFile } from './endpoint.ts'
import { nothingIn, oneOf, upload } from './fields.ts'

/** Columns of the sheet, by what stands in their first row. */
export const importColumns = {
  code: '设备编号',
  name: '设备名称',
  operator: '运营商',
  equipType: '设备类型',
  equipModel: '设备型号',
  region: '地区',
  address: '地址',
  businessStatus: '业务状态',
} as const
export type ImportColumn = keyof typeof importColumns

/** Of more rows a sheet is refused: it is to be split. */
export const importRowLimit = 20_000
const importFileLimitBytes = 10 * 1024 * 1024

export const ImportProblem = z.object({
  /** As the sheet numbers its rows: the titles are row 1. */
  row: z.number(),
  /** The column's title. */
  column: z.string(),
  /** What stands in the cell; null where nothing does. */
  value: z.nullable(z.string()),
  message: z.string(),
})
export type ImportProblem = z.output<typeof ImportProblem>

/** What a trial found. Nothing has been written. */
export const ImportReport = z.object({
  fileName: z.string(),
  /** Devices in the sheet, and how many of them could be written as they stand. */
  rowCount: z.number(),
  validCount: z.number(),
  /** Every one, by row and column. */
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
 * With `dryRun` it answers what would go wrong. Without, it writes all rows or, where one of them is wrong,
 * none (400, each problem named), and answers a sheet with the secret of each device: shown this once.
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

export const exportDevices = endpoint({
  method: 'GET',
  path: '/equip/export',
  access: 'equip:export',
  summary: '导出设备',
  input: z.object(deviceFilters),
  reply: file(spreadsheet),
})
