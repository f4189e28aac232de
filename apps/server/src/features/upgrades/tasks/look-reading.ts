// Everything that a look at a task decides by, read once, in the transaction that has the task locked.
import type { Trx } from '../../../platform/database/database.ts'
import { readGateAlarms } from '../gate/index.ts'
import { readStages, stagesToJudge } from '../stages/index.ts'
import { isTimeToStart, type Look } from './looks.rules.ts'
import type { StartConsent } from './start-consent.ts'
import { standingOfTask } from './task-plan.ts'

type Swept = Pick<Look, 'task' | 'swept' | 'stopped'>

export async function readLook(
  trx: Trx,
  swept: Swept,
  nowMs: number,
  consent: Pick<StartConsent, 'isNeeded'>,
): Promise<Look> {
  const { task, stopped } = swept
  const look = { ...swept, scope: null, isHeld: false, stages: [] }
  if (task.state === 'planned') {
    if (!isTimeToStart(task, nowMs)) return look
    const standing = await standingOfTask(trx, task)
    const isHeld = standing.scope !== null && (await consent.isNeeded(trx, task, standing.scope))
    return { ...look, ...standing, isHeld }
  }
  // Portions that are still to be released and a decider who stops the task decide by themselves.
  if (!swept.swept || task.state !== 'running' || task.releaseAt !== null || stopped) return look
  return { ...look, stages: await readStagesToJudge(trx, swept, nowMs) }
}

async function readStagesToJudge(trx: Trx, { task, swept }: Swept, nowMs: number): Promise<Look['stages']> {
  const stages = await readStages(trx, task.id)
  const isGateDue = swept?.checks ?? false
  const judged = stagesToJudge({ ...task, stages, isGateDue }, nowMs)
  if (judged.length === 0) return stages
  const alarms = await readGateAlarms(trx, {
    taskId: task.id,
    stages: judged.map(({ number, soakMinutes }) => ({
      number,
      soakMinutes: soakMinutes > 0 ? soakMinutes : null,
    })),
    levels: task.rule.alarmLevels,
    ignoredAlarms: task.ignoredAlarms,
    now: new Date(nowMs),
  })
  return stages.map((stage) => ({ ...stage, alarms: alarms.get(stage.number) ?? null }))
}
