/**
 * The states of a batch: a pure table (state, event) -> state.
 *
 *   running ─▶ finished            stopped, finished ─▶ running   by a retry
 *    │  ▲ └──▶ stopping ─▶ stopped
 *    ▼  │         ▲
 *   paused ───────┘                after its trial, until it is continued
 */
import type { ParameterBatchState } from '@voltkeep/contract'

export type BatchEvent =
  /** Its trial is over, and other devices are held. */
  | 'trialEnded'
  /** A user, or a trial without failures and alarms, lets the devices that are held begin. */
  | 'continued'
  /** A user takes back commands that have not been sent. */
  | 'stopRequested'
  /** Every target has its result. */
  | 'completed'
  /** A user asks for another attempt for some targets. */
  | 'retried'

/** The state after the event; null where the event cannot happen to a batch in this state. */
export function batchAfter(state: ParameterBatchState, event: BatchEvent): ParameterBatchState | null {
  switch (state) {
    case 'running':
      return afterRunning(event)
    case 'paused':
      return afterPaused(event)
    case 'stopping':
      return event === 'completed' ? 'stopped' : null
    case 'stopped':
    case 'finished':
      return event === 'retried' ? 'running' : null
    default:
      return state satisfies never
  }
}

function afterRunning(event: BatchEvent): ParameterBatchState | null {
  switch (event) {
    case 'trialEnded':
      return 'paused'
    case 'stopRequested':
      return 'stopping'
    case 'completed':
      return 'finished'
    case 'retried':
      return 'running'
    case 'continued':
      return null
    default:
      return event satisfies never
  }
}

function afterPaused(event: BatchEvent): ParameterBatchState | null {
  switch (event) {
    case 'continued':
    // Devices of the trial are tried again, so it is not over.
    case 'retried':
      return 'running'
    case 'stopRequested':
      return 'stopping'
    case 'completed':
      return 'finished'
    case 'trialEnded':
      return null
    default:
      return event satisfies never
  }
}
