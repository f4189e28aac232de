import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { shared } from '../references.ts'

export const proofs: NounProofs = {
  references: {
    readHealth: shared,
    readReadiness: shared,
  },
  additions: {
    readHealth: reasons.supervision,
    readReadiness: reasons.supervision,
  },
}
