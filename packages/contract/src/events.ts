import * as z from 'zod/mini'
import { AlarmRow, occurrenceFilters } from './alarms.ts'
import { exporting } from './commonCalls.ts'
import { endpoint, listBodyBytes, one, page } from './endpoint.ts'
import { dateTime, id, paging, rangeInOrder, seededOut, sorting } from './fields.ts'

export const EventRow = z.extend(
  z.omit(AlarmRow, {
    alarmLevel: true,
    meaning: true,
    status: true,
    recoveryTime: true,
    recoveryMethod: true,
    recoveryMethodName: true,
    recoveredBy: true,
    note: true,
    handling: true,
    handlingVersion: true,
    ackTime: true,
    ackUserName: true,
    assigneeId: true,
    assigneeName: true,
    causeName: true,
    isShelved: true,
    shelvedUntil: true,
    repeatCount: true,
    repeatFirstTime: true,
    repeatLastTime: true,
    chatter: true,
  }),
  {
    /** The unit of the value, where the dictionary has one. */
    unit: z.nullable(seededOut),
    /** The additional data of the report, unchanged. */
    data: z.nullable(z.record(z.string(), z.unknown())),
  },
)
export type EventRow = z.output<typeof EventRow>

/** Without a range: the last 30 days. */
export const listEvents = endpoint({
  method: ['POST', 'GET'],
  path: '/event/list',
  access: 'event:list',
  summary: '事件查询',
  bodyLimitBytes: listBodyBytes,
  input: z.object({ ...paging, ...occurrenceFilters, ...sorting(['occurrenceTime']) }).check(rangeInOrder),
  reply: page(EventRow),
})

export const exportEvents = endpoint({
  ...exporting,
  path: '/event/export',
  access: 'event:export',
  summary: '导出事件',
  input: z.object(occurrenceFilters).check(rangeInOrder),
})

/** One event. `occurrenceTime` limits the search to one month. */
export const readEvent = endpoint({
  method: 'GET',
  path: '/event/info/:id',
  access: 'event:list',
  summary: '事件信息',
  input: z.object({ id: id('事件'), occurrenceTime: z.optional(dateTime('发生时间')) }),
  reply: one(EventRow),
})
