export { AddressNotAllowed, allowingPublicAnd, guardedLookup, type IsAllowed } from './address-guard.ts'
export { createOutgoing, type Outgoing, type OutgoingAnswer } from './outgoing.ts'
