import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { ownOnly } from '../references.ts'

export const proofs: NounProofs = {
  references: {
    savePreference: ownOnly,
  },
  additions: {
    savePreference: reasons.ownChoice,
  },
}
