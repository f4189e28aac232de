// What is proved of readings by the tests that run over all nouns (noun-proofs.ts).
import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { deviceId } from '../references.ts'

export const proofs: NounProofs = {
  references: {
    listReadings: [deviceId],
    listCompartments: [deviceId],
  },
  additions: {
    listReadings: reasons.living,
    listCompartments: reasons.living,
  },
}
