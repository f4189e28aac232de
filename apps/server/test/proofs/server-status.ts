import { asItIs } from '../../../../e2e/reach.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { shared } from '../references.ts'

export const proofs: NounProofs = {
  references: {
    readServerInfo: shared,
    listLogNames: shared,
    readLog: shared,
  },
  screens: [['/system/server', { 'the server': asItIs }]],
}
