// The error codes of charging stations (OCPP), with the alarms that they mean.
import * as z from 'zod/mini'
import { adding, changing, deleting } from './commonCalls.ts'
import { endpoint, page } from './endpoint.ts'
import { id, idOut, integer, paging, seededOut, text, timeOut, version } from './fields.ts'

export const OcppCodeRow = z.object({
  id: idOut,
  /** As stations say it; empty for every vendor. */
  vendor: z.string(),
  code: z.string(),
  semaphoreCode: z.string(),
  /** Of the dictionary; null where it has none of this code. */
  semaphoreName: z.nullable(seededOut),
  alarmLevel: z.nullable(z.number()),
  /** The value of the alarm; null: each connector has its bit. */
  alarmValue: z.nullable(z.number()),
  note: z.nullable(z.string()),
  updateBy: z.nullable(z.string()),
  updateTime: timeOut,
  version: z.number(),
})
export type OcppCodeRow = z.output<typeof OcppCodeRow>

export const listOcppCodes = endpoint({
  method: ['POST', 'GET'],
  path: '/ocpp/code/list',
  access: 'ocppCode:list',
  summary: 'OCPP 故障码',
  input: z.object({
    ...paging,
    /** Part of vendor, code or note. */
    keyword: z.optional(text('关键字', 64)),
    id: z.optional(id('故障码')),
  }),
  reply: page(OcppCodeRow),
})

export const UnknownOcppCodeRow = z.object({
  vendor: z.string(),
  code: z.string(),
  /** What the last station said with it. */
  info: z.nullable(z.string()),
  /** Under which its alarms stand meanwhile. */
  semaphoreCode: z.string(),
  count: z.number(),
  firstTime: timeOut,
  lastTime: timeOut,
})
export type UnknownOcppCodeRow = z.output<typeof UnknownOcppCodeRow>

/** As devices of the caller's scope have said them, and counted of these alone; the newest first. */
export const listUnknownOcppCodes = endpoint({
  method: ['POST', 'GET'],
  path: '/ocpp/code/unknown',
  access: 'ocppCode:list',
  summary: '未登记的 OCPP 故障码',
  input: z.object({ ...paging }),
  reply: page(UnknownOcppCodeRow),
})

const codeForm = {
  vendor: z.optional(text('厂家标识', 100)),
  code: text('故障码', 64),
  semaphoreCode: text('告警编码', 8),
  alarmValue: z.optional(integer('告警值', 1, 2_147_483_647)),
  note: z.optional(text('说明', 200)),
}

export const insertOcppCode = endpoint({
  ...adding,
  path: '/ocpp/code/insert',
  access: 'ocppCode:insert',
  summary: '登记 OCPP 故障码',
  input: z.object(codeForm),
})

/** Fields that are left out are cleared. A fault that stands is another alarm with the station's next report. */
export const updateOcppCode = endpoint({
  ...changing,
  path: '/ocpp/code/update/:id',
  access: 'ocppCode:update',
  summary: '修改 OCPP 故障码',
  input: z.object({ id: id('故障码'), ...codeForm, version }),
})

export const deleteOcppCode = endpoint({
  ...deleting,
  path: '/ocpp/code/delete/:id',
  access: 'ocppCode:delete',
  summary: '删除 OCPP 故障码',
})
