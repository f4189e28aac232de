import type { NounProofs } from '../noun-proofs.ts'

export const proofs: NounProofs = {
  references: {
    openLiveStream: 'takes no id; its own tests prove that it tells nothing foreign',
  },
}
