/**
 * How one cabinet gets, shows and loses one advertisement: a pure table (delivery, event) -> delivery.
 *
 *   waiting ─▶ sent ─▶ stored ⇄ shown        withdrawal, from any of them: ─▶ removing ─▶ removed
 *      ▲        │        │                                                  (removed at once where
 *      └─ failed ◀───────┘                                                   nothing can be there)
 *
 * `dueAtMs` says when the work queue looks at the delivery again; null leaves it to an event. A delivery whose
 * command is under way has none: the command's own deadline brings the next event.
 */
import type { DeliveryState } from '@voltkeep/contract'
import { isBeyondClock } from '../../platform/devices/ingest/reports.ts'
import { longestWaitMs, mostAttempts, waitAfter } from './advertisements.rules.ts'

/** Why an advertisement leaves a cabinet. Only a cabinet that left the scope can get the advertisement again. */
export type Withdrawal = 'deleted' | 'replaced' | 'leftScope' | 'over'

export interface Delivery {
  state: DeliveryState
  /** Attempts in a row that ended without the file, or without its removal. */
  attempts: number
  dueAtMs: number | null
  reason: string | null
  withdrawal: Withdrawal | null
  /** The command under way or the last one; null: the cabinet was never sent any. */
  commandId: string | null
  /** The time of the newest list in which the cabinet told of this advertisement; an earlier list is stale. */
  reportedAtMs: number | null
}

export type DeliveryEvent =
  /** The work queue took it: the caller sends the command that the next state asks for. */
  | { kind: 'due'; nowMs: number }
  | { kind: 'done' }
  | { kind: 'failed'; reason: string; nowMs: number; jitter: number }
  | { kind: 'refused'; reason: string }
  /** The command's deadline passed. `wasSent`: it reached the cabinet, which did not answer. */
  | { kind: 'expired'; wasSent: boolean; nowMs: number; jitter: number }
  /**
   * The cabinet listed all that it keeps. `kept` is null where this advertisement is not in the list. `clockLimitMs`:
   * the latest time that the cabinet's clock can show at present; null where the list is late, or may be.
   */
  | {
      kind: 'reported'
      kept: 'stored' | 'shown' | null
      reportedAtMs: number
      clockLimitMs: number | null
      /** The period is over, by our clock or by the cabinet's. */
      isOver: boolean
      nowMs: number
      jitter: number
    }
  | { kind: 'withdrawn'; why: Withdrawal; nowMs: number }
  /** The cabinet is in the scope again. */
  | { kind: 'returned'; nowMs: number }
  /** A user asks for another attempt. */
  | { kind: 'retried'; nowMs: number }
  /** The creator's decision does not stand at present, and no cabinet has been handed the command. */
  | { kind: 'held' }
  /** It stands again. */
  | { kind: 'resumed'; nowMs: number }
  /** Whoever asked for the attempt may not ask for it any more. */
  | { kind: 'unasked'; reason: string }

export const reasons = {
  noAnswer: '设备未答复',
  lost: '设备上的文件已丢失',
  kept: '设备仍保留该广告',
  offline: '设备一直离线',
  beyondAsker: '设备已不在重试人的数据范围内',
} as const

/** The delivery after the event; the very same object where the event changes nothing. */
export function afterEvent(delivery: Delivery, event: DeliveryEvent): Delivery {
  switch (event.kind) {
    case 'due':
      return afterDue(delivery)
    case 'done':
      return afterDone(delivery)
    case 'failed':
      return afterFailure(delivery, event.reason, event)
    case 'refused':
      return afterRefusal(delivery, event.reason)
    case 'expired':
      return afterExpiry(delivery, event)
    case 'reported':
      return afterReport(delivery, event)
    case 'withdrawn':
      return afterWithdrawal(delivery, event)
    case 'returned':
      return afterReturn(delivery, event.nowMs)
    case 'retried':
      return afterRetry(delivery, event.nowMs)
    case 'held':
      return isUnsent(delivery) ? { ...delivery, state: 'waiting', dueAtMs: null } : delivery
    case 'resumed':
      return isHeld(delivery) ? { ...delivery, dueAtMs: event.nowMs } : delivery
    case 'unasked':
      return isUnsent(delivery)
        ? { ...delivery, state: 'failed', reason: event.reason, dueAtMs: null }
        : delivery
  }
}

const isUnsent = ({ state }: Delivery) => state === 'waiting' || state === 'failed' || state === 'sent'
/** A delivery that waits is due at some time, unless it is held. */
const isHeld = ({ state, dueAtMs }: Delivery) => state === 'waiting' && dueAtMs === null

/** Which command the state asks for once the work queue has taken the delivery; null for none. */
export function commandFor(state: DeliveryState): 'advertise' | 'withdraw' | null {
  switch (state) {
    case 'sent':
      return 'advertise'
    case 'removing':
      return 'withdraw'
    case 'waiting':
    case 'stored':
    case 'shown':
    case 'failed':
    case 'refused':
    case 'removed':
    case 'ended':
      return null
  }
}

function afterDue(delivery: Delivery): Delivery {
  switch (delivery.state) {
    case 'waiting':
    case 'failed':
      return { ...delivery, state: 'sent', dueAtMs: null }
    case 'removing':
      return { ...delivery, dueAtMs: null }
    case 'sent':
    case 'stored':
    case 'shown':
    case 'refused':
    case 'removed':
    case 'ended':
      return delivery
  }
}

/** The attempts stay counted until the cabinet's own list confirms the file: an answer alone may be untrue. */
function afterDone(delivery: Delivery): Delivery {
  const { attempts } = delivery
  switch (delivery.state) {
    case 'waiting':
    case 'sent':
    case 'failed':
    case 'refused':
      return { ...fresh(delivery), attempts, state: 'stored' }
    case 'removing':
      return { ...fresh(delivery), attempts, state: 'removed' }
    case 'stored':
    case 'shown':
    case 'removed':
    case 'ended':
      return delivery
  }
}

function afterFailure(
  delivery: Delivery,
  reason: string,
  { nowMs, jitter }: { nowMs: number; jitter: number },
): Delivery {
  if (delivery.state !== 'sent' && delivery.state !== 'removing') return delivery
  const attempts = Math.min(mostAttempts, delivery.attempts + 1)
  const isRemoving = delivery.state === 'removing'
  // What is to leave a cabinet never waits for a user: nobody may be left who sees it.
  const waitMs = waitAfter(attempts, jitter) ?? (isRemoving ? longestWaitMs : null)
  return {
    ...delivery,
    state: isRemoving ? 'removing' : 'failed',
    attempts,
    reason,
    dueAtMs: waitMs === null ? null : nowMs + waitMs,
  }
}

function afterRefusal(delivery: Delivery, reason: string): Delivery {
  switch (delivery.state) {
    case 'sent':
      return { ...delivery, state: 'refused', reason, dueAtMs: null }
    // A cabinet that does not know the command keeps nothing that it could remove.
    case 'removing':
      return { ...delivery, state: 'removed', reason, dueAtMs: null }
    case 'waiting':
    case 'stored':
    case 'shown':
    case 'failed':
    case 'refused':
    case 'removed':
    case 'ended':
      return delivery
  }
}

/** A cabinet that was offline all the time has spent no attempt, and gets the command again at once. */
function afterExpiry(
  delivery: Delivery,
  event: { wasSent: boolean; nowMs: number; jitter: number },
): Delivery {
  if (event.wasSent) return afterFailure(delivery, reasons.noAnswer, event)
  switch (delivery.state) {
    case 'sent':
      return { ...delivery, state: 'waiting', reason: reasons.offline, dueAtMs: event.nowMs }
    case 'removing':
      return { ...delivery, reason: reasons.offline, dueAtMs: event.nowMs }
    case 'waiting':
    case 'stored':
    case 'shown':
    case 'failed':
    case 'refused':
    case 'removed':
    case 'ended':
      return delivery
  }
}

function afterReport(delivery: Delivery, event: Extract<DeliveryEvent, { kind: 'reported' }>): Delivery {
  const { kept, reportedAtMs, clockLimitMs, isOver, nowMs, jitter } = event
  const newestMs = delivery.reportedAtMs
  if (newestMs !== null && reportedAtMs < newestMs && !isBeyondClock(newestMs, clockLimitMs)) return delivery
  switch (delivery.state) {
    case 'waiting':
    case 'sent':
    case 'failed':
    case 'refused':
      return kept === null ? delivery : { ...fresh(delivery), state: kept, reportedAtMs }
    case 'stored':
    case 'shown':
      if (kept !== null) return { ...fresh(delivery), state: kept, reportedAtMs }
      // A cabinet removes the file by itself at the end.
      if (isOver) return { ...fresh(delivery), state: 'removed', withdrawal: 'over', reportedAtMs }
      return {
        ...afterFailure({ ...delivery, state: 'sent' }, reasons.lost, { nowMs, jitter }),
        reportedAtMs,
      }
    case 'removing':
      return kept === null && delivery.dueAtMs === null && delivery.attempts > 0
        ? { ...fresh(delivery), state: 'removed', reportedAtMs }
        : delivery
    case 'removed':
    case 'ended':
      if (kept === null) return { ...fresh(delivery), reportedAtMs }
      return {
        ...afterFailure({ ...delivery, state: 'removing' }, reasons.kept, { nowMs, jitter }),
        reportedAtMs,
      }
  }
}

function afterWithdrawal(delivery: Delivery, { why, nowMs }: { why: Withdrawal; nowMs: number }): Delivery {
  switch (delivery.state) {
    case 'waiting':
    case 'failed':
      // The cabinet may have the file though its answer was lost; at the end of the period it removes it by itself.
      if (why !== 'over' && delivery.commandId !== null)
        return { ...fresh(delivery), state: 'removing', dueAtMs: nowMs, withdrawal: why }
      return { ...delivery, state: why === 'over' ? 'ended' : 'removed', dueAtMs: null, withdrawal: why }
    case 'refused':
      return { ...delivery, state: why === 'over' ? 'ended' : 'removed', dueAtMs: null, withdrawal: why }
    case 'sent':
    case 'stored':
    case 'shown':
      return { ...fresh(delivery), state: 'removing', dueAtMs: nowMs, withdrawal: why }
    case 'removing':
    case 'removed':
    case 'ended':
      // What is deleted or replaced does not come back with the scope.
      return delivery.withdrawal === 'leftScope' ? { ...delivery, withdrawal: why } : delivery
  }
}

function afterReturn(delivery: Delivery, nowMs: number): Delivery {
  if (delivery.withdrawal !== 'leftScope') return delivery
  if (delivery.state !== 'removed' && delivery.state !== 'removing') return delivery
  return { ...fresh(delivery), state: 'waiting', dueAtMs: nowMs, withdrawal: null }
}

/** An attempt that was to come anyway is brought forward, and counted with those before it. */
function afterRetry(delivery: Delivery, nowMs: number): Delivery {
  switch (delivery.state) {
    case 'failed':
      if (delivery.dueAtMs !== null) return { ...delivery, state: 'waiting', dueAtMs: nowMs }
      return { ...fresh(delivery), state: 'waiting', dueAtMs: nowMs }
    case 'refused':
      return { ...fresh(delivery), state: 'waiting', dueAtMs: nowMs }
    case 'removing':
      return delivery.attempts > 0 ? { ...fresh(delivery), state: 'removing', dueAtMs: nowMs } : delivery
    case 'waiting':
    case 'sent':
    case 'stored':
    case 'shown':
    case 'removed':
    case 'ended':
      return delivery
  }
}

/** A success or a new beginning resets the delivery: no attempts counted, no reason, nothing due. */
const fresh = (delivery: Delivery): Delivery => ({ ...delivery, attempts: 0, reason: null, dueAtMs: null })
