/**
 * The states of a batch: a pure table (state, event) -> state.
 *
 *   running ─▶ finished            stopped, finished ─▶ running   by a retry
 *      └────▶ stopping ─▶ stopped
 */
import type { ParameterBatchState } from '@voltkeep/contract'

export type BatchEvent =
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
      return event === 'stopRequested' ? 'stopping' : event === 'completed' ? 'finished' : 'running'
    case 'stopping':
      return event === 'completed' ? 'stopped' : null
    case 'stopped':
    case 'finished':
      return event === 'retried' ? 'running' : null
    default:
      return state satisfies never
  }
}
