// Batteries that move: where each is, its way through the cabinets, and what alarmed where it was.
import * as z from 'zod/mini'
import { listAlarmHistory } from './alarmHistory.ts'
import { exporting } from './commonCalls.ts'
import { compartmentStateNames } from './compartments.ts'
import { endpoint, listBodyBytes, one, page } from './endpoint.ts'
import { id, idOut, list, paging, range, rangeInOrder, seededOut, text, timeOut } from './fields.ts'
import { liveRows } from './live.ts'

const { empty: _empty, ...inCompartment } = compartmentStateNames

/** What a battery does: the state of its compartment; `present` where that does not say; `away` from all cabinets. */
export const batteryStateNames = { ...inCompartment, present: '在柜', away: '不在柜' } as const
export type BatteryState = keyof typeof batteryStateNames

/** What the list is filtered by: a state, or in any cabinet, or in two at once. */
export const batteryFilterNames = {
  inCabinet: '在柜（全部）',
  charging: inCompartment.charging,
  full: inCompartment.full,
  idle: inCompartment.idle,
  fault: inCompartment.fault,
  disabled: inCompartment.disabled,
  away: batteryStateNames.away,
  conflict: '位置冲突',
} as const
export type BatteryFilter = keyof typeof batteryFilterNames

const stateKeys = Object.keys(batteryStateNames) as [BatteryState, ...BatteryState[]]
const filterKeys = Object.keys(batteryFilterNames) as [BatteryFilter, ...BatteryFilter[]]

/** Two cabinets that claim a battery for no longer than this are no conflict: their clocks differ. */
export const conflictToleranceMs = 5 * 60_000

const codeOf = text('电池编号', 32, '请输入电池编号')

export const BatteryRow = z.object({
  /** Its code. */
  id: z.string(),
  code: z.string(),
  state: z.enum(stateKeys),
  /** % and ℃. Of one that is away: the state of charge with which it left. */
  soc: z.nullable(z.number()),
  soh: z.nullable(z.number()),
  temperature: z.nullable(z.number()),
  /** Where it is, or was last seen. */
  deviceId: idOut,
  deviceCode: z.string(),
  deviceName: z.nullable(z.string()),
  isOnline: z.literal([0, 1]),
  compartment: z.number(),
  operatorName: seededOut,
  regionName: seededOut,
  /** Of the stay there; the end is null while it goes on. */
  startTime: timeOut,
  endTime: z.nullable(timeOut),
  /** When it was last seen there. */
  seenTime: timeOut,
  /** Whether another compartment claims it as well. */
  isConflict: z.boolean(),
})
export type BatteryRow = z.output<typeof BatteryRow>

const filters = {
  /** A part of it. */
  code: z.optional(codeOf),
  codes: z.optional(list(codeOf, '电池编号', 500)),
  state: z.optional(z.enum(filterKeys, { error: '电池状态无效' })),
  organizationId: z.optional(id('厂商')),
  operatorId: z.optional(id('运营商')),
  regionCode: z.optional(text('地区', 12)),
}

/** Batteries by code. A caller sees those that are, or were last seen, in a device of the caller's scope. */
export const listBatteries = endpoint({
  method: ['POST', 'GET'],
  path: '/battery/list',
  access: 'battery:list',
  summary: '电池列表',
  bodyLimitBytes: listBodyBytes,
  // `ids`, which live lists ask by, are codes.
  input: z.object({ ...paging, ...filters, ids: z.optional(list(codeOf, '电池', 500)) }),
  reply: page(BatteryRow),
})

/** Batteries that come, go, or change their state. */
export const liveBatteries = liveRows('batteries', listBatteries)

export const exportBatteries = endpoint({
  ...exporting,
  path: '/battery/export',
  access: 'battery:export',
  summary: '导出电池',
  input: z.object(filters),
})

const Claim = z.object({
  deviceId: idOut,
  deviceCode: z.string(),
  deviceName: z.nullable(z.string()),
  compartment: z.number(),
  startTime: timeOut,
  seenTime: timeOut,
})

export const readBattery = endpoint({
  method: 'GET',
  path: '/battery/detail/:code',
  access: 'battery:list',
  summary: '电池详情',
  input: z.object({ code: codeOf }),
  reply: one(
    z.extend(BatteryRow, {
      /** When any device reported it first. */
      foundTime: timeOut,
      /** In a conflict: the compartments within the caller's scope that claim it, the last one first. */
      claims: z.array(Claim),
    }),
  ),
})

export const StayRow = z.object({
  id: z.string(),
  deviceId: idOut,
  deviceCode: z.string(),
  deviceName: z.nullable(z.string()),
  regionName: seededOut,
  compartment: z.number(),
  startTime: timeOut,
  /** When the compartment first said otherwise; null while it has not. */
  endTime: z.nullable(timeOut),
  /** When the battery was last seen there. */
  seenTime: timeOut,
  /** The states of charge with which it came and left; null where the device did not say, and while it is there. */
  socIn: z.nullable(z.number()),
  socOut: z.nullable(z.number()),
  /** Whether it was seen elsewhere at the same time. */
  isConflict: z.boolean(),
})
export type StayRow = z.output<typeof StayRow>

/** A battery's way through the cabinets of the caller's scope, the newest stay first. Without a range: all of it. */
export const trackBattery = endpoint({
  method: ['POST', 'GET'],
  path: '/battery/track',
  access: 'battery:list',
  summary: '电池轨迹',
  input: z.object({ ...paging, code: codeOf, ...range }).check(rangeInOrder),
  reply: page(StayRow),
})

/** The newest stays whose alarms are looked for. */
export const staysWithAlarms = 40

const BatteryAlarm = z.object({
  id: idOut,
  deviceId: idOut,
  deviceCode: z.string(),
  compartment: z.number(),
  name: seededOut,
  level: z.nullable(z.number()),
  startTime: timeOut,
  endTime: z.nullable(timeOut),
})
export type BatteryAlarm = z.output<typeof BatteryAlarm>

/** The alarms of the compartments in which the battery was, while it was there: the newest first, of its last stays. */
export const listBatteryAlarms = endpoint({
  method: 'GET',
  path: '/battery/alarm/:code',
  access: listAlarmHistory.access,
  summary: '电池告警',
  input: z.object({ code: codeOf }),
  reply: one(z.array(BatteryAlarm)),
})
