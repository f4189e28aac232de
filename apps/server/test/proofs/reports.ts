// What is proved of reports by the tests that run over all nouns (noun-proofs.ts).
import { asItIs } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { equipId, operator, organization } from '../references.ts'

const byItsOwnTests =
  'has rows of devices with a past alone: availability.http.test.ts asks as users with narrower scopes'

const places = [organization(), operator(), equipId]

export const proofs: NounProofs = {
  references: {
    readAlarmReport: places,
    exportAlarmReport: places,
    // Devices without a counted day have no row; its own tests ask with narrower scopes.
    readAvailability: byItsOwnTests,
    exportAvailability: byItsOwnTests,
  },
  screens: [
    ['/maintenance/report', { 'the quality of alarms': asItIs }],
    ['/maintenance/report?tab=availability', { availability: asItIs }],
    ['/maintenance/report?startTime=2020-01-01&endTime=2020-01-02', { 'days without an alarm': asItIs }],
  ],
  additions: {
    readAlarmReport: reasons.supervision,
    exportAlarmReport: reasons.sheet,
    readAvailability: reasons.supervision,
    exportAvailability: reasons.sheet,
  },
}
