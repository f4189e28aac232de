import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { deviceId } from '../references.ts'

export const proofs: NounProofs = {
  references: {
    readDeviceTimeline: [deviceId],
  },
  additions: {
    readDeviceTimeline: reasons.deviceStory,
  },
}
