// The alarm gate of stages: figures from the alarm history and a verdict, in the form in which stage and pause keep
// them.
import { describeGate, formatDateTime, type UpgradeGateFigures } from '@voltkeep/contract'
import type { Trx } from '../../../platform/database/database.ts'
import { judgeAlarms, readGateAlarms } from '../gate/index.ts'
import type { Pause } from './stages.pause.ts'
import type { Stage, StagedTask } from './stages.queries.ts'

/** The verdicts on these stages now, by number; none for a stage that is waived or has no device to judge by. */
export async function lookAtGates(
  trx: Trx,
  { id, rule, ignoredAlarms }: Pick<StagedTask, 'id' | 'rule' | 'ignoredAlarms'>,
  stages: readonly Stage[],
  nowMs: number,
): Promise<Map<number, UpgradeGateFigures>> {
  const judged = stages.filter(({ isGateWaived }) => !isGateWaived)
  if (rule.skipGate || rule.alarmLevels.length === 0 || judged.length === 0) return new Map()
  const now = new Date(nowMs)
  const read = await readGateAlarms(trx, {
    taskId: id,
    stages: judged.map(({ number, soakMinutes }) => ({
      number,
      soakMinutes: soakMinutes > 0 ? soakMinutes : null,
    })),
    levels: rule.alarmLevels,
    ignoredAlarms,
    now,
  })
  return new Map(
    [...read].map(([number, { figures, alarms, devices }]) => [
      number,
      {
        ...judgeAlarms(figures),
        time: formatDateTime(now),
        alarmLevels: [...rule.alarmLevels],
        alarms,
        devices: devices.map(({ equipId, code }) => ({ equipId: String(equipId), code })),
      },
    ]),
  )
}

export const pauseByAlarms = ({ number }: Stage, gate: UpgradeGateFigures): Pause => ({
  reason: 'alarms',
  time: gate.time,
  note: `第 ${number} 批：${describeGate(gate)}`,
  by: null,
  stage: number,
  failures: null,
  gate,
})
