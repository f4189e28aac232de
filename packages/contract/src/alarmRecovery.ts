// Recovery of many alarms by a user: asked once, done in portions that go on without the page.
import * as z from 'zod/mini'
import { activeFilters } from './alarms.ts'
import { endpoint, listBodyBytes, one } from './endpoint.ts'
import { idOut, idsIn, integer, rangeInOrder, text, timeOut } from './fields.ts'

/** The most alarms of one call. */
export const recoveredAtOnce = 50_000

/**
 * How many alarms may be recovered beyond the number in the confirmation, since alarms open while somebody reads it: a
 * tenth more, and five of few.
 */
export const mayGrowTo = (count: number) => count + Math.max(5, Math.ceil(count / 10))

export const AlarmRecovery = z.object({
  id: idOut,
  /** How many alarms it began with. */
  total: z.number(),
  recovered: z.number(),
  /** Alarms that were over before it was their turn. */
  passed: z.number(),
  createdAt: timeOut,
  finishedAt: z.nullable(timeOut),
})
export type AlarmRecovery = z.output<typeof AlarmRecovery>

/**
 * Recovers the active alarms that pass the filters (of these `ids`, where they are given). `count` is the number in the
 * user's confirmation: where far more are active now, the call is refused (`alarmsGrown`).
 */
export const recoverAlarms = endpoint({
  method: 'POST',
  path: '/alarm/recovery',
  access: 'alarm:recover',
  summary: '批量恢复告警',
  bodyLimitBytes: listBodyBytes,
  input: z
    .object({
      ...activeFilters,
      ids: idsIn('告警'),
      count: integer('告警数', 1, recoveredAtOnce),
      note: text('处理说明', 200),
    })
    .check(rangeInOrder),
  reply: one(AlarmRecovery),
  isWrite: true,
})
