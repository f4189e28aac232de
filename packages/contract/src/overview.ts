// The home page: figures of the fleet in the caller's data scope, kept by the server and at most a few seconds old.
import * as z from 'zod/mini'
import { endpoint, one } from './endpoint.ts'
import { idOut, nothingIn, seededOut, timeOut } from './fields.ts'
import type { LiveNoun } from './live.ts'

/** Devices by state. The first three are of activated devices; rates are relative to those that were ever connected. */
const deviceCounts = {
  onlineCount: z.number(),
  offlineCount: z.number(),
  /** Those of the offline ones that have been so for longer than `longOfflineHours`. */
  longOfflineCount: z.number(),
  /** Activated and never connected. */
  neverCount: z.number(),
  undeliveredCount: z.number(),
  commissioningCount: z.number(),
}

/** The problems of a part of the fleet. */
const troubles = {
  onlineCount: z.number(),
  offlineCount: z.number(),
  /** Active alarms of levels 1 and 2, and of all; those that are kept quiet are in none of these. */
  criticalCount: z.number(),
  majorCount: z.number(),
  alarmCount: z.number(),
  /** Active alarms that are kept quiet. */
  shelvedCount: z.number(),
}

const OperatorTroubles = z.object({ id: idOut, name: seededOut, organizationId: idOut, ...troubles })
export type OperatorTroubles = z.output<typeof OperatorTroubles>

const RegionTroubles = z.object({ code: z.string(), name: seededOut, ...troubles })
export type RegionTroubles = z.output<typeof RegionTroubles>

/** Devices by the versions of a part type; a device whose parts have two versions counts for both. */
const PartSpread = z.object({
  partType: z.string(),
  partTypeName: seededOut,
  /** The most frequent ones, newest first; versions that are not dotted numbers come last. */
  versions: z.array(z.object({ version: z.string(), count: z.number() })),
  /** Further versions, and the sum of their counts. */
  otherVersions: z.number(),
  otherCount: z.number(),
})
export type PartSpread = z.output<typeof PartSpread>

export const Overview = z.object({
  deviceCount: z.number(),
  ...deviceCounts,
  devicesWithAlarm: z.number(),
  /** Active alarms that are kept quiet, which no other figure counts. */
  shelvedCount: z.number(),
  /** Activated devices that are online and have fewer full batteries than `lowStock`. */
  lowStockCount: z.number(),
  /** Active alarms by level; level 0 stands for codes that the dictionary does not know. */
  activeAlarms: z.array(z.object({ level: z.number(), count: z.number() })),
  /** The codes of level 0, limited in number. */
  unknownCodes: z.array(z.string()),
  /** The differences to `since`, about a day ago; null in the first hour of an installation. */
  change: z.nullable(
    z.object({
      since: timeOut,
      onlineCount: z.number(),
      offlineCount: z.number(),
      devicesWithAlarm: z.number(),
      alarmCount: z.number(),
    }),
  ),
  /**
   * Alarms that began on each of the last 30 days, oldest first; `levels` has the counts of levels 1 to 4, the rest
   * of `count` has no level.
   */
  alarmsByDay: z.array(z.object({ day: z.string(), count: z.number(), levels: z.array(z.number()) })),
  /** The semaphores with the most active alarms. */
  topAlarms: z.array(
    z.object({
      semaphoreCode: z.string(),
      semaphoreName: seededOut,
      alarmLevel: z.nullable(z.number()),
      count: z.number(),
    }),
  ),
  /** Operators with problems, the worst first, and their total number. */
  operators: z.array(OperatorTroubles),
  troubledOperators: z.number(),
  /** Regions with devices, the worst first, on the first level with more than one. */
  regions: z.array(RegionTroubles),
  parts: z.array(PartSpread),
  readTime: timeOut,
})
export type Overview = z.output<typeof Overview>

export const readOverview = endpoint({
  method: 'GET',
  path: '/overview/summary',
  access: 'signedIn',
  summary: '首页概览',
  input: nothingIn,
  reply: one(Overview),
})

/** Active alarms by level, for the counts shown on all pages. */
export const readActiveLevels = endpoint({
  method: 'GET',
  path: '/overview/alarms',
  access: 'alarm:page',
  summary: '当前告警数',
  input: nothingIn,
  reply: one(z.object({ levels: z.array(z.object({ level: z.number(), count: z.number() })) })),
})

/** The figures have changed. The event names no rows: the page reads the figures again. */
export const liveOverview = { noun: 'overview', access: 'signedIn' } as const satisfies LiveNoun
