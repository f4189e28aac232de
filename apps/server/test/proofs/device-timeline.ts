import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { deviceId } from '../references.ts'

export const deviceTimeline: NounProofs = {
  references: {
    readDeviceTimeline: [deviceId],
  },
  additions: {
    readDeviceTimeline: reasons.deviceStory,
  },
}
