import { asItIs, openFirst } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { deviceCode } from '../references.ts'
import { ofDevices } from '../scope-models.ts'

export const proofs: NounProofs = {
  references: {
    listIntakeRefusals: [deviceCode],
  },
  scope: {
    listIntakeRefusals: { model: { ...ofDevices, isNarrowed: false } },
  },
  screens: [['/equipment/intake', { refusals: asItIs, 'one refusal': openFirst }]],
  additions: {
    listIntakeRefusals: reasons.security,
  },
}
