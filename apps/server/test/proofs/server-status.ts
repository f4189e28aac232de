import { asItIs } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { shared } from '../references.ts'

export const proofs: NounProofs = {
  references: {
    readServerInfo: shared,
    listNodes: shared,
    listLogNames: shared,
    readLog: shared,
  },
  additions: {
    listNodes: reasons.supervision,
  },
  screens: [['/system/server', { 'the server': asItIs }]],
}
