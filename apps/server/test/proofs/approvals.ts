// What is proved of approvals by the tests that run over all nouns (noun-proofs.ts).
import { asItIs, inRow } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { ownOnly } from '../references.ts'

/** No object of another organization: its own tests ask as others. */
const ownTests = 'seen by who asked and who may decide alone, which its own tests ask as each of them'

export const proofs: NounProofs = {
  references: {
    listApprovals: ownTests,
    countApprovals: ownOnly,
    agreeApproval: ownTests,
    refuseApproval: ownTests,
    withdrawApproval: ownTests,
  },
  scope: {
    listApprovals: { model: 'its own tests list it in a narrower scope' },
  },
  versions: {
    agreeApproval: 'refused by the state of the approval',
    refuseApproval: 'refused by the state of the approval',
    withdrawApproval: 'refused by the state of the approval',
  },
  screens: [['/maintenance/approval', { approvals: asItIs }]],
  forms: {
    'the refusal of an approval': {
      of: 'approvals/RefuseDialog',
      path: '/maintenance/approval',
      open: inRow('拒绝'),
      problems: ['请输入拒绝原因'],
      sends: 'approval/refuse/*',
    },
  },
  additions: {
    listApprovals: reasons.controlled,
    countApprovals: reasons.controlled,
    agreeApproval: reasons.controlled,
    refuseApproval: reasons.controlled,
    withdrawApproval: reasons.controlled,
  },
}
