import type { RemoteAction, RemoteActionRow, RemoteActionState } from '@voltkeep/contract/actions'
import { actionTexts, confirmedWords } from './actions.texts.ts'

/** The result in words: what is known, and no more. */
export const stateWord = ({ action, state }: Pick<RemoteActionRow, 'action' | 'state'>): string =>
  state === 'confirmed' ? confirmedWords[action] : actionTexts.states[state]

/** How its mark looks: one of the states that `StateTag` knows. */
export const markOf = (state: RemoteActionState): string => {
  if (state === 'confirmed') return 'succeeded'
  if (state === 'acknowledged') return 'confirming'
  if (state === 'unconfirmed') return 'partly'
  return state
}

export const isActionOver = (state: RemoteActionState): boolean =>
  state !== 'sent' && state !== 'acknowledged'

/** 开门 · 3号仓 */
export const titleOf = (action: RemoteAction, compartment: number | null | undefined): string =>
  [
    actionTexts.actions[action],
    ...(compartment === null || compartment === undefined ? [] : [actionTexts.compartment(compartment)]),
  ].join(' · ')
