/**
 * The states of a deed that needs a second person: a pure table (state, event) -> state.
 *
 *   waiting ─▶ agreed       by a second person: it is done in the same transaction
 *      ├────▶ refused       by a second person
 *      ├────▶ expired       nobody decided in time
 *      ├────▶ void          who asked may not do it any more, or what it was about is no more as it was
 *      └────▶ withdrawn     by who asked
 */
import type { ApprovalState } from '@voltkeep/contract'

export type ApprovalEvent = 'agreed' | 'refused' | 'timePassed' | 'askerLost' | 'dropped' | 'withdrawn'

const after: Readonly<Record<ApprovalEvent, ApprovalState>> = {
  agreed: 'agreed',
  refused: 'refused',
  timePassed: 'expired',
  askerLost: 'void',
  dropped: 'void',
  withdrawn: 'withdrawn',
}

/** The state after the event; null where the deed waits no more, so that nothing can happen to it. */
export const approvalAfter = (state: ApprovalState, event: ApprovalEvent): ApprovalState | null =>
  state === 'waiting' ? after[event] : null
