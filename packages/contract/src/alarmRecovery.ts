// Recovery of many alarms by a user: one call, processed on the server in portions.
import * as z from 'zod/mini'
import { activeFilters, causeFilters } from './alarms.ts'
import { endpoint, listBodyBytes, one } from './endpoint.ts'
import { idOut, idsAtOnce, integer, limitedTo, oneOf, rangeInOrder, text, timeOut } from './fields.ts'
import { hasCondition, noEmptyCondition, unknownNarrowing } from './narrowing.ts'

/** The maximum number of alarms per call. */
export const recoveredAtOnce = 50_000

/**
 * How many active alarms are accepted for a confirmed number, since alarms occur while the user reads the
 * confirmation: a tenth more, and at least five more.
 */
export const mayGrowTo = (count: number) => count + Math.max(5, Math.ceil(count / 10))

export const AlarmRecovery = z.object({
  id: idOut,
  /** How many alarms it began with. */
  total: z.number(),
  recovered: z.number(),
  /** Alarms that had recovered before they were processed. */
  passed: z.number(),
  createdAt: timeOut,
  finishedAt: z.nullable(timeOut),
})
export type AlarmRecovery = z.output<typeof AlarmRecovery>

/**
 * Recovers the active alarms that match the filters (of these `ids`, if given), or with `isAll` all of them. `count` is
 * the confirmed number: if far more are active now, the call is refused (`alarmsGrown`). An unknown name is refused,
 * since it may be a misspelt condition.
 */
export const recoverAlarms = endpoint({
  method: 'POST',
  path: '/alarm/recovery',
  access: 'alarm:recover',
  summary: '批量恢复告警',
  bodyLimitBytes: listBodyBytes,
  input: z
    .strictObject(
      {
        ...activeFilters,
        ...causeFilters,
        ids: limitedTo('告警', idsAtOnce),
        /** 1: without any condition. */
        isAll: z.optional(oneOf('全部告警', [0, 1])),
        count: integer('告警数', 1, recoveredAtOnce),
        note: text('处理说明', 200),
      },
      { error: unknownNarrowing('请求内容应为对象') },
    )
    .check(
      rangeInOrder,
      noEmptyCondition,
      z.refine(
        ({ isAll, count: _count, note: _note, ...conditions }) => hasCondition(conditions) || isAll === 1,
        {
          error: '请设置筛选条件，或选择全部告警',
          path: ['isAll'],
        },
      ),
      z.refine(
        ({ isAll, count: _count, note: _note, ...conditions }) => isAll !== 1 || !hasCondition(conditions),
        {
          error: '选择全部告警时不能再有条件',
          path: ['isAll'],
        },
      ),
    ),
  narrows: ['ids'],
  reply: one(AlarmRecovery),
  isWrite: true,
})
