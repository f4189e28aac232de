import * as z from 'zod/mini'
import { exporting } from './commonCalls.ts'
import { endpoint, page } from './endpoint.ts'
import {
  idOut,
  oneOf,
  paging,
  range,
  rangeInOrder,
  saidOut,
  sorting,
  targetWords,
  text,
  timeOut,
} from './fields.ts'

const Values = z.nullable(z.record(z.string(), z.unknown()))

/** An entry of the operation log: who called what, when, from where, on what, with which result. */
export const OperationRow = z.object({
  id: idOut,
  time: timeOut,
  userId: z.nullable(idOut),
  /** Null where the user has been deleted, or where there was none. */
  userName: z.nullable(z.string()),
  /** The login name at that time; for a failed sign-in, the name that was entered. */
  loginName: z.nullable(z.string()),
  address: z.string(),
  /** The endpoint's path and its Chinese name. */
  call: z.string(),
  summary: saidOut,
  target: z.nullable(saidOut),
  /** 200, or the refusal's number and text. */
  code: z.number(),
  message: z.nullable(saidOut),
  isOk: z.boolean(),
  /** The target's changed fields, before and after; null on a side that did not exist. No secrets. */
  changes: z.nullable(z.object({ before: Values, after: Values })),
  /** The request id, as in the server's log lines of this call. */
  requestId: z.string(),
})
export type OperationRow = z.output<typeof OperationRow>

const filters = {
  /** Part of a login name or of a user's name. */
  user: z.optional(text('用户', 64)),
  /** Part of the call's path or Chinese name. */
  call: z.optional(text('操作', 64)),
  /** Part of the target's name. */
  target: z.optional(targetWords),
  /** 1: succeeded, 0: refused. */
  isOk: z.optional(oneOf('结果', [0, 1])),
  address: z.optional(text('来源地址', 64)),
  ...range,
}

/**
 * Without a range: the last 30 days. SYSTEM users see all entries, others those of users in their own
 * organizations.
 */
export const listOperations = endpoint({
  method: 'GET',
  path: '/operation/log/page',
  access: 'operation:page',
  summary: '操作日志',
  input: z.object({ ...paging, ...filters, ...sorting(['time']) }).check(rangeInOrder),
  reply: page(OperationRow),
})

export const exportOperations = endpoint({
  ...exporting,
  path: '/operation/log/export',
  access: 'operation:export',
  summary: '导出操作日志',
  input: z.object(filters).check(rangeInOrder),
})
