// What is proved of readings by the tests that run over all nouns (noun-proofs.ts).
import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { deviceId, type Reference } from '../references.ts'

const deviceOfSeries: Reference = {
  ...deviceId,
  input: ({ deviceId: id }) => ({
    id,
    keys: ['compartments.1.soc'],
    startTime: '2026-11-01 00:00:00',
    endTime: '2026-11-02 00:00:00',
  }),
}

export const proofs: NounProofs = {
  references: {
    listReadings: [deviceId],
    listCompartments: [deviceId],
    readSeries: [deviceOfSeries],
    exportSeries: [deviceOfSeries],
  },
  additions: {
    listReadings: reasons.living,
    listCompartments: reasons.living,
    readSeries: reasons.living,
    exportSeries: reasons.living,
  },
}
