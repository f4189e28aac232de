export { createCallTurns, endTurns, observeTurns, shareTurns, turnOf } from './call-turns.ts'
export { CountedResponse, takeOneAtATime } from './one-at-a-time.ts'
export { tokenOf } from './token.ts'
