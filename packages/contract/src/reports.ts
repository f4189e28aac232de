// Reports over whole days: how good the alarms are, and how much of the time the devices worked.
import * as z from 'zod/mini'
import { exporting } from './commonCalls.ts'
import { endpoint, listBodyBytes, one } from './endpoint.ts'
import {
  dateTime,
  id,
  idOut,
  paging,
  rangeInOrder,
  saidOut,
  seededOut,
  text,
  timeOut,
  whenValid,
} from './fields.ts'

export const alarmGroupNames = {
  operator: '按运营商',
  region: '按地区',
  model: '按型号',
  code: '按告警',
  device: '按设备',
} as const
export type AlarmGroup = keyof typeof alarmGroupNames
export const alarmGroups = Object.keys(alarmGroupNames) as [AlarmGroup, ...AlarmGroup[]]

export const availabilityGroupNames = {
  operator: '按运营商',
  region: '按地区',
  model: '按型号',
  device: '按设备',
} as const
export type AvailabilityGroup = keyof typeof availabilityGroupNames
export const availabilityGroups = Object.keys(availabilityGroupNames) as [
  AvailabilityGroup,
  ...AvailabilityGroup[],
]

/** The targets of ISA-18.2 (IEC 62682) for one operator. The shares of priorities are by level, 1 first. */
export const alarmTargets = {
  perDay: { good: 150, most: 300 },
  perTenMinutes: { good: 1, most: 2 },
  /** More alarms than this within ten minutes are a flood, which lasts until ten minutes have fewer than `floodEnds`. */
  floodBegins: 10,
  floodEnds: 5,
  floodShare: 0.01,
  topShare: 0.05,
  standing: 5,
  chattering: 0,
  levelShares: [0.01, 0.05, 0.15, 0.8],
} as const

/** A report covers that many days at most. */
export const reportDays = 366

const dayMs = 86_400_000
const isWholeDay = (value: string | undefined) => value === undefined || value.length === 10
const wholeDays = [
  z.refine<{ startTime?: string | undefined }>(({ startTime }) => isWholeDay(startTime), {
    error: '报表按整天统计，开始日期格式应为 YYYY-MM-DD',
    path: ['startTime'],
    when: whenValid('startTime'),
  }),
  z.refine<{ endTime?: string | undefined }>(({ endTime }) => isWholeDay(endTime), {
    error: '报表按整天统计，结束日期格式应为 YYYY-MM-DD',
    path: ['endTime'],
    when: whenValid('endTime'),
  }),
  z.refine<{ startTime?: string | undefined; endTime?: string | undefined }>(
    ({ startTime, endTime }) =>
      !startTime || !endTime || Date.parse(endTime) - Date.parse(startTime) < reportDays * dayMs,
    {
      error: `统计范围不能超过 ${reportDays} 天`,
      path: ['endTime'],
      when: whenValid('startTime', 'endTime'),
    },
  ),
] as const

/** Which devices a report is about, within its reader's data scope. */
export const reportPlaces = {
  organizationId: z.optional(id('厂商')),
  operatorId: z.optional(id('运营商')),
  equipTypeId: z.optional(id('设备类型')),
  equipModelId: z.optional(id('设备型号')),
  regionCode: z.optional(text('地区', 12)),
  equipId: z.optional(id('设备')),
}

const reportFilters = {
  ...reportPlaces,
  /** Days; the last 30 up to today where none are given. */
  startTime: z.optional(dateTime('开始时间')),
  endTime: z.optional(dateTime('结束时间')),
}

const alarmReport = {
  ...reportFilters,
  groupBy: z._default(z.enum(alarmGroups, { error: '汇总方式无效' }), 'operator'),
}

/** Alarms of one group, as somebody who watches this group alone would meet them. */
const loads = {
  count: z.number(),
  perDay: z.number(),
  perTenMinutes: z.number(),
  /** The most within ten minutes by the clock. */
  peak: z.number(),
  /** Floods, and the share of the time that they lasted. */
  floodCount: z.number(),
  floodShare: z.number(),
  /** Alarms that stand now and have stood for more than a day, whenever they began. */
  standingCount: z.number(),
}

export const AlarmReportRow = z.object({
  /** Of a region or a semaphore its code. */
  id: idOut,
  name: seededOut,
  ...loads,
})
export type AlarmReportRow = z.output<typeof AlarmReportRow>

const TopAlarm = z.object({
  semaphoreCode: z.string(),
  semaphoreName: seededOut,
  alarmLevel: z.nullable(z.number()),
  count: z.number(),
  share: z.number(),
  /** Of them those that began for the third time within a minute on the same device, or a later one. */
  chatteringCount: z.number(),
  standingCount: z.number(),
  /** What to do about it. */
  advice: saidOut,
})
export type TopAlarm = z.output<typeof TopAlarm>

const ChatteringAlarm = z.object({
  deviceId: idOut,
  deviceCode: z.string(),
  semaphoreCode: z.string(),
  semaphoreName: seededOut,
  chatteringCount: z.number(),
  /** All alarms of this device and code within the range. */
  count: z.number(),
})
export type ChatteringAlarm = z.output<typeof ChatteringAlarm>

const Flood = z.object({
  operatorId: idOut,
  operatorName: seededOut,
  startTime: timeOut,
  /** The last second of it. */
  endTime: timeOut,
  count: z.number(),
  peak: z.number(),
})
export type Flood = z.output<typeof Flood>

export const AlarmReport = z.object({
  /** `YYYY-MM-DD`, both included. */
  startDay: z.string(),
  endDay: z.string(),
  /** Up to now, where the range goes on. */
  days: z.number(),
  /** Over all operators; `perDay` and `perTenMinutes` of one of them on average. */
  total: z.object({
    ...loads,
    /** Operators that had alarms. */
    operatorCount: z.number(),
    /** Pairs of device and code that chattered. */
    chatteringCount: z.number(),
    /** Of the ten most frequent alarms together. */
    topShare: z.number(),
  }),
  /** Levels 1 to 4, and 0 for codes that the dictionary does not know, where there are any. */
  levels: z.array(z.object({ level: z.number(), count: z.number(), share: z.number() })),
  /** Those with the most alarms first; groups without an alarm are left out. At most `reportRows`. */
  rows: z.array(AlarmReportRow),
  rowCount: z.number(),
  top: z.array(TopAlarm),
  chattering: z.array(ChatteringAlarm),
  floods: z.array(Flood),
  /** Alarms that began by then and stand have stood for more than a day. */
  standingBefore: timeOut,
})
export type AlarmReport = z.output<typeof AlarmReport>

/** More groups than this are counted and not listed. */
export const reportRows = 200

export const readAlarmReport = endpoint({
  method: ['POST', 'GET'],
  path: '/report/alarm',
  access: 'report:alarm',
  summary: '告警质量',
  bodyLimitBytes: listBodyBytes,
  input: z.object(alarmReport).check(rangeInOrder, ...wholeDays),
  reply: one(AlarmReport),
})

export const exportAlarmReport = endpoint({
  ...exporting,
  path: '/report/alarm/export',
  access: 'report:export',
  summary: '导出告警质量',
  input: z.object(alarmReport).check(rangeInOrder, ...wholeDays),
})

const times = {
  deviceCount: z.number(),
  /** Seconds, of all devices together. */
  upSeconds: z.number(),
  downSeconds: z.number(),
  plannedSeconds: z.number(),
  /** The server itself was off. */
  unknownSeconds: z.number(),
  /** Up, of what is known and not planned; null where nothing is. */
  availability: z.nullable(z.number()),
  /** How often a device went down. */
  failureCount: z.number(),
  /** Up days of all devices between two failures; null without a failure. */
  daysBetween: z.nullable(z.number()),
  /** From going down to working again, of those that did within the range; seconds. */
  recoveredCount: z.number(),
  recoverMedian: z.nullable(z.number()),
  recoverP90: z.nullable(z.number()),
  /** From an alarm to its first acknowledgement, of alarms that began within the range; seconds. */
  acknowledgedCount: z.number(),
  ackMedian: z.nullable(z.number()),
  ackP90: z.nullable(z.number()),
}

export const AvailabilityRow = z.object({
  /** Of a region its code. */
  id: idOut,
  /** Of a device its code. */
  name: seededOut,
  ...times,
})
export type AvailabilityRow = z.output<typeof AvailabilityRow>

export const AvailabilityReport = z.object({
  startDay: z.string(),
  endDay: z.string(),
  total: z.object(times),
  /** The least available first; devices that were never connected are in none. */
  rows: z.array(AvailabilityRow),
  rowCount: z.number(),
})
export type AvailabilityReport = z.output<typeof AvailabilityReport>

const availability = {
  ...reportFilters,
  groupBy: z._default(z.enum(availabilityGroups, { error: '汇总方式无效' }), 'operator'),
}

/**
 * A device is down while it is offline or has an alarm of level 1. What an upgrade does to it, a window of maintenance
 * and 停用 are planned, what happened while the server was off is unknown.
 */
export const readAvailability = endpoint({
  method: ['POST', 'GET'],
  path: '/report/availability',
  access: 'report:availability',
  summary: '可用率',
  bodyLimitBytes: listBodyBytes,
  input: z.object({ ...paging, ...availability }).check(rangeInOrder, ...wholeDays),
  reply: one(AvailabilityReport),
})

export const exportAvailability = endpoint({
  ...exporting,
  path: '/report/availability/export',
  access: 'report:export',
  summary: '导出可用率',
  input: z.object(availability).check(rangeInOrder, ...wholeDays),
})
