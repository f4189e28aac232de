import * as z from 'zod/mini'
import { alarmStatuses } from './alarms.ts'
import { endpoint, one } from './endpoint.ts'
import { dateTime, id, idOut, meaningOut, seededOut, timeOut } from './fields.ts'

export const TimelineRow = z.object({
  kind: z.enum(['alarm', 'event']),
  id: idOut,
  semaphoreCode: z.string(),
  semaphoreName: seededOut,
  /** The three fields that only alarms have are null for an event. */
  alarmLevel: z.nullable(z.number()),
  status: z.nullable(z.literal(alarmStatuses)),
  recoveryTime: z.nullable(timeOut),
  /** The meaning of the value, e.g. `2号仓、4号仓`, of an event with its unit; null where the dictionary does not define it. */
  meaning: z.nullable(meaningOut),
  value: z.number(),
  occurrenceTime: timeOut,
})
export type TimelineRow = z.output<typeof TimelineRow>

/** The maximum number before and after the alarm, of alarms and events together, within a day. */
export const timelineEachWay = 10

/**
 * Alarms and events of the alarm's device around its occurrence, the latest first, including the alarm itself. Events
 * are included only for callers who may list them.
 */
export const readAlarmTimeline = endpoint({
  method: 'GET',
  path: '/alarm/timeline/:id',
  access: 'alarm:history',
  summary: '告警前后的设备记录',
  input: z.object({ id: id('告警'), occurrenceTime: z.optional(dateTime('发生时间')) }),
  reply: one(z.object({ rows: z.array(TimelineRow) })),
})
