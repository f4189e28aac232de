// What people do about alarms: acknowledging, taking, assigning, releasing, noting and closing, of one and of many.
import * as z from 'zod/mini'
import { currentFilters } from './alarms.ts'
import { endpoint, listBodyBytes, one } from './endpoint.ts'
import { id, idOut, integer, limitedTo, rangeInOrder, saidOut, text, timeOut } from './fields.ts'
import { noEmptyCondition, unknownNarrowing } from './narrowing.ts'

/** The maximum number of alarms of a call with a filter. */
export const handledAtOnce = 50_000
/** The maximum number of alarms of a call with ids, and of the skipped ones that an answer names. */
export const handledByIds = 500

/** Dictionary type of the causes that an alarm is closed with. */
export const alarmCauseType = 'ALARM_CAUSE'

/** What users do; `carry` is done by nobody: the handling of a trouble that comes again goes on. */
export const handlingKinds = ['ack', 'unack', 'claim', 'assign', 'release', 'note', 'close', 'carry'] as const
export type HandlingKind = (typeof handlingKinds)[number]

/** What a user did, as its record says it. */
export const handlingKindNames: Record<HandlingKind, string> = {
  ack: '确认',
  unack: '取消确认',
  claim: '认领',
  assign: '指派',
  release: '释放',
  note: '备注',
  close: '关闭',
  carry: '沿用',
}

/** How many may match in place of a confirmed number: a tenth more or fewer, and five at least. */
export const mayDifferBy = (count: number) => Math.max(5, Math.ceil(count / 10))

/**
 * Which alarms: `ids`, or those that match `filter`, which is the current list's own (all active ones where it is empty),
 * with `count`, the number that the user was shown. With one id, `version` is the row's `handlingVersion`: where somebody
 * has done something since, the call is refused (`conflict`) with who it was, what and when.
 */
const chosen = {
  ids: limitedTo('告警', handledByIds),
  filter: z.optional(
    z
      .strictObject(currentFilters, { error: unknownNarrowing('筛选条件应为对象') })
      .check(rangeInOrder, noEmptyCondition),
  ),
  count: z.optional(integer('告警数', 1, handledAtOnce)),
  version: z.optional(integer('版本', 0, 2_147_483_647)),
}

interface Chosen {
  ids?: readonly string[] | undefined
  filter?: object | undefined
  count?: number | undefined
  version?: number | undefined
}

const isOneWay = z.refine<Chosen>(({ ids, filter }) => (ids === undefined) !== (filter === undefined), {
  error: '请选择告警，或给出筛选条件',
  path: ['ids'],
})
const isCounted = z.refine<Chosen>(({ filter, count }) => filter === undefined || count !== undefined, {
  error: '告警数应为整数',
  path: ['count'],
})
const isOfOne = z.refine<Chosen>(({ ids, version }) => version === undefined || ids?.length === 1, {
  error: '版本只用于一条告警',
  path: ['version'],
})

const note = z.optional(text('备注', 200))

const handling = {
  method: 'POST',
  bodyLimitBytes: listBodyBytes,
  narrows: ['ids', 'filter'],
  reply: one(
    z.object({
      done: z.number(),
      /** The first of those that were left as they are. */
      skipped: z.array(z.object({ id: idOut, reason: saidOut })),
      skippedCount: z.number(),
    }),
  ),
  isWrite: true,
} as const

/** Seen, while it lasts: nothing else changes, the alarm least of all. One that is over is done. */
export const ackAlarms = endpoint({
  ...handling,
  path: '/alarm/ack',
  access: 'alarm:ack',
  summary: '确认告警',
  input: z.object({ ...chosen, note }).check(isOneWay, isCounted, isOfOne),
})

/** Also of a closed one, which is open again. */
export const unackAlarms = endpoint({
  ...handling,
  path: '/alarm/unack',
  access: 'alarm:ack',
  summary: '取消确认告警',
  input: z.object({ ...chosen, note }).check(isOneWay, isCounted, isOfOne),
})

/** The caller has it. Whoever takes an alarm has seen it. */
export const claimAlarms = endpoint({
  ...handling,
  path: '/alarm/claim',
  access: 'alarm:ack',
  summary: '认领告警',
  input: z.object({ ...chosen, note }).check(isOneWay, isCounted, isOfOne),
})

/** Nobody has it any more; it stays acknowledged. Another's alarm needs the function `alarm:assign`. */
export const releaseAlarms = endpoint({
  ...handling,
  path: '/alarm/release',
  access: 'alarm:ack',
  summary: '释放告警',
  input: z.object({ ...chosen, note }).check(isOneWay, isCounted, isOfOne),
})

/** To a user who may see the device (`listAlarmAssignees`); also from one user to another. */
export const assignAlarms = endpoint({
  ...handling,
  path: '/alarm/assign',
  access: 'alarm:assign',
  summary: '指派告警',
  input: z
    .object({ ...chosen, userId: id('负责人', '请选择负责人'), note })
    .check(isOneWay, isCounted, isOfOne),
})

/**
 * Done, with its cause, a code of the dictionary's type ALARM_CAUSE. An alarm that lasts may be closed too; where it
 * still lasts when an acknowledgement would be forgotten, it stands unacknowledged again.
 */
export const closeAlarms = endpoint({
  ...handling,
  path: '/alarm/close',
  access: 'alarm:close',
  summary: '关闭告警',
  input: z
    .object({ ...chosen, cause: text('原因', 64, '请选择原因'), note })
    .check(isOneWay, isCounted, isOfOne),
})

/** A note alone. */
export const noteAlarm = endpoint({
  method: 'POST',
  path: '/alarm/note',
  access: 'alarm:ack',
  summary: '填写告警备注',
  input: z.object({ id: id('告警'), note: text('备注', 200) }),
  reply: one(z.object({ handlingVersion: z.number() })),
  isWrite: true,
})

const Side = z.object({
  handling: z.string(),
  assigneeName: z.nullable(z.string()),
  causeName: z.nullable(z.string()),
})

export const AlarmAction = z.object({
  time: timeOut,
  userName: z.string(),
  source: z.enum(['web', 'api', 'system']),
  kind: z.enum(handlingKinds),
  note: z.nullable(z.string()),
  before: Side,
  after: Side,
})
export type AlarmAction = z.output<typeof AlarmAction>

/** Everything that people did about one alarm, oldest first. */
export const readAlarmHandling = endpoint({
  method: 'GET',
  path: '/alarm/handling/:id',
  access: ['alarm:page', 'alarm:history'],
  summary: '告警处理记录',
  input: z.object({ id: id('告警') }),
  reply: one(z.array(AlarmAction)),
})

/** The users to whom all of these alarms may be assigned: those who may see their devices and the list of alarms. */
export const listAlarmAssignees = endpoint({
  method: ['POST', 'GET'],
  path: '/alarm/assignee/list',
  access: 'alarm:assign',
  summary: '可指派的用户',
  bodyLimitBytes: listBodyBytes,
  input: z.object({
    ids: chosen.ids,
    filter: chosen.filter,
    /** Part of the name. */
    userName: z.optional(text('姓名', 64)),
  }),
  reply: one(z.array(z.object({ id: idOut, userName: z.string() }))),
})
