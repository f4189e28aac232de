import * as z from 'zod/mini'
import { AlarmRow, occurrenceFilters, spreadsheet } from './alarms.ts'
import { endpoint, file, page } from './endpoint.ts'
import { paging, rangeInOrder } from './fields.ts'

export const EventRow = z.extend(
  z.omit(AlarmRow, {
    alarmLevel: true,
    status: true,
    recoveryTime: true,
    recoveryMethod: true,
    recoveryMethodName: true,
    recoveredBy: true,
    note: true,
  }),
  {
    /** What the device sent along, as it sent it. */
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
  input: z.object({ ...paging, ...occurrenceFilters }).check(rangeInOrder),
  reply: page(EventRow),
})

export const exportEvents = endpoint({
  method: 'GET',
  path: '/event/export',
  access: 'event:export',
  summary: '导出事件',
  input: z.object(occurrenceFilters).check(rangeInOrder),
  reply: file(spreadsheet),
})
