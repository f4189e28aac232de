import type { NounProofs } from '../noun-proofs.ts'

/** It has no calls and no page: its own tests prove what the receiver is told. */
export const proofs: NounProofs = {}
