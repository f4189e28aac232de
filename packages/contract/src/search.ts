// The search of the console, by a few characters, from any page: devices, batteries, places, owners, work and packages.
import * as z from 'zod/mini'
import { endpoint, one } from './endpoint.ts'
import { idOut, seededOut, text, timeOut } from './fields.ts'

/** The maximum number of each kind in an answer. */
export const foundAtMost = 8

const FoundDevice = z.object({
  id: idOut,
  code: z.string(),
  name: z.nullable(z.string()),
  operatorName: seededOut,
  regionName: seededOut,
  address: z.nullable(z.string()),
  /** Null for a device that was never connected. */
  isOnline: z.nullable(z.literal([0, 1])),
})
export type FoundDevice = z.output<typeof FoundDevice>

const FoundUser = z.object({
  id: idOut,
  userName: z.string(),
  loginName: z.string(),
  organizationName: seededOut,
})
export type FoundUser = z.output<typeof FoundUser>

const FoundBattery = z.object({
  code: z.string(),
  /** Where it is, or was last seen. */
  deviceCode: z.string(),
  deviceName: z.nullable(z.string()),
  compartment: z.number(),
  isAway: z.boolean(),
})
export type FoundBattery = z.output<typeof FoundBattery>

const FoundOperator = z.object({
  id: idOut,
  name: z.string(),
  code: z.string(),
  organizationId: idOut,
  organizationName: seededOut,
})
export type FoundOperator = z.output<typeof FoundOperator>

const FoundRegion = z.object({
  code: z.string(),
  name: seededOut,
  /** With its path. */
  fullName: seededOut,
  /** Those of the caller's scope at or below it. */
  deviceCount: z.number(),
})
export type FoundRegion = z.output<typeof FoundRegion>

const FoundTask = z.object({
  kind: z.enum(['upgrade', 'batch']),
  id: idOut,
  /** What it brings: `主控 1.4`; of a batch its number. */
  title: z.string(),
  note: z.nullable(z.string()),
  createBy: z.string(),
  createTime: timeOut,
})
export type FoundTask = z.output<typeof FoundTask>

const FoundPackage = z.object({
  id: idOut,
  fileName: z.string(),
  partTypeName: seededOut,
  version: z.string(),
  isRelease: z.boolean(),
})
export type FoundPackage = z.output<typeof FoundPackage>

/**
 * What the lists would show to the caller: devices by parts of code, name and address (and those of the region that is
 * named, where there is room), users by name, batteries by code, operators and regions by name, tasks by what they bring
 * and by their author, packages by file and board. Each kind is empty for a caller who may not list it.
 */
export const searchConsole = endpoint({
  method: 'GET',
  path: '/search',
  access: 'signedIn',
  summary: '搜索',
  input: z.object({ keyword: text('关键字', 200) }),
  reply: one(
    z.object({
      devices: z.array(FoundDevice),
      users: z.array(FoundUser),
      batteries: z.array(FoundBattery),
      operators: z.array(FoundOperator),
      /** Those that have devices, the largest first. */
      regions: z.array(FoundRegion),
      tasks: z.array(FoundTask),
      packages: z.array(FoundPackage),
    }),
  ),
})
