// The home page: figures of the fleet in the caller's data scope. They are stored and a few seconds old at most.
import * as z from 'zod/mini'
import { endpoint, one } from './endpoint.ts'
import { idOut, nothingIn, timeOut } from './fields.ts'
import type { LiveNoun } from './live.ts'

/** Devices by state. The first three are activated ones; rates are of those that were ever connected. */
const deviceCounts = {
  onlineCount: z.number(),
  offlineCount: z.number(),
  /** Among the offline ones: for longer than `longOfflineHours`. */
  longOfflineCount: z.number(),
  /** Activated and never connected. */
  neverCount: z.number(),
  undeliveredCount: z.number(),
  commissioningCount: z.number(),
}

/** What is wrong with one part of the fleet. */
const troubles = {
  onlineCount: z.number(),
  offlineCount: z.number(),
  /** Active alarms of levels 1 and 2, and of all. */
  criticalCount: z.number(),
  majorCount: z.number(),
  alarmCount: z.number(),
}

const OperatorTroubles = z.object({ id: idOut, name: z.string(), organizationId: idOut, ...troubles })
export type OperatorTroubles = z.output<typeof OperatorTroubles>

const RegionTroubles = z.object({ code: z.string(), name: z.string(), ...troubles })
export type RegionTroubles = z.output<typeof RegionTroubles>

/** Devices by the versions of one kind of part; one that has parts of two versions counts for both. */
const PartSpread = z.object({
  partType: z.string(),
  partTypeName: z.string(),
  /** The most frequent ones, newest first; a version that is no dotted number comes last. */
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
  /** Active alarms by level; level 0 stands for codes that the dictionary does not know. */
  activeAlarms: z.array(z.object({ level: z.number(), count: z.number() })),
  /** The codes of level 0, some of them where there are many. */
  unknownCodes: z.array(z.string()),
  /** The difference from `since`, about a day ago; null in the first hour of an installation. */
  change: z.nullable(
    z.object({
      since: timeOut,
      onlineCount: z.number(),
      offlineCount: z.number(),
      devicesWithAlarm: z.number(),
      alarmCount: z.number(),
    }),
  ),
  /** Alarms that began in each of the last 30 days, oldest first; `levels` of level 1 to 4, the rest is unknown. */
  alarmsByDay: z.array(z.object({ day: z.string(), count: z.number(), levels: z.array(z.number()) })),
  /** The semaphores with the most active alarms. */
  topAlarms: z.array(
    z.object({
      semaphoreCode: z.string(),
      semaphoreName: z.string(),
      alarmLevel: z.nullable(z.number()),
      count: z.number(),
    }),
  ),
  /** Operators with something wrong, the worst first, and how many there are. */
  operators: z.array(OperatorTroubles),
  troubledOperators: z.number(),
  /** Regions with devices, the worst first: at the first level on which there are several. */
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

/** Active alarms by level, for whoever looks at another page. */
export const readActiveLevels = endpoint({
  method: 'GET',
  path: '/overview/alarms',
  access: 'alarm:page',
  summary: '当前告警数',
  input: nothingIn,
  reply: one(z.object({ levels: z.array(z.object({ level: z.number(), count: z.number() })) })),
})

/** The figures changed. The event names no rows: the page reads the figures again. */
export const liveOverview = { noun: 'overview', access: 'signedIn' } as const satisfies LiveNoun
