/**
 * How one device gets the values of a batch: a pure table (target, event) -> target.
 *
 *   held ─▶ waiting ─▶ sent ─▶ confirming ─▶ succeeded     by a report of the parameters, from every open state
 *              ▲         │          │
 *              └─────────┴──────────┘  an attempt came to nothing, and others are left; else failed
 *
 * A target is held while its batch is on trial with other devices. `dueAtMs` says when the work queue looks at the target again: its next attempt while it waits, the end of patience
 * while it confirms. A target whose command is under way has none: an answer brings the next event, or the check of
 * its batch, which finds the silent ones.
 */
import type { AttemptResult, BatchDeviceState } from '@voltkeep/contract'

export interface Target {
  state: BatchDeviceState
  /** Attempts that came to nothing. */
  attempts: number
  dueAtMs: number | null
  reason: string | null
}

export interface TargetRule {
  /** How often it is tried. */
  attempts: number
  /** From one attempt to the next, and how long a device has to report the values. */
  intervalMs: number
  /** Stopped by a user: no further attempt. */
  isStopping: boolean
}

export type TargetEvent =
  /** The batch continues after its trial. */
  | { kind: 'released'; nowMs: number }
  /** Its time has come. For `waiting` the caller sends the command. `mismatch`: what it reports instead of the values. */
  | { kind: 'due'; nowMs: number; mismatch?: string | undefined }
  /** The device says that it has done it. Believed when it reports the values. */
  | { kind: 'claimed'; nowMs: number }
  /** The device will never do it. */
  | { kind: 'refused'; reason: string }
  /** The device tried and failed. */
  | { kind: 'failed'; reason: string; nowMs: number }
  /** The command was with the device for an interval, and nothing came back. */
  | { kind: 'unanswered'; nowMs: number }
  /** The batch ended, and the device was never there. */
  | { kind: 'neverThere' }
  /** The device reports the values. */
  | { kind: 'verified' }
  /** The batch's end. */
  | { kind: 'ended'; mismatch?: string | undefined }
  /** What has not been sent is taken back: by a user, or for another reason. */
  | { kind: 'stopped'; reason?: string }
  /** Whoever asked for the attempt may not ask for it any more, and the device has not been handed the command. */
  | { kind: 'unasked'; reason: string }
  /** A user asks for it once more. */
  | { kind: 'retried'; nowMs: number }

export const reasons = {
  offline: '设备一直离线',
  unanswered: '设备未答复',
  unconfirmed: '设备未上报新参数值',
  ended: '批次已到截止时间',
  stopped: '批次已停止',
  notContinued: '试行后未继续',
  notContinuedInTime: '试行后未继续，已到截止时间',
  beyondCreator: '设备已不在创建人的数据范围内',
  beyondApprover: '设备已不在同意人的数据范围内',
  beyondAsker: '设备已不在重试人的数据范围内',
  beyondContinuer: '设备已不在继续人的数据范围内',
} as const

/** In these a target is open, and has begun: something may still come of it. */
type OpenState = 'waiting' | 'sent' | 'confirming'

/** The target after the event; the very same object where the event changes nothing. */
export function targetAfter(target: Target, event: TargetEvent, rule: TargetRule): Target {
  const { state } = target
  switch (state) {
    case 'held':
      return heldAfter(target, event)
    case 'waiting':
    case 'sent':
    case 'confirming':
      return openAfter(target, state, event, rule)
    case 'failed':
    case 'refused':
    case 'expired':
      return event.kind === 'retried'
        ? { state: 'waiting', attempts: 0, dueAtMs: event.nowMs, reason: null }
        : target
    case 'succeeded':
    case 'skipped':
    case 'stopped':
      return target
    default:
      return state satisfies never
  }
}

/** Its batch may still end, or its device may have got the values in another way. */
function heldAfter(target: Target, event: TargetEvent): Target {
  switch (event.kind) {
    case 'released':
      return { ...target, state: 'waiting', dueAtMs: event.nowMs }
    case 'verified':
      return over(target, 'succeeded', null)
    case 'ended':
      return over(target, 'expired', reasons.ended)
    case 'stopped':
      return over(target, 'stopped', event.reason ?? reasons.notContinued)
    default:
      return target
  }
}

function openAfter(target: Target, state: OpenState, event: TargetEvent, rule: TargetRule): Target {
  switch (event.kind) {
    case 'due':
      return afterDue(target, state, event, rule)
    case 'claimed':
      return state === 'sent'
        ? { ...target, state: 'confirming', dueAtMs: event.nowMs + rule.intervalMs }
        : target
    case 'refused':
      return state === 'sent' ? over(target, 'refused', event.reason) : target
    case 'failed':
      return state === 'sent' ? spent(target, event.reason, event.nowMs + rule.intervalMs, rule) : target
    case 'unanswered':
      return state === 'sent' ? spent(target, reasons.unanswered, event.nowMs, rule) : target
    case 'neverThere':
      return state === 'sent' ? over(target, 'expired', reasons.offline) : target
    case 'verified':
      return over(target, 'succeeded', null)
    case 'ended':
      return over(target, 'expired', endReason(target, state, event.mismatch))
    case 'stopped':
      return state === 'confirming' ? target : over(target, 'stopped', event.reason ?? reasons.stopped)
    case 'unasked':
      return state === 'confirming' ? target : over(target, 'failed', event.reason)
    case 'retried':
    case 'released':
      return target
    default:
      return event satisfies never
  }
}

function endReason({ reason }: Target, state: OpenState, mismatch: string | undefined): string {
  switch (state) {
    case 'waiting':
      return reason ?? reasons.ended
    case 'sent':
      return reasons.unanswered
    case 'confirming':
      return mismatch ?? reasons.unconfirmed
    default:
      return state satisfies never
  }
}

function afterDue(
  target: Target,
  state: OpenState,
  { nowMs, mismatch }: Extract<TargetEvent, { kind: 'due' }>,
  rule: TargetRule,
): Target {
  switch (state) {
    case 'waiting':
      return { ...target, state: 'sent', dueAtMs: null }
    case 'sent':
      return target
    case 'confirming':
      return spent(target, mismatch ?? reasons.unconfirmed, nowMs, rule)
    default:
      return state satisfies never
  }
}

/** The attempt came to nothing: another one at that time, or the end. */
function spent(target: Target, reason: string, againAtMs: number, rule: TargetRule): Target {
  const attempts = target.attempts + 1
  if (attempts >= rule.attempts || rule.isStopping) return { ...over(target, 'failed', reason), attempts }
  return { state: 'waiting', attempts, reason, dueAtMs: againAtMs }
}

const over = (target: Target, state: BatchDeviceState, reason: string | null): Target => ({
  ...target,
  state,
  reason,
  dueAtMs: null,
})

/** What the log says beside the result; null where that says it all. */
export function attemptReasonAfter(before: Target, event: TargetEvent): string | null {
  if ('reason' in event) return event.reason ?? null
  if (attemptAfter(before, event) !== 'unconfirmed') return null
  return ('mismatch' in event && event.mismatch) || reasons.unconfirmed
}

/** What the log says of the attempt that was under way when the event ended it; null where none was. */
export function attemptAfter(before: Target, event: TargetEvent): Exclude<AttemptResult, 'underWay'> | null {
  if (before.state !== 'sent' && before.state !== 'confirming') return null
  switch (event.kind) {
    case 'due':
      return 'unconfirmed'
    case 'refused':
      return 'refused'
    case 'failed':
      return 'failed'
    case 'unanswered':
      return 'unanswered'
    case 'neverThere':
      return 'offline'
    case 'verified':
      return 'succeeded'
    case 'ended':
      return before.state === 'confirming' ? 'unconfirmed' : 'unanswered'
    case 'stopped':
    case 'unasked':
      return 'stopped'
    case 'claimed':
    case 'retried':
    case 'released':
      return null
    default:
      return event satisfies never
  }
}
