import { approvalStates } from '@voltkeep/contract'
import { expect, test } from 'vitest'
import { type ApprovalEvent, approvalAfter } from './approvals.states.ts'

const events: Record<ApprovalEvent, string> = {
  agreed: 'agreed',
  refused: 'refused',
  timePassed: 'expired',
  askerLost: 'void',
  dropped: 'void',
  withdrawn: 'withdrawn',
}

test('what waits ends by whatever happens first, and what has ended stays as it is', () => {
  for (const [event, ended] of Object.entries(events) as [ApprovalEvent, string][]) {
    expect(approvalAfter('waiting', event)).toBe(ended)
    for (const state of approvalStates.filter((one) => one !== 'waiting'))
      expect(approvalAfter(state, event)).toBeNull()
  }
})
