// The alarm gate of a stage: what the alarm history says, judged, in the form in which stage and pause keep it.
import { describeGate, formatDateTime, type UpgradeGateFigures } from '@voltkeep/contract'
import type { Trx } from '../../platform/database/database.ts'
import { readGateAlarms } from './gate.queries.ts'
import type { Stage } from './stages.queries.ts'
import type { LockedTask } from './tasks.queries.ts'
import { judgeAlarms } from './upgrades.gate.ts'
import type { Pause } from './upgrades.pause.ts'

/** The verdict on a stage now; null while there is no device to judge by, and where the rule asks for no gate. */
export async function lookAtGate(
  trx: Trx,
  { id, rule }: Pick<LockedTask, 'id' | 'rule'>,
  { number, soakMinutes, isGateWaived }: Stage,
  nowMs: number,
): Promise<UpgradeGateFigures | null> {
  if (rule.skipGate || isGateWaived || rule.alarmLevels.length === 0) return null
  const now = new Date(nowMs)
  const stages = [{ number, soakMinutes: soakMinutes > 0 ? soakMinutes : null }]
  const read = await readGateAlarms(trx, { taskId: id, stages, levels: rule.alarmLevels, now })
  const found = read.get(number)
  if (!found) return null
  return {
    ...judgeAlarms(found.figures),
    time: formatDateTime(now),
    alarmLevels: [...rule.alarmLevels],
    alarms: found.alarms,
    devices: found.devices.map(({ equipId, code }) => ({ equipId: String(equipId), code })),
  }
}

export const pauseByAlarms = ({ number }: Stage, gate: UpgradeGateFigures): Pause => ({
  reason: 'alarms',
  time: gate.time,
  note: describeGate(gate),
  by: null,
  stage: number,
  failures: null,
  gate,
})
