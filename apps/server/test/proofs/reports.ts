// What is proved of reports by the tests that run over all nouns (noun-proofs.ts).
import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { equipId, operator, organization } from '../references.ts'

const places = [organization(), operator(), equipId]

export const proofs: NounProofs = {
  references: {
    readAlarmReport: places,
    exportAlarmReport: places,
    readAvailability: places,
    exportAvailability: places,
  },
  additions: {
    readAlarmReport: reasons.supervision,
    exportAlarmReport: reasons.sheet,
    readAvailability: reasons.supervision,
    exportAvailability: reasons.sheet,
  },
}
