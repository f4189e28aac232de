// Past alarms: their list, and what it adds up to.
import * as z from 'zod/mini'
import { AlarmHistoryRow, activeFilters, alarmStatuses, LevelCounts } from './alarms.ts'
import { exporting } from './commonCalls.ts'
import { endpoint, listBodyBytes, one, page } from './endpoint.ts'
import { oneOf, paging, rangeInOrder, sorting } from './fields.ts'

const historyFilters = { ...activeFilters, status: z.optional(oneOf('状态', alarmStatuses)) }

/** Without a range: the last 30 days. */
export const listAlarmHistory = endpoint({
  method: ['POST', 'GET'],
  path: '/alarm/history/list',
  access: 'alarm:history',
  summary: '历史告警',
  bodyLimitBytes: listBodyBytes,
  input: z.object({ ...paging, ...historyFilters, ...sorting(['occurrenceTime']) }).check(rangeInOrder),
  reply: page(AlarmHistoryRow),
})

const { alarmLevel: _historyLevel, ...historyLevelFilters } = historyFilters

/** What `countAlarmLevels` counts, of the history. Without a range: the last 30 days. */
export const countHistoryLevels = endpoint({
  method: ['POST', 'GET'],
  path: '/alarm/history/levels',
  access: 'alarm:history',
  summary: '各级别历史告警数',
  bodyLimitBytes: listBodyBytes,
  input: z.object(historyLevelFilters).check(rangeInOrder),
  reply: one(LevelCounts),
})

/** Beyond so many rows the mean of their durations is not asked for: it is no sum that is kept. */
export const historyMeanRows = 20_000

/**
 * The same list in figures: how many alarms began on each day, and how long those that are over lasted on average.
 * Without a range: the last 30 days.
 */
export const readHistorySums = endpoint({
  method: ['POST', 'GET'],
  path: '/alarm/history/sums',
  access: 'alarm:history',
  summary: '历史告警统计',
  bodyLimitBytes: listBodyBytes,
  input: z.object(historyFilters).check(rangeInOrder),
  reply: one(
    z.object({
      /** The range that was meant, as whole days. */
      startDay: z.string(),
      endDay: z.string(),
      total: z.number(),
      /** Days with any, in order; `levels` are how many of level 1 to 4, and the rest is of no level. */
      days: z.array(z.object({ day: z.string(), count: z.number(), levels: z.array(z.number()) })),
      /** Of alarms that are over; null where there is none, or where there are too many rows to tell. */
      meanSeconds: z.nullable(z.number()),
      isMeanLeftOut: z.boolean(),
    }),
  ),
})

export const exportAlarmHistory = endpoint({
  ...exporting,
  path: '/alarm/history/export',
  access: 'alarm:export',
  summary: '导出历史告警',
  input: z.object(historyFilters).check(rangeInOrder),
})
