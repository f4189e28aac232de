import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'

export const proofs: NounProofs = {
  references: {
    readFeed: 'takes no id but a place; its own tests prove that it tells nothing foreign',
  },
  additions: {
    readFeed: reasons.otherSystems,
  },
}
