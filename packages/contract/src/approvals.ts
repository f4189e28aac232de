// Deeds that a second person has to agree to: they wait, and do nothing until then.
import * as z from 'zod/mini'
import { changing } from './commonCalls.ts'
import { endpoint, one, page } from './endpoint.ts'
import { byId, id, idOut, idsIn, list, paging, saidOut, text, timeOut } from './fields.ts'
import type { LiveNoun } from './live.ts'

export const approvalKinds = ['action', 'parameterBatch', 'upgrade', 'automatic', 'alarmShelf'] as const
export type ApprovalKind = (typeof approvalKinds)[number]

/**
 * `waiting`: for a second person. `void`: who asked may not do it any more, or what it was about has changed.
 * `withdrawn`: taken back by who asked. `expired`: nobody decided in time.
 */
export const approvalStates = ['waiting', 'agreed', 'refused', 'expired', 'void', 'withdrawn'] as const
export type ApprovalState = (typeof approvalStates)[number]

/** Why a second person is needed. `fire`: an active fire alarm. `safety`: a safety parameter. `many`: many devices. */
export const approvalCauses = ['fire', 'safety', 'many'] as const
export type ApprovalCause = (typeof approvalCauses)[number]

/**
 * Days for which two accounts are one person where one has made the other, or given it a password or roles, itself or by
 * another such account; and where one user who is not SYSTEM has made both, or given both their passwords.
 */
export const setterDays = 30

/** How long a deed waits for a second person whose user waits in front of it, in minutes. */
export const approvalMinutes = 60

/** Functions of deeds that may need a second person. Whoever holds one sees what waits for it. */
const access = [
  'equip:open',
  'batchSet:insert',
  'batchSet:restore',
  'upgrade:insert',
  'upgrade:update',
  'upgrade:control',
  'upgrade:device',
  'firmware:insert',
  'firmware:update',
  'softwareVersion:insert',
  'softwareVersion:update',
  'alarm:shelve:critical',
] as const

export const ApprovalRow = z.object({
  id: idOut,
  kind: z.enum(approvalKinds),
  state: z.enum(approvalStates),
  /** What would be done, in words: 打开仓门 EC001 3号仓. */
  subject: saidOut,
  /** More of it, a line each: the battery, the place, the values, the reason. */
  details: z.array(z.object({ name: saidOut, value: z.string() })),
  causes: z.array(z.enum(approvalCauses)),
  /** The device of an action; null otherwise. */
  equipId: z.nullable(idOut),
  equipCode: z.nullable(z.string()),
  /** How many devices it would reach when it was asked for. */
  deviceCount: z.number(),
  createBy: z.string(),
  createTime: timeOut,
  /** When it ends if nobody decides. */
  expireTime: timeOut,
  decideBy: z.nullable(z.string()),
  decideTime: z.nullable(timeOut),
  /** What the second person wrote, or why it ended without one. */
  note: z.nullable(z.string()),
  /** What came of it: the id of the command, the batch or the task. */
  resultId: z.nullable(z.string()),
  /** Asked for by the caller. */
  isOwn: z.boolean(),
  /** The caller may agree or refuse now. */
  mayDecide: z.boolean(),
})
export type ApprovalRow = z.output<typeof ApprovalRow>

/** Those that the caller asked for, and those of whose function the caller holds; the newest first. */
export const listApprovals = endpoint({
  method: ['POST', 'GET'],
  path: '/approval/list',
  access,
  summary: '待我同意',
  input: z.object({
    ...paging,
    states: z.optional(list(z.enum(approvalStates, { error: '状态无效' }), '状态', approvalStates.length)),
    ids: idsIn('申请'),
  }),
  reply: page(ApprovalRow),
})

/** How many wait for the caller: the number on the badge. */
export const countApprovals = endpoint({
  method: 'GET',
  path: '/approval/count',
  access,
  summary: '待我同意的数量',
  input: z.object({}),
  reply: one(z.object({ count: z.number() })),
})

/** Does it, as who asked for it: rights and data scope of both are asked for now. */
export const agreeApproval = endpoint({
  method: 'POST',
  path: '/approval/agree/:id',
  access,
  summary: '同意他人的操作',
  input: z.object({ id: id('申请'), note: z.optional(text('说明', 200)) }),
  reply: one(z.object({ resultId: z.string() })),
  isWrite: true,
  done: '已同意',
})

export const refuseApproval = endpoint({
  ...changing,
  path: '/approval/refuse/:id',
  access,
  summary: '拒绝他人的操作',
  input: z.object({ id: id('申请'), note: text('拒绝原因', 200) }),
  done: '已拒绝',
})

/** Takes back what the caller asked for. */
export const withdrawApproval = endpoint({
  ...changing,
  path: '/approval/withdraw/:id',
  access,
  summary: '撤回申请',
  input: byId,
  done: '已撤回',
})

/** Something waits, or waits no more. It names no rows: who may decide is asked for at the list. */
export const liveApprovals = { noun: 'approval', access } as const satisfies LiveNoun
