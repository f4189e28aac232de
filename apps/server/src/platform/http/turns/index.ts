export { createCallTurns, endTurns, observeTurns, shareTurns, turnOf } from './call-turns.ts'
export { CountedResponse, letGo, takeOneAtATime } from './one-at-a-time.ts'
export { tokenOf } from './token.ts'
