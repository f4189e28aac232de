import type { NounProofs } from '../noun-proofs.ts'

/** No calls: the command line and the clock. */
export const proofs: NounProofs = {}
