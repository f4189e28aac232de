import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { deviceId } from '../references.ts'

export const proofs: NounProofs = {
  references: {
    readDeviceTimeline: [deviceId],
    exportDeviceTimeline: [deviceId],
  },
  additions: {
    readDeviceTimeline: reasons.deviceStory,
    exportDeviceTimeline: reasons.deviceStory,
  },
}
