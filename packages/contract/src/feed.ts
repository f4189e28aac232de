// The feed of events for other systems: read by a cursor, in the order in which things were written.
import * as z from 'zod/mini'
import { listAlarmHistory, listAlarms } from './alarms.ts'
import { listDevices } from './devices.ts'
import { endpoint, one } from './endpoint.ts'
import { integer, list } from './fields.ts'

export const feedTypes = [
  'alarm.raised',
  'alarm.changed',
  'alarm.recovered',
  'alarm.acknowledged',
  'alarm.closed',
  'device.online',
  'device.offline',
] as const
export type FeedType = (typeof feedTypes)[number]

/** The functions of which one lets a caller read events of the kind. */
export const feedAccess = {
  alarm: [listAlarms.access, listAlarmHistory.access],
  device: [listDevices.access],
} as const

/** How long events are kept. */
export const feedDays = 7
/** Of one call that waits for something to happen. */
const waitSecondsAtMost = 30

/** CloudEvents 1.0, structured JSON. */
export const CloudEvent = z.object({
  specversion: z.literal('1.0'),
  /** Unique within `source`; ascending. */
  id: z.string(),
  /** The address of this server. */
  source: z.string(),
  type: z.enum(feedTypes),
  /** The device's code. */
  subject: z.string(),
  /** When it happened, in RFC 3339. */
  time: z.string(),
  datacontenttype: z.literal('application/json'),
  data: z.object({
    deviceId: z.string(),
    operatorId: z.string(),
    /** Of alarms: for `GET /alarm/info/{id}`. */
    alarmId: z.optional(z.string()),
    /** The semaphore code. */
    code: z.optional(z.string()),
    value: z.optional(z.number()),
    occurrenceTime: z.optional(z.string()),
  }),
})
export type CloudEvent = z.output<typeof CloudEvent>

export const readFeed = endpoint({
  method: 'GET',
  path: '/feed',
  access: [listAlarms.access, listAlarmHistory.access, listDevices.access],
  summary: '事件流',
  input: z.object({
    /**
     * `next` of the answer before. Absent: from the oldest event that is kept; `latest`: from now on.
     */
    after: z.optional(
      z.string({ error: '游标无效' }).check(z.regex(/^(?:latest|\d{1,18}-[0-9a-z]{1,16})$/, '游标无效')),
    ),
    limit: z._default(integer('条数', 1, 1_000), 200),
    types: z.optional(list(z.enum(feedTypes, { error: '事件类型无效' }), '事件类型', feedTypes.length)),
    /** Where there is nothing new, the answer waits so long for something to happen. */
    waitSeconds: z._default(integer('等待秒数', 0, waitSecondsAtMost), 0),
  }),
  reply: one(
    z.object({
      events: z.array(CloudEvent),
      /** For `after` of the next call. */
      next: z.string(),
      /** More is there already: call again at once, also where `events` is empty. */
      hasMore: z.boolean(),
    }),
  ),
})
