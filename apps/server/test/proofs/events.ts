import { asItIs, openFirst } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { deviceCode, equipId, operator, organization, type Reference } from '../references.ts'
import { ofDevices } from '../scope-models.ts'

const eventId: Reference = { to: 'event', input: (named) => ({ id: named.eventId }), isOfDevice: true }

export const proofs: NounProofs = {
  references: {
    listEvents: [organization(), operator(), deviceCode, equipId],
    readEvent: [eventId],
    exportEvents: [organization(), operator(), deviceCode, equipId],
  },
  scope: {
    listEvents: { model: ofDevices },
  },
  screens: [['/maintenance/eventsearch', { events: asItIs, 'one event': openFirst }]],
  additions: {
    readEvent: reasons.oneRow,
    exportEvents: reasons.sheet,
  },
}
