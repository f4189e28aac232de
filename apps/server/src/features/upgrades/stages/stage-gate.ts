// The alarm gate of stages: a verdict on what their devices raised, in the form in which stage and pause keep it.
import { describeGate, formatDateTime, type UpgradeGateFigures } from '@voltkeep/contract'
import { type GateAlarms, judgeAlarms } from '../gate/index.ts'
import type { Pause } from './pause-reason.ts'

export const gateFiguresOf = (
  { figures, alarms, devices }: GateAlarms,
  alarmLevels: readonly number[],
  now: Date,
): UpgradeGateFigures => ({
  ...judgeAlarms(figures),
  time: formatDateTime(now),
  alarmLevels: [...alarmLevels],
  alarms,
  devices: devices.map(({ equipId, code }) => ({ equipId: String(equipId), code })),
})

export const pauseByAlarms = ({ number }: { number: number }, gate: UpgradeGateFigures): Pause => ({
  reason: 'alarms',
  time: gate.time,
  note: `第 ${number} 批：${describeGate(gate)}`,
  by: null,
  stage: number,
  failures: null,
  gate,
})
