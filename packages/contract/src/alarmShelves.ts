// Keeping alarms quiet without losing any: shelving, maintenance windows, and what is out of service.
import * as z from 'zod/mini'
import { activeFilters } from './alarms.ts'
import { addingOrAsking, changing } from './commonCalls.ts'
import { StoppedDecider } from './deciders.ts'
import { alarmLevels } from './dictionary.ts'
import { endpoint, listBodyBytes, one, page } from './endpoint.ts'
import {
  byId,
  dateTime,
  deviceCodes,
  id,
  idOut,
  idsIn,
  integer,
  limitedTo,
  list,
  oneOf,
  paging,
  seededOut,
  text,
  timeOut,
  version,
  whenValid,
} from './fields.ts'
import { hasCondition, noEmptyCondition, unknownNarrowing } from './narrowing.ts'
import { parseRepeat } from './recurrence.ts'

/** 搁置 by somebody, a planned 维护窗口, and 停用 of what is out of service. All keep alarms as quiet. */
export const shelfKinds = ['shelve', 'maintenance', 'outOfService'] as const
export type ShelfKind = (typeof shelfKinds)[number]
export const shelfKindNames: Record<ShelfKind, string> = {
  shelve: '搁置',
  maintenance: '维护窗口',
  outOfService: '停用',
}

/** `planned`: not yet, or between two occurrences. `over`: its time is over, or somebody ended it. */
export const shelfStates = ['active', 'planned', 'over'] as const
export type ShelfState = (typeof shelfStates)[number]

/** Minutes of a shelf that names no end. */
export const shelfMinutes = 120
/** More need the function `alarm:shelve:long`. */
export const shelfMinutesAtMost = 24 * 60
export const shelfMinutesLong = 90 * 24 * 60
/** Of an alarm of fire, which needs a second person too. */
export const shelfMinutesOfFire = 30
/** Days of one occurrence of a window. */
export const windowDaysAtMost = 7
/** A shelf, or what is out of service, that has met no alarm for so long is proposed for ending; a window is a plan. */
export const shelfIdleDays = 7
export const shelfTargetsAtMost = 500
/**
 * That are not over, in an installation: by filter, or of more pairs of device and code than are looked up; of named
 * devices; and the pairs of these. One branch of organizations has half of what the others leave, and `ofEachBranch` whatever
 * they have.
 */
export const shelvesAtMost = {
  inAll: { byFilter: 100, named: 1_000, pairs: 20_000 },
  ofUser: { byFilter: 25, named: 250, pairs: 5_000 },
  ofEachBranch: { byFilter: 4, named: 20, pairs: 400 },
} as const
/** How long before now a window may begin: days that are over are added up again for it. */
export const windowDaysBefore = 31

const { organizationId, operatorId, equipTypeId, equipModelId, regionCode } = activeFilters

/**
 * Which alarms: of `ids` their devices and codes; of devices; or of the devices that the filter finds, also later ones.
 * Codes, levels and a compartment narrow devices and filters. Alarms of fire are left as they are, except where one
 * device's are named.
 */
const chosen = {
  ids: limitedTo('告警', shelfTargetsAtMost),
  deviceCodes: z.optional(
    list(text('设备编号', 64), '设备编号', shelfTargetsAtMost).check(z.minLength(1, '请选择设备')),
  ),
  filter: z.optional(
    z
      .strictObject(
        { organizationId, operatorId, equipTypeId, equipModelId, regionCode },
        { error: unknownNarrowing('筛选条件应为对象') },
      )
      .check(noEmptyCondition),
  ),
  semaphoreCodes: z.optional(
    list(text('信号编码', 8), '信号编码', 50).check(z.minLength(1, '请选择信号编码')),
  ),
  alarmLevels: z.optional(
    list(oneOf('告警级别', alarmLevels), '告警级别', 4).check(z.minLength(1, '请选择告警级别')),
  ),
  compartment: z.optional(integer('仓位', 1, 64)),
}

/**
 * When: a shelf begins at once and lasts `minutes`, or until `endTime`; with `isOneShot` at the longest until the
 * episodes end that are active now. A window lasts from `startTime` to `endTime` by the clocks of `timeZone` (the
 * server's, where none is given), and again as `repeat` says. What is out of service is so until somebody ends it.
 */
const form = {
  ...chosen,
  kind: z._default(z.enum(shelfKinds, { error: `类型只能是 ${shelfKinds.join('、')}` }), 'shelve'),
  minutes: z.optional(integer('时长（分钟）', 1, shelfMinutesLong)),
  startTime: z.optional(dateTime('开始时间')),
  endTime: z.optional(dateTime('结束时间')),
  isOneShot: z._default(oneOf('本次告警结束为止', [0, 1]), 0),
  repeat: z.optional(
    text('重复规则', 200).check(z.refine((rule) => parseRepeat(rule) !== null, '重复规则无效')),
  ),
  timeZone: z.optional(text('时区', 64)),
  reason: text('原因', 200),
}

interface Asked {
  ids?: unknown
  deviceCodes?: unknown
  filter?: object | undefined
  semaphoreCodes?: unknown
  alarmLevels?: unknown
  compartment?: number | undefined
  kind: ShelfKind
  minutes?: number | undefined
  startTime?: string | undefined
  endTime?: string | undefined
  isOneShot: 0 | 1
  repeat?: string | undefined
  timeZone?: string | undefined
}

const rule = (path: string, error: string, holds: (asked: Asked) => boolean) =>
  z.refine<Asked>(holds, { error, path: [path], when: whenValid(path, 'kind') })

const rules = [
  rule(
    'deviceCodes',
    '请选择告警、设备，或给出筛选条件',
    ({ ids, deviceCodes, filter }) =>
      [ids, deviceCodes, filter].filter((each) => each !== undefined).length === 1,
  ),
  rule(
    'filter',
    '请至少给出一项条件',
    ({ filter, semaphoreCodes, alarmLevels: levels }) =>
      filter === undefined || hasCondition(filter) || semaphoreCodes !== undefined || levels !== undefined,
  ),
  rule(
    'compartment',
    '仓位只能与设备一起选择',
    ({ compartment, deviceCodes }) => compartment === undefined || deviceCodes !== undefined,
  ),
  rule(
    'ids',
    '所选告警不能再按信号或级别缩小',
    ({ ids, semaphoreCodes, alarmLevels: levels }) =>
      ids === undefined || (semaphoreCodes === undefined && levels === undefined),
  ),
  rule(
    'isOneShot',
    '只有搁置可以到本次告警结束为止',
    ({ kind, isOneShot }) => isOneShot === 0 || kind === 'shelve',
  ),
  rule(
    'startTime',
    '搁置立即开始，计划的时段请用维护窗口',
    ({ kind, startTime }) => kind === 'maintenance' || startTime === undefined,
  ),
  rule(
    'startTime',
    '请选择开始时间',
    ({ kind, startTime }) => kind !== 'maintenance' || startTime !== undefined,
  ),
  rule('endTime', '请选择结束时间', ({ kind, endTime }) => kind !== 'maintenance' || endTime !== undefined),
  rule('endTime', '时长与结束时间只能给出一项', ({ minutes, endTime }) => !minutes || !endTime),
  rule('minutes', '只有搁置有时长', ({ kind, minutes }) => minutes === undefined || kind === 'shelve'),
  rule(
    'endTime',
    '停用没有结束时间，恢复使用时请结束',
    ({ kind, endTime }) => kind !== 'outOfService' || endTime === undefined,
  ),
  rule(
    'deviceCodes',
    '停用须指明设备',
    ({ kind, deviceCodes }) => kind !== 'outOfService' || deviceCodes !== undefined,
  ),
  rule(
    'repeat',
    '只有维护窗口可以重复',
    ({ kind, repeat }) => repeat === undefined || kind === 'maintenance',
  ),
  rule(
    'timeZone',
    '只有维护窗口有时区',
    ({ kind, timeZone }) => timeZone === undefined || kind === 'maintenance',
  ),
] as const

/** One occurrence: moments of the server's zone, and the same by the clocks of the window's own zone. */
const Occurrence = z.object({
  startTime: timeOut,
  endTime: timeOut,
  localStartTime: z.string(),
  localEndTime: z.string(),
})
export type ShelfOccurrence = z.output<typeof Occurrence>

/**
 * When a window is, and why: from now on and for what is over, since figures of past days go by the times that it has. Whom
 * it is about stays; others are another window. By whoever made it, and, where it names its devices, by whoever may end it
 * and sees them all, whose window it is from then on.
 */
export const updateAlarmShelf = endpoint({
  ...changing,
  path: '/alarm/shelf/update',
  access: 'alarm:shelve:long',
  summary: '修改维护窗口',
  input: z.object({
    id: id('维护窗口'),
    version,
    startTime: dateTime('开始时间'),
    endTime: dateTime('结束时间'),
    repeat: form.repeat,
    timeZone: form.timeZone,
    reason: form.reason,
  }),
  done: '修改成功',
})

/** What a shelf would do, before it is made. */
export const previewAlarmShelf = endpoint({
  method: 'POST',
  path: '/alarm/shelf/preview',
  access: 'alarm:shelve',
  summary: '预览告警搁置',
  bodyLimitBytes: listBodyBytes,
  narrows: ['ids', 'deviceCodes', 'filter', 'semaphoreCodes', 'alarmLevels'],
  input: z.object({ ...form, reason: z.optional(text('原因', 200)) }).check(...rules),
  reply: one(
    z.object({
      /** Devices that it reaches now, of those that the caller sees. */
      deviceCount: z.number(),
      /** Active alarms that would be quiet, were it in force now. */
      alarmCount: z.number(),
      /** Of fire: a second person has to agree. */
      isOfFire: z.boolean(),
      /** Null: without end. */
      endTime: z.nullable(timeOut),
      /** The next three. */
      next: z.array(Occurrence),
    }),
  ),
})

/**
 * More than 24 hours, windows and 停用 need the function `alarm:shelve:long` too, alarms of fire
 * `alarm:shelve:critical` and a second person who holds it.
 */
export const insertAlarmShelf = endpoint({
  ...addingOrAsking,
  path: '/alarm/shelf/insert',
  access: 'alarm:shelve',
  summary: '搁置告警',
  bodyLimitBytes: listBodyBytes,
  narrows: ['ids', 'deviceCodes', 'filter', 'semaphoreCodes', 'alarmLevels'],
  input: z
    .object({
      ...form,
      /** Of a filter: the alarms that the user was shown. Where far more or fewer match now, nothing is made (409). */
      count: z.optional(integer('告警数', 0, 10_000_000)),
    })
    .check(...rules),
})

export const AlarmShelfRow = z.object({
  id: idOut,
  kind: z.enum(shelfKinds),
  state: z.enum(shelfStates),
  /** Of the named devices, some that the caller sees; null where it is a filter. */
  deviceCodes: z.nullable(z.array(z.string())),
  /** How many are named. */
  deviceCount: z.number(),
  /** Of a filter: `***` where the caller sees no such organization, or operator. */
  organizationName: z.nullable(seededOut),
  operatorName: z.nullable(seededOut),
  equipTypeName: z.nullable(seededOut),
  equipModelName: z.nullable(seededOut),
  regionName: z.nullable(seededOut),
  /** Names of the codes; null: all. */
  semaphoreNames: z.nullable(z.array(z.string())),
  alarmLevels: z.nullable(z.array(z.literal(alarmLevels))),
  compartment: z.nullable(z.number()),
  isOneShot: z.literal([0, 1]),
  isOfFire: z.boolean(),
  reason: z.string(),
  startTime: timeOut,
  /** Null: without end. */
  endTime: z.nullable(timeOut),
  /** Of a window. */
  timeZone: z.nullable(z.string()),
  repeat: z.nullable(z.string()),
  /** Of a window: its first occurrence, by the clocks of its zone. */
  localStartTime: z.nullable(z.string()),
  localEndTime: z.nullable(z.string()),
  /** The next three occurrences of a window, the one under way included. */
  next: z.array(Occurrence),
  createBy: z.string(),
  createTime: timeOut,
  approveBy: z.nullable(z.string()),
  endBy: z.nullable(z.string()),
  endedTime: z.nullable(timeOut),
  /** How many alarms it has kept quiet. */
  matchedCount: z.number(),
  lastMatchedTime: z.nullable(timeOut),
  /** It has met no alarm for a week: whoever may could end it. */
  isIdle: z.boolean(),
  /** One of its people may not decide any more: it keeps nothing quiet. */
  stopped: z.nullable(StoppedDecider),
  mayEnd: z.boolean(),
  /** A window that the caller may change. */
  mayChange: z.boolean(),
  version: z.number(),
})
export type AlarmShelfRow = z.output<typeof AlarmShelfRow>

/**
 * Those of the caller and of the caller's organizations, as far as the caller sees a device of it, the newest first. With
 * `alarmId` those that keep, or kept, this alarm quiet, whoever made them.
 */
export const listAlarmShelves = endpoint({
  method: ['POST', 'GET'],
  path: '/alarm/shelf/list',
  access: ['alarm:page', 'alarm:shelve'],
  summary: '告警搁置列表',
  bodyLimitBytes: listBodyBytes,
  input: z.object({
    ...paging,
    kind: z.optional(z.enum(shelfKinds, { error: `类型只能是 ${shelfKinds.join('、')}` })),
    states: z.optional(list(z.enum(shelfStates, { error: '状态无效' }), '状态', shelfStates.length)),
    /** 1: only those that are proposed for ending. */
    isIdle: z.optional(oneOf('建议结束', [0, 1])),
    code: z.optional(deviceCodes),
    alarmId: z.optional(id('告警')),
    ids: idsIn('搁置'),
  }),
  reply: page(AlarmShelfRow),
})

/** Early. What still lasts stands unacknowledged again. */
export const endAlarmShelf = endpoint({
  ...changing,
  path: '/alarm/shelf/end/:id',
  access: 'alarm:shelve',
  summary: '结束告警搁置',
  input: byId,
  done: '已结束',
})

/** All that are proposed for ending, of those that the caller may end; `count` is the number that the user was shown. */
export const endIdleShelves = endpoint({
  method: 'POST',
  path: '/alarm/shelf/endIdle',
  access: 'alarm:shelve',
  summary: '结束长期未遇到告警的搁置',
  input: z.object({ count: integer('数量', 1, 100_000) }),
  reply: one(z.object({ done: z.number() })),
  isWrite: true,
  done: '已结束',
})
