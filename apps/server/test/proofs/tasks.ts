import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'

export const proofs: NounProofs = {
  references: {
    listTasks: 'has the caller’s own alone: its own tests ask as others',
  },
  additions: {
    listTasks: reasons.ownTasks,
  },
}
