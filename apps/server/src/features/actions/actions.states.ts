/**
 * What becomes of an action: a pure table (action, event) -> action.
 *
 *   sent ─▶ acknowledged ─▶ confirmed      a report shows it, before the answer or after
 *    │            └───────▶ unconfirmed    none did in time
 *    └────▶ failed, refused, expired, stopped
 *
 * What the device says of itself is believed and its answer is not: `confirmed` needs both. `dueAtMs` says when the work
 * queue looks at the action; null where it is over or waits for its answer, whose deadline is the command's.
 */
import { confirmationSeconds, type RemoteAction, type RemoteActionState } from '@voltkeep/contract'

export interface ActionState {
  state: RemoteActionState
  action: RemoteAction
  reason: string | null
  answeredAtMs: number | null
  /** When the report was made that shows the result. */
  shownAtMs: number | null
  dueAtMs: number | null
}

export type ActionEvent =
  /** The device has answered that it is done. */
  | { kind: 'answered'; nowMs: number }
  | { kind: 'failed'; reason: string; nowMs: number }
  | { kind: 'refused'; reason: string; nowMs: number }
  /** No answer by the command's deadline. */
  | { kind: 'expired' }
  /** A report that was made after the command shows the result. */
  | { kind: 'shown'; atMs: number }
  | { kind: 'due'; nowMs: number }
  /** Who asked for it may not any more. */
  | { kind: 'undecided'; reason: string }

export const reasons = {
  beyondAsker: '设备已不在操作人的数据范围内',
  beyondApprover: '设备已不在同意人的数据范围内',
  unansweredButShown: '设备未响应，但已上报操作后的状态',
} as const

export const isOver = ({ state }: Pick<ActionState, 'state'>) => state !== 'sent' && state !== 'acknowledged'

/** The action after the event; the very same object where the event changes nothing. */
export function actionAfter<Action extends ActionState>(action: Action, event: ActionEvent): Action {
  switch (action.state) {
    case 'sent':
      return sentAfter(action, event)
    case 'acknowledged':
      return acknowledgedAfter(action, event)
    default:
      return action
  }
}

function sentAfter<Action extends ActionState>(action: Action, event: ActionEvent): Action {
  switch (event.kind) {
    case 'answered': {
      const answered = { ...action, answeredAtMs: event.nowMs }
      if (action.shownAtMs !== null) return { ...answered, state: 'confirmed' }
      const dueAtMs = event.nowMs + confirmationSeconds[action.action] * 1_000
      return { ...answered, state: 'acknowledged', dueAtMs }
    }
    case 'failed':
    case 'refused':
      return { ...action, state: event.kind, reason: event.reason, answeredAtMs: event.nowMs }
    case 'expired':
      return {
        ...action,
        state: 'expired',
        reason: action.shownAtMs === null ? null : reasons.unansweredButShown,
      }
    case 'shown':
      // The answer may be on its way: the two come on topics of their own.
      return action.shownAtMs === null ? { ...action, shownAtMs: event.atMs } : action
    case 'undecided':
      return { ...action, state: 'stopped', reason: event.reason }
    case 'due':
      return action
  }
}

function acknowledgedAfter<Action extends ActionState>(action: Action, event: ActionEvent): Action {
  switch (event.kind) {
    case 'shown':
      return { ...action, state: 'confirmed', shownAtMs: event.atMs, dueAtMs: null }
    case 'due':
      if (action.dueAtMs !== null && event.nowMs < action.dueAtMs) return action
      return { ...action, state: 'unconfirmed', dueAtMs: null }
    case 'answered':
    case 'failed':
    case 'refused':
    case 'expired':
    case 'undecided':
      return action
  }
}
