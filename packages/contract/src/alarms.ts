// Alarms: lists of current alarms, one alarm, recovery, decoding of values.
import * as z from 'zod/mini'
import { changing, exporting } from './commonCalls.ts'
import { alarmAnalysisTypes, alarmLevels } from './dictionary.ts'
import { endpoint, listBodyBytes, one, page } from './endpoint.ts'
import {
  asText,
  dateTime,
  deviceCodes,
  id,
  idOut,
  idsIn,
  integer,
  list,
  meaningOut,
  oneOf,
  paging,
  range,
  rangeInOrder,
  required,
  seededOut,
  sorting,
  text,
  timeOut,
} from './fields.ts'
import { liveRows } from './live.ts'

/** 1 active, 0 recovered. */
export const alarmStatuses = [1, 0] as const

/** 1 reported by the device (自动恢复), 2 by a user with a note (手动恢复). */
export const recoveryMethods = [1, 2] as const

/**
 * What people have done about an alarm, derived from what the device says and what was written beside it: not seen, seen
 * while it lasts, somebody has it, over without having been seen, done. An alarm that was seen and is over is done.
 */
export const alarmHandlings = [
  'unacknowledged',
  'acknowledged',
  'inProgress',
  'recoveredUnacknowledged',
  'closed',
] as const
export type AlarmHandling = (typeof alarmHandlings)[number]

/** Names of the states, as lists show them. */
export const handlingNames: Record<AlarmHandling, string> = {
  unacknowledged: '未确认',
  acknowledged: '已确认',
  inProgress: '处理中',
  recoveredUnacknowledged: '已恢复待确认',
  closed: '已关闭',
}

/** Of a trouble that comes again: three times within a minute, or five times within half an hour. */
export const alarmChatters = ['chattering', 'flapping'] as const
export type AlarmChatter = (typeof alarmChatters)[number]

/** The device that a row belongs to, with the same fields in every alarm and event row. */
const deviceColumns = {
  /** The device's code; `equipCode` is the same for clients of the older name. */
  code: z.string(),
  equipCode: z.string(),
  equipId: idOut,
  equipName: z.nullable(z.string()),
  organizationId: idOut,
  operatorId: idOut,
  operatorName: seededOut,
  equipTypeId: idOut,
  equipTypeName: seededOut,
  equipModelId: idOut,
  equipModelName: seededOut,
  /** EQUIP_CLASSIFY code, which `/alarm/detail` asks for. */
  equipClassify: z.string(),
  isOnline: z.literal([0, 1]),
  /** From the country down: 中国 / 广东省 / 深圳市 / 南山区. */
  regionName: seededOut,
  address: z.nullable(z.string()),
}

export const AlarmRow = z.object({
  /** The episode's id: the same in the current list and in the history. */
  id: idOut,
  ...deviceColumns,
  semaphoreCode: z.string(),
  /** The dictionary's name; the code itself where the dictionary does not know it. */
  semaphoreName: seededOut,
  alarmLevel: z.nullable(z.number()),
  /** The last reported value, a safe integer. After the recovery 0; in the history the last one before it. */
  value: z.number(),
  /** The meaning of the last nonzero value, e.g. `2号仓、4号仓`; null where the dictionary does not define it. */
  meaning: z.nullable(meaningOut),
  status: z.literal(alarmStatuses),
  flag: z.enum(['normal', 'fault']),
  occurrenceTime: timeOut,
  recoveryTime: z.nullable(timeOut),
  recoveryMethod: z.nullable(z.literal(recoveryMethods)),
  /** 自动恢复 or 手动恢复. */
  recoveryMethodName: z.nullable(z.string()),
  recoveredBy: z.nullable(z.string()),
  note: z.nullable(z.string()),
  handling: z.enum(alarmHandlings),
  /** Rises with every action of a user on this alarm; 0 where nobody has done anything. */
  handlingVersion: z.number(),
  /** The last acknowledgement, also where it does not count any more. */
  ackTime: z.nullable(timeOut),
  ackUserName: z.nullable(z.string()),
  assigneeId: z.nullable(idOut),
  assigneeName: z.nullable(z.string()),
  /** Why it came to this, as whoever closed it said; ALARM_CAUSE. */
  causeName: z.nullable(seededOut),
  /** Kept quiet, as of now. */
  isShelved: z.boolean(),
  /** Until then; null: without end, or not at all. */
  shelvedUntil: z.nullable(timeOut),
  /**
   * How often the trouble has occurred that this alarm is of: one that comes again within five minutes after it
   * recovered, on the same device with the same code and one of its bits, is the same trouble.
   */
  repeatCount: z.number(),
  /** Of its first and its last occurrence; null where it has occurred once. */
  repeatFirstTime: z.nullable(timeOut),
  repeatLastTime: z.nullable(timeOut),
  /** The worst that the trouble has done so far. */
  chatter: z.nullable(z.enum(alarmChatters)),
})
export type AlarmRow = z.output<typeof AlarmRow>

export const AlarmHistoryRow = z.extend(AlarmRow, {
  /** The first value of the episode; `value` is the last nonzero one, and the recovery does not change it. */
  firstValue: z.number(),
})
export type AlarmHistoryRow = z.output<typeof AlarmHistoryRow>

/** The filters that alarms and events share. The manufacturer is `organizationId`. */
export const occurrenceFilters = {
  organizationId: z.optional(id('厂商')),
  operatorId: z.optional(id('运营商')),
  equipTypeId: z.optional(id('设备类型')),
  equipModelId: z.optional(id('设备型号')),
  regionCode: z.optional(text('地区', 12)),
  equipId: z.optional(id('设备')),
  /** One or several. */
  code: z.optional(deviceCodes),
  /** Part of the semaphore's name, or its code. */
  semaphoreName: z.optional(text('告警内容', 64)),
  semaphoreCode: z.optional(list(text('信号编码', 8), '信号编码', 50)),
  ...range,
}

const handlings = z.enum(alarmHandlings, { error: '处理状态无效' })

/** Whose alarms: a user's id, or the caller's own. */
const assignee = z.pipe(
  z.transform(asText),
  z.string({ error: '负责人应为文本' }).check(z.regex(/^(?:me|[1-9]\d{0,17})$/, '负责人无效')),
)

/** 1: those that are kept quiet, 0: the others, `all`: both. */
const shelved = z.pipe(
  z.transform((value) => (value === true ? '1' : value === false ? '0' : asText(value))),
  z.enum(['1', '0', 'all'], { error: '搁置只能是 1、0、all' }),
)

/** For active alarms, recovered ones, or both. */
export const activeFilters = {
  ...occurrenceFilters,
  alarmLevel: z.optional(list(oneOf('告警级别', alarmLevels), '告警级别', 4)),
  handling: z.optional(list(handlings, '处理状态', alarmHandlings.length)),
  /** A user's id, or `me`. */
  assigneeId: z.optional(assignee),
  /** The current list leaves out what is shelved unless it is asked for. */
  isShelved: z.optional(shelved),
}

/** By what alarms have in common. */
export const causeFilters = {
  /** The alarms of one cause, a line of `listAlarmCauses`. */
  causeId: z.optional(id('同因告警')),
  /** 0 leaves out active alarms that such a line has. */
  isCaused: z.optional(z.pipe(z.transform(asText), z.enum(['0', 'all'], { error: '同因只能是 0、all' }))),
}

export const currentFilters = {
  ...activeFilters,
  /** 1 (active) by default; 0 for recovered alarms, `all` for both. */
  status: z._default(
    z.pipe(z.transform(asText), z.enum(['1', '0', 'all'], { error: '状态只能是 1、0、all' })),
    '1',
  ),
  ...causeFilters,
}

/**
 * Sorted by time, the latest first; by level, the latest of each level first. With `ids`, recovered alarms are
 * included, even if their semaphore has opened a newer alarm.
 */
export const listAlarms = endpoint({
  method: ['GET', 'POST'],
  path: '/alarm/page',
  access: 'alarm:page',
  summary: '当前告警',
  bodyLimitBytes: listBodyBytes,
  input: z
    .object({
      ...paging,
      ...currentFilters,
      ...sorting(['level', 'occurrenceTime']),
      ids: idsIn('告警'),
    })
    .check(rangeInOrder),
  reply: page(AlarmRow),
})

const { alarmLevel: _level, ...levelFilters } = currentFilters

export const LevelCounts = z.object({ levels: z.array(z.object({ level: z.number(), count: z.number() })) })

/**
 * The number of alarms per level that match the other filters. Level 0 stands for codes that the dictionary does not
 * know.
 */
export const countAlarmLevels = endpoint({
  method: ['GET', 'POST'],
  path: '/alarm/levels',
  access: 'alarm:page',
  summary: '各级别告警数',
  bodyLimitBytes: listBodyBytes,
  input: z.object(levelFilters).check(rangeInOrder),
  reply: one(LevelCounts),
})

/** Alarms that open, change or recover. */
export const liveAlarms = liveRows('alarms', listAlarms)

export const exportAlarms = endpoint({
  ...exporting,
  path: '/alarm/export',
  access: 'alarm:export',
  summary: '导出当前告警',
  input: z.object(currentFilters).check(rangeInOrder),
})

/** One alarm episode with the late reports inside it. `occurrenceTime` limits the search to one month. */
export const readAlarm = endpoint({
  method: 'GET',
  path: '/alarm/info/:id',
  access: 'alarm:page',
  summary: '告警信息',
  input: z.object({ id: id('告警'), occurrenceTime: z.optional(dateTime('发生时间')) }),
  reply: one(
    z.extend(AlarmHistoryRow, {
      lateReports: z.array(z.object({ time: timeOut, value: z.number() })),
    }),
  ),
})

export const AlarmDefinitionRow = z.object({
  code: z.string(),
  equipClassify: z.string(),
  name: z.string(),
  type: z.string(),
  typeName: seededOut,
  bitPosition: z.number(),
  analysisType: z.enum(alarmAnalysisTypes),
})

/** The definitions behind alarm values: `alarmCode` is the value, `code` the semaphore's code. */
export const decodeAlarms = endpoint({
  method: 'POST',
  path: '/alarm/detail',
  access: 'alarm:detail',
  summary: '告警内容解析',
  input: z.object({
    alarmCodes: z
      .array(
        z.object({
          alarmCode: integer('告警值', 0, Number.MAX_SAFE_INTEGER),
          code: text('告警编码', 8, '告警编码不能为空'),
        }),
        required('告警编码列表不能为空'),
      )
      .check(z.minLength(1, '告警编码列表不能为空'), z.maxLength(200, '一次最多解析 200 个告警')),
    classify: text('设备类别', 64, '设备类别不能为空'),
  }),
  reply: one(z.array(AlarmDefinitionRow)),
})

export const recoverAlarm = endpoint({
  ...changing,
  path: '/alarm/recover/:id',
  access: 'alarm:recover',
  summary: '手动恢复告警',
  input: z.object({ id: id('告警'), note: text('处理说明', 200) }),
})
