export { type GateAlarms, readGateAlarms } from './gate.queries.ts'
export { gateWindow, judgeAlarms } from './gate.rules.ts'
