// The feed of events for other systems: read by a cursor, in the order in which things were written.
import * as z from 'zod/mini'
import { listAdvertisements } from './advertisements.ts'
import { listAlarmHistory } from './alarmHistory.ts'
import { listAlarms } from './alarms.ts'
import { listDevices } from './devices.ts'
import { listDeviceVersions } from './deviceVersions.ts'
import { endpoint, one } from './endpoint.ts'
import { listEvents } from './events.ts'
import { integer, list } from './fields.ts'
import { listLogExtractions } from './logExtraction.ts'
import { listParameterBatches } from './parameterBatches.ts'
import { listUpgradeLog, listUpgradeTasks, type UpgradeTargetState } from './upgrades.ts'

export const feedTypes = [
  'alarm.raised',
  'alarm.changed',
  'alarm.recovered',
  'alarm.acknowledged',
  'alarm.closed',
  'device.online',
  'device.offline',
  'device.registered',
  'device.changed',
  'device.deleted',
  /** It is seen by who does not any more, and the other way round: it has moved to another operator, place or model. */
  'device.left',
  'device.arrived',
  /** A part reports a version for the first time, or another than before. */
  'version.changed',
  /** A part of a device has the result of an upgrade; again after a retry. */
  'upgrade.ended',
  /** The task as a whole; `counts` is of the devices that the reader sees, by parts. */
  'upgrade.finished',
  /** A device has the result of a batch of parameters; again after a retry. */
  'batch.ended',
  'batch.finished',
  'advertisement.finished',
  /** The extraction of a log from a device is over. */
  'log.ended',
  /** What a device reports as an event. */
  'event.reported',
] as const
export type FeedType = (typeof feedTypes)[number]

/** The functions of which one lets a caller read events of the kind. */
export const feedAccess = {
  alarm: [listAlarms.access, listAlarmHistory.access],
  device: [listDevices.access],
  version: [listDevices.access, listDeviceVersions.access],
  upgrade: [listUpgradeTasks.access, listUpgradeLog.access],
  batch: [listParameterBatches.access],
  advertisement: [listAdvertisements.access],
  log: [listLogExtractions.access],
  event: [listEvents.access],
} as const

/** What may have changed of a device, by the names of its form. */
const changedFields = [
  'name',
  'operatorId',
  'equipModelId',
  'regionCode',
  'address',
  'businessStatus',
  'protocol',
  'protocolIdentity',
] as const

/** How long events are kept. */
export const feedDays = 7
/** Of one call that waits for something to happen. */
const waitSecondsAtMost = 30

export const upgradeResults = [
  'succeeded',
  'failed',
  'refused',
  'timedOut',
  'skipped',
  'cancelled',
] as const satisfies readonly UpgradeTargetState[]

/** Results by kind: of a device or a part of it, and of tasks as a whole. */
export const feedResults = {
  'upgrade.ended': upgradeResults,
  'upgrade.finished': ['finished', 'cancelled'],
  'batch.ended': ['succeeded', 'failed', 'refused', 'expired', 'skipped', 'stopped'],
  'batch.finished': ['finished', 'stopped'],
  'advertisement.finished': ['over', 'deleted'],
  'log.ended': ['done', 'failed', 'cancelled'],
} as const satisfies Partial<Record<FeedType, readonly string[]>>

/** CloudEvents 1.0, structured JSON. */
export const CloudEvent = z.object({
  specversion: z.literal('1.0'),
  /** Unique within `source`; ascending. */
  id: z.string(),
  /** The address of this server. */
  source: z.string(),
  type: z.enum(feedTypes),
  /** The device's code; of tasks as a whole the task's id. */
  subject: z.string(),
  /** When it happened, in RFC 3339. */
  time: z.string(),
  datacontenttype: z.literal('application/json'),
  data: z.object({
    /** Both are absent of tasks as a whole; of `device.left` where it stood. */
    deviceId: z.optional(z.string()),
    operatorId: z.optional(z.string()),
    /** Of alarms: for `GET /alarm/info/{id}`. */
    alarmId: z.optional(z.string()),
    /** The semaphore code. */
    code: z.optional(z.string()),
    value: z.optional(z.number()),
    occurrenceTime: z.optional(z.string()),
    /** Of reported events: for `GET /event/info/{id}`. */
    eventId: z.optional(z.string()),
    /** Of `device.changed`: what is other than before. */
    fields: z.optional(z.array(z.enum(changedFields))),
    /** Of versions and upgrades: the kind of part; of versions also which one of several. */
    partType: z.optional(z.string()),
    addrId: z.optional(z.string()),
    version: z.optional(z.string()),
    /** Absent where the part has reported none before. */
    fromVersion: z.optional(z.string()),
    /** Of upgrades: the task, and the result. */
    taskId: z.optional(z.string()),
    batchId: z.optional(z.string()),
    advertisementId: z.optional(z.string()),
    extractionId: z.optional(z.string()),
    state: z.optional(z.enum([...new Set(Object.values(feedResults).flat())])),
    /** Of tasks as a whole: devices by state, of upgrades their parts, as far as the reader sees them. */
    counts: z.optional(z.record(z.string(), z.number())),
  }),
})
export type CloudEvent = z.output<typeof CloudEvent>

export const readFeed = endpoint({
  method: 'GET',
  path: '/feed',
  access: [...new Set(Object.values(feedAccess).flat())],
  summary: '事件流',
  input: z.object({
    /**
     * `next` of the answer before. Absent: from the oldest event that is kept; `latest`: from now on; `recent`: the newest
     * events that there are, at most `limit`, and on from there.
     */
    after: z.optional(
      z
        .string({ error: '游标无效' })
        .check(z.regex(/^(?:latest|recent|\d{1,18}-[0-9a-z]{1,16})$/, '游标无效')),
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
