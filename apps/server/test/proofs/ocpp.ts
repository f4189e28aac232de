// What is proved of OCPP by the tests that run over all nouns (noun-proofs.ts): no call of it is the contract's.
import type { NounProofs } from '../noun-proofs.ts'

export const proofs: NounProofs = {}
