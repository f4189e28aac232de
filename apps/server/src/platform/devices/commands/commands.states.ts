// The states of a command, as a pure table: (state, event) → what changes, or null for nothing. Whoever changes a row
// of device_command asks here, with the row locked. A final state never changes.
import type { CommandOutcome } from '@voltkeep/contract/topics/index'
import { type AttemptRule, hasAttemptLeft, nextAttempt } from '../../database/work/attempts.ts'

/**
 * - `waiting`: to be sent as soon as the device is reachable
 * - `sent`: handed to the device's connection; nothing has said yet that it arrived
 * - `delivered`: the device has acknowledged the message (PUBACK), and works on it
 * - `finished`: final, with one result
 */
export type CommandState = 'waiting' | 'sent' | 'delivered' | 'finished'

/** `answered`: done or failed, in the device's words. `expired`: the deadline passed without an answer. */
export type CommandResult = 'answered' | 'refused' | 'expired' | 'cancelled'

export type CommandEvent =
  | { name: 'sent' }
  | { name: 'delivered' }
  | { name: 'replied'; outcome: CommandOutcome; reason: string | null }
  /** No answer within the interval, although the device is reachable. */
  | { name: 'due' }
  /** No answer within the interval, and the device is not reachable. */
  | { name: 'deviceGone' }
  /** The device has a new connection: a message that the older one had not delivered is lost. */
  | { name: 'returned' }
  | { name: 'deadline' }
  | { name: 'cancel' }

/** What the table decides by. */
export interface CommandStanding {
  state: CommandState
  /** Attempts spent: an attempt that never reached the device is given back. */
  attempts: number
  rule: AttemptRule
  deadline: Date
  /** When it is looked at again; null where the state is final. */
  nextAt: Date | null
  /** Set where the state is final. */
  result: CommandResult | null
  /** An answer came after the end. */
  isLateAnswered: boolean
}

export type CommandChange =
  | {
      kind: 'moved'
      state: Exclude<CommandState, 'finished'>
      attempts: number
      /** When to look at it again. */
      nextAt: Date
    }
  | {
      kind: 'finished'
      result: CommandResult
      outcome: CommandOutcome | null
      reason: string | null
    }
  /** Answered after it had expired or was cancelled: the result stays, the answer is kept beside it. */
  | { kind: 'late'; outcome: CommandOutcome; reason: string | null }

export function step(command: CommandStanding, event: CommandEvent, now: Date): CommandChange | null {
  const { state } = command
  switch (state) {
    case 'waiting':
    case 'sent':
    case 'delivered':
      return stepOfOpen(command, state, event, now)
    case 'finished':
      return stepOfFinished(command, event)
    default:
      return state satisfies never
  }
}

function stepOfOpen(
  command: CommandStanding,
  state: Exclude<CommandState, 'finished'>,
  event: CommandEvent,
  now: Date,
): CommandChange | null {
  switch (event.name) {
    case 'sent':
      return state === 'waiting' && now < command.deadline ? sent(command, now) : null
    case 'delivered':
      return state === 'sent' ? delivered(command) : null
    case 'replied': {
      const { outcome, reason } = event
      return { kind: 'finished', result: outcome === 'refused' ? 'refused' : 'answered', outcome, reason }
    }
    case 'due':
      return state === 'waiting' ? awaitDeadline(command) : tryAgain(command, state)
    case 'deviceGone':
      if (state === 'waiting') return awaitDeadline(command)
      return state === 'sent' ? giveBack(command) : tryAgain(command, state)
    case 'returned':
      return state === 'sent' ? giveBack(command) : null
    case 'deadline':
      return { kind: 'finished', result: 'expired', outcome: null, reason: null }
    case 'cancel':
      return { kind: 'finished', result: 'cancelled', outcome: null, reason: null }
    default:
      return event satisfies never
  }
}

function stepOfFinished(
  { result, isLateAnswered }: CommandStanding,
  event: CommandEvent,
): CommandChange | null {
  switch (event.name) {
    case 'replied':
      // A repeated answer changes nothing; one to a command that ended without any is kept.
      return (result === 'expired' || result === 'cancelled') && !isLateAnswered
        ? { kind: 'late', outcome: event.outcome, reason: event.reason }
        : null
    case 'sent':
    case 'delivered':
    case 'due':
    case 'deviceGone':
    case 'returned':
    case 'deadline':
    case 'cancel':
      return null
    default:
      return event satisfies never
  }
}

function sent(command: CommandStanding, now: Date): CommandChange {
  const { deadline, rule } = command
  const attempts = command.attempts + 1
  const next = nextAttempt({ attempts, deadline }, rule, now)
  if (next.kind === 'over') return { kind: 'moved', state: 'sent', attempts, nextAt: deadline }
  // A time that is an interval away already stays: the row's indexes need not be written.
  const isKept = next.kind === 'again' && command.nextAt !== null && isIntervalAway(command.nextAt, rule, now)
  return { kind: 'moved', state: 'sent', attempts, nextAt: isKept ? (command.nextAt as Date) : next.at }
}

function isIntervalAway(at: Date, { intervalMs, jitter = 0 }: AttemptRule, now: Date): boolean {
  return Math.abs(at.getTime() - now.getTime() - intervalMs) <= jitter * intervalMs
}

/** Not reachable now: the process that gets the device's connection will send the command. */
function awaitDeadline({ attempts, nextAt, deadline }: CommandStanding): CommandChange | null {
  if (nextAt?.getTime() === deadline.getTime()) return null
  return { kind: 'moved', state: 'waiting', attempts, nextAt: deadline }
}

const delivered = ({ attempts, nextAt, deadline }: CommandStanding): CommandChange => ({
  kind: 'moved',
  state: 'delivered',
  attempts,
  nextAt: nextAt ?? deadline,
})

/** To be sent again if there is an attempt left; otherwise only an answer or the deadline will end it. */
function tryAgain(command: CommandStanding, state: 'sent' | 'delivered'): CommandChange {
  return {
    kind: 'moved',
    state: hasAttemptLeft(command, command.rule) ? 'waiting' : state,
    attempts: command.attempts,
    nextAt: command.deadline,
  }
}

/** It never reached the device: an offline device spends no attempt. */
function giveBack(command: CommandStanding): CommandChange {
  return {
    kind: 'moved',
    state: 'waiting',
    attempts: Math.max(0, command.attempts - 1),
    nextAt: command.deadline,
  }
}
