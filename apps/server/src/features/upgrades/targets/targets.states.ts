/**
 * How one part of one device gets its version: a pure table (target, event) -> target.
 *
 *   waiting ─▶ sent ─▶ downloading ─▶ installing ─▶ succeeded      by a version report, from every open state
 *      ▲         │          │             │
 *      └─────────┴──────────┴─────────────┘  an attempt came to nothing, and others are left; else failed, timedOut
 *
 * `dueAtMs` says when the work queue looks at the target again: its first or next attempt while it waits, the end of
 * patience while the device is at work. Null leaves it to an event, or to the release of its stage. A device that has
 * accepted its command changes nothing: the command's row says so, and the check of the task finds those of which
 * nothing more was heard (target-sweep.ts).
 */
import type { UpgradeTargetState } from '@voltkeep/contract'

export interface Target {
  state: UpgradeTargetState
  /** Of the download or the installation; null where nothing was reported. */
  percent: number | null
  /** Attempts that came to nothing. */
  attempts: number
  dueAtMs: number | null
  reason: string | null
  /** When the device said that it was done. */
  claimedAtMs: number | null
  /** When it came into its state. */
  changedAtMs: number
  /** When the device itself has reported something of it last. */
  heardAtMs: number | null
}

const hourMs = 3_600_000
/**
 * How long a report that shows nothing new, of the same percentage or without one, renews the patience after the device
 * came into its state. A download by DDI or OCPP has no percentages at all: a slow line of 2 kB/s brings 40 MB in so long.
 */
export const longestStandstillMs = 6 * hourMs
/**
 * How long one that shows a higher percentage does. Downloading and installing make a day of one attempt: without an end, a
 * device that always goes on would hold its stage, and the automatic upgrades of the package for everybody.
 */
export const longestStateMs = 12 * hourMs

export interface TargetRule {
  /** How often it is tried. */
  attempts: number
  intervalMs: number
  /** A device at work that says nothing for so long has failed the attempt; what it says renews that within bounds. */
  stallMs: number
  /** A device that says that it is done reports its version within this time. */
  verifyMs: number
}

export type TargetEvent =
  /** It is due, or its timeout is over. For `waiting` the caller sends the command. */
  | {
      kind: 'due'
      nowMs: number
      /** What the device has reported since it said that it was done: a version that is not the wanted one. */
      still?: { reports: string; wanted: string } | null
    }
  /** It is due while its task is paused: it waits for the release. */
  | { kind: 'deferred' }
  /** Its stage begins, the task goes on, or the part before it has succeeded. */
  | { kind: 'released'; dueAtMs: number }
  /** Somebody who decided about it does not reach the device any more, which has not been handed its command. */
  | { kind: 'outOfReach'; reason: string }
  /** A pause has taken back its command before the device had it. */
  | { kind: 'recalled' }
  /** The device has accepted the newest command: after it was given up, it is at work after all. */
  | { kind: 'taken'; nowMs: number }
  /** The device refuses for good. */
  | { kind: 'refused'; reason: string }
  /** The command was sent, and nothing came back. */
  | { kind: 'unanswered'; nowMs: number }
  /** The command's deadline passed, and the device was never there. */
  | { kind: 'neverThere' }
  | { kind: 'progressed'; to: 'downloading' | 'installing'; percent: number | null; nowMs: number }
  /** The device says that it is done. The version report decides. */
  | { kind: 'claimed'; nowMs: number }
  | { kind: 'failed'; reason: string; nowMs: number }
  /** A version report shows all its parts on the version. */
  | { kind: 'verified' }
  /** The part before it did not succeed. */
  | { kind: 'predecessorFailed' }
  /** The task's end. */
  | { kind: 'ended' }
  | { kind: 'cancelled' }
  /** A user asks for another attempt; `dueAtMs` null where it waits for a release. */
  | { kind: 'retried'; dueAtMs: number | null }

export const reasons = {
  offline: '设备一直离线',
  unanswered: '设备未答复',
  stalled: '升级中断，设备无响应',
  standstill: '升级长时间没有进展',
  unverified: '设备未报告新版本',
  predecessor: '前一部件未成功',
  ended: '任务已到结束时间',
} as const

/** In these a target is open: its result may still change. */
export const openTargetStates = ['waiting', 'sent', 'downloading', 'installing'] as const
type OpenState = (typeof openTargetStates)[number]

export const isOpen = (state: UpgradeTargetState): state is OpenState =>
  (openTargetStates as readonly UpgradeTargetState[]).includes(state)

/** The target after the event; the very same object where the event changes nothing. */
export function targetAfter(target: Target, event: TargetEvent, rule: TargetRule): Target {
  const { state } = target
  switch (state) {
    case 'waiting':
    case 'sent':
    case 'downloading':
    case 'installing':
      return openAfter(target, state, event, rule)
    case 'failed':
    case 'refused':
    case 'timedOut':
      return event.kind === 'retried' ? fresh(target, event.dueAtMs) : target
    case 'skipped':
      // A target that was skipped for a reason of its own stays so: there is nothing to do for it.
      return event.kind === 'retried' && target.reason === reasons.predecessor
        ? fresh(target, event.dueAtMs)
        : target
    case 'succeeded':
    case 'cancelled':
      return target
    default:
      return state satisfies never
  }
}

function openAfter(target: Target, state: OpenState, event: TargetEvent, rule: TargetRule): Target {
  switch (event.kind) {
    case 'due':
      return afterDue(target, state, event, rule)
    case 'deferred':
      return state === 'waiting' && target.dueAtMs !== null ? { ...target, dueAtMs: null } : target
    case 'released':
      return state === 'waiting' ? { ...target, dueAtMs: event.dueAtMs } : target
    case 'recalled':
      return state === 'sent' ? { ...target, state: 'waiting', dueAtMs: null } : target
    case 'outOfReach':
      return state === 'waiting' || (state === 'sent' && target.dueAtMs === null)
        ? over(target, 'skipped', event.reason)
        : target
    case 'taken':
      return afterTaking(target, state, event.nowMs, rule)
    case 'refused':
      return state === 'sent' ? over(target, 'refused', event.reason) : target
    case 'unanswered':
      return state === 'sent' ? spent(target, 'failed', reasons.unanswered, event.nowMs, rule) : target
    case 'neverThere':
      return state === 'sent' ? over(target, 'timedOut', reasons.offline) : target
    case 'progressed':
      return afterProgress(target, state, event, rule)
    case 'claimed':
      return afterClaim(target, state, event.nowMs, rule)
    case 'failed':
      return state === 'waiting' ? target : spent(target, 'failed', event.reason, event.nowMs, rule)
    case 'verified':
      return { ...target, state: 'succeeded', dueAtMs: null, reason: null, percent: null }
    case 'predecessorFailed':
      return state === 'waiting' ? over(target, 'skipped', reasons.predecessor) : target
    case 'ended':
      return over(target, 'timedOut', target.reason ?? reasons.ended)
    case 'cancelled':
      return over(target, 'cancelled', null)
    case 'retried':
      return target
    default:
      return event satisfies never
  }
}

const stillReports = ({ reports, wanted }: { reports: string; wanted: string }) =>
  `设备仍报告 ${reports}，应为 ${wanted}`

function afterDue(
  target: Target,
  state: OpenState,
  { nowMs, still }: Extract<TargetEvent, { kind: 'due' }>,
  rule: TargetRule,
): Target {
  switch (state) {
    case 'waiting':
      return { ...target, state: 'sent', dueAtMs: null, percent: null, claimedAtMs: null }
    case 'sent':
      return spent(target, 'timedOut', reasons.stalled, nowMs, rule)
    case 'downloading':
      return spent(target, 'timedOut', whyOver(target, nowMs, rule), nowMs, rule)
    case 'installing':
      return target.claimedAtMs === null
        ? spent(target, 'timedOut', whyOver(target, nowMs, rule), nowMs, rule)
        : spent(target, 'failed', still ? stillReports(still) : reasons.unverified, nowMs, rule)
    default:
      return state satisfies never
  }
}

/** A device that was heard within its patience has not fallen silent: what it said renewed nothing any more. */
function whyOver({ changedAtMs, heardAtMs }: Target, nowMs: number, { stallMs }: TargetRule): string {
  const isHeard = heardAtMs !== null && nowMs - heardAtMs < stallMs
  return isHeard && nowMs - changedAtMs >= longestStandstillMs ? reasons.standstill : reasons.stalled
}

/** The device answers a command that was given up or taken back: it had the command after all. */
function afterTaking(target: Target, state: OpenState, nowMs: number, { stallMs }: TargetRule): Target {
  switch (state) {
    case 'waiting':
      return { ...target, state: 'sent', dueAtMs: nowMs + stallMs }
    case 'sent':
    case 'downloading':
    case 'installing':
      return target
    default:
      return state satisfies never
  }
}

/**
 * Forward only, within one attempt. A device whose attempt was given up because of its silence may report again before
 * the next attempt: then it is at work after all.
 */
function afterProgress(
  target: Target,
  state: OpenState,
  { to, percent, nowMs }: Extract<TargetEvent, { kind: 'progressed' }>,
  { stallMs }: TargetRule,
): Target {
  const changedAtMs = to === state ? target.changedAtMs : nowMs
  const moved: Target = {
    ...target,
    state: to,
    percent,
    changedAtMs,
    dueAtMs: to === state ? renewed(target, percent, nowMs + stallMs) : nowMs + stallMs,
  }
  switch (state) {
    case 'waiting':
      return target.attempts > 0 ? moved : target
    case 'sent':
      return moved
    case 'downloading':
      return to === 'installing' || isForward(target, percent) ? kept(moved, target) : target
    case 'installing':
      return to === 'installing' && target.claimedAtMs === null && isForward(target, percent)
        ? kept(moved, target)
        : target
    default:
      return state satisfies never
  }
}

const isForward = ({ percent: before }: Target, percent: number | null) =>
  before === null || percent === null || percent >= before

/** The end of patience after one more report of the same state. Never earlier: the last progress counts for as long. */
function renewed({ percent: before, changedAtMs, dueAtMs }: Target, percent: number | null, fullMs: number) {
  const isProgress = percent !== null && (before === null || percent > before)
  const latestMs = changedAtMs + (isProgress ? longestStateMs : longestStandstillMs)
  return Math.max(dueAtMs ?? 0, Math.min(fullMs, latestMs))
}

/** A report without a percentage keeps the one of an earlier report of the same state. */
const kept = (moved: Target, before: Target): Target =>
  moved.percent === null && moved.state === before.state ? { ...moved, percent: before.percent } : moved

function afterClaim(target: Target, state: OpenState, nowMs: number, { verifyMs }: TargetRule): Target {
  if (state === 'waiting' && target.attempts === 0) return target
  if (target.claimedAtMs !== null) return target
  return { ...target, state: 'installing', percent: 100, claimedAtMs: nowMs, dueAtMs: nowMs + verifyMs }
}

/** The attempt came to nothing: another one after the interval, or the end. */
function spent(
  target: Target,
  end: 'failed' | 'timedOut',
  reason: string,
  nowMs: number,
  rule: TargetRule,
): Target {
  const attempts = target.attempts + 1
  if (attempts >= rule.attempts) return { ...over(target, end, reason), attempts }
  return {
    ...target,
    state: 'waiting',
    attempts,
    reason,
    percent: null,
    claimedAtMs: null,
    dueAtMs: nowMs + rule.intervalMs,
  }
}

const over = (target: Target, state: UpgradeTargetState, reason: string | null): Target => ({
  ...target,
  state,
  reason,
  dueAtMs: null,
})

const fresh = (target: Target, dueAtMs: number | null): Target => ({
  ...target,
  state: 'waiting',
  percent: null,
  attempts: 0,
  dueAtMs,
  reason: null,
  claimedAtMs: null,
})
