/**
 * Moves a task from stage to stage by its counts, its soak and the gate, in the transaction that has the task locked.
 */
import { describeGate, type UpgradeCounts } from '@voltkeep/contract'
import type { Trx } from '../../../platform/database/database.ts'
import { gateWindow } from '../gate/index.ts'
import { portion, wakeTargets } from '../targets/index.ts'
import { recordTransitions } from '../transitions.queries.ts'
import { failureNote, failuresOf, isExcessive, pauseByFailures } from './stages.failures.ts'
import { lookAtGates, pauseByAlarms } from './stages.gate.ts'
import type { FailureFigures, Pause } from './stages.pause.ts'
import {
  isAnyWaiting,
  releaseTargets,
  type Stage,
  type StagedTask,
  setReleaseAt,
  writeStage,
} from './stages.queries.ts'
import { type StageEvent, stageAfter } from './stages.states.ts'

/** The result of a look at the stages. */
export type StageOutcome =
  | { kind: 'underWay' }
  /** A stage was stopped: the task has to pause. */
  | { kind: 'stopped'; pause: Pause }
  /** Every stage has passed. */
  | { kind: 'passed' }

export interface StageLook {
  task: StagedTask
  stages: readonly Stage[]
  /** Of each stage, whole. */
  counts: ReadonlyMap<number, UpgradeCounts>
  /** Of each stage: targets without a result that have begun. */
  underWay: ReadonlyMap<number, number>
  nowMs: number
  /**
   * New alarms of all stages that have begun are due to be checked; at the end of a soak the stage's own are checked.
   */
  isGateDue: boolean
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Moves the present stage as far as it goes. Answers the number of the stage that is under way then. */
export async function advanceStages(
  trx: Trx,
  look: StageLook,
): Promise<{ stage: number | null; outcome: StageOutcome }> {
  const { task, stages, nowMs } = look
  let number = task.stage
  if (look.isGateDue) {
    const stopped = await judge(
      trx,
      look,
      stages.filter((stage) => isWatched(stage, nowMs)),
    )
    if (stopped) return { stage: number, outcome: stopped }
  }
  for (;;) {
    const stage = stages.find((one) => one.number === number)
    if (!stage) return { stage: number, outcome: { kind: 'passed' } }
    const figures = tooManyFailures(look, stage)
    if (figures) {
      await moveStage(trx, look, stage, 'stopped', failureNote(figures), figures)
      const stopped = pauseByFailures(stage.number, figures, nowMs)
      return { stage: number, outcome: { kind: 'stopped', pause: stopped } }
    }
    const isThere = await isThrough(trx, look, stage)
    if (isThere && stage.state === 'soaking' && !look.isGateDue) {
      const stopped = await judge(trx, look, [stage])
      if (stopped) return { stage: number, outcome: stopped }
    }
    if (!isThere) return { stage: number, outcome: { kind: 'underWay' } }
    if (stage.state === 'running' && stage.soakMinutes > 0) {
      await moveStage(trx, look, stage, 'executed', `本批执行完毕，观察 ${stage.soakMinutes} 分钟`)
      return { stage: number, outcome: { kind: 'underWay' } }
    }
    if (stage.state !== 'passed') await moveStage(trx, look, stage, 'proven', '本批通过')
    const next = stages.find((one) => one.number === stage.number + 1)
    if (!next) return { stage: number, outcome: { kind: 'passed' } }
    await beginStage(trx, look, next)
    number = next.number
  }
}

/** Lets the devices of a stage begin. */
export async function beginStage(
  trx: Trx,
  look: Pick<StageLook, 'task' | 'nowMs'>,
  stage: Stage,
): Promise<void> {
  await moveStage(trx, look, stage, 'begun', `第 ${stage.number} 批开始，共 ${stage.devices} 台`)
  await releasePortion(trx, look.task, stage.number)
}

/**
 * Releases a portion of the targets up to and including that stage. While some are left, the task has a `releaseAt`,
 * at which the next look releases the next portion. The task is changed in place.
 */
export async function releasePortion(trx: Trx, task: StagedTask, stage: number): Promise<void> {
  const { pacePerMinute } = task.rule
  const fromMs = Math.max(Date.now(), task.releaseAt?.getTime() ?? 0)
  const count = await releaseTargets(trx, {
    taskId: task.id,
    stage,
    fromAt: new Date(fromMs),
    pacePerMinute,
    limit: portion,
  })
  task.releaseAt = count === portion ? new Date(fromMs + (count * minuteMs) / pacePerMinute) : null
  await setReleaseAt(trx, task.id, task.releaseAt)
  // Also where none was released: targets of the first stage are written as due.
  await wakeTargets(trx, Math.max(0, fromMs - Date.now()))
}

/** The figures that stop the stage; null where there is no reason to. */
function tooManyFailures({ task, stages, counts, underWay }: StageLook, stage: Stage): FailureFigures | null {
  if (stage.isGateWaived || !isOpenStage(stage)) return null
  const figures = failuresOf(task.rule, {
    counts: counts.get(stage.number),
    underWay: underWay.get(stage.number) ?? 0,
    isLast: stage.number === stages.length,
  })
  return isExcessive(figures) ? figures : null
}

/**
 * Whether a stage is checked for new alarms. A stage that has passed is, for a day: an image may take hours to show a
 * fault; later faults show in the following stages as well.
 */
function isWatched(stage: Stage, nowMs: number): boolean {
  if (stage.state !== 'passed') return isOpenStage(stage)
  return stage.endedAt !== null && nowMs - stage.endedAt.getTime() < gateWindow.mostHours * hourMs
}

/** Asks the gate about stages, and stops the first that does not pass. */
async function judge(trx: Trx, look: StageLook, stages: readonly Stage[]): Promise<StageOutcome | null> {
  const { task, nowMs } = look
  const gates = await lookAtGates(trx, task, stages, nowMs)
  let stopped: Pause | null = null
  for (const stage of stages) {
    const gate = gates.get(stage.number)
    if (!gate) continue
    stage.gate = gate
    if (gate.passes || stopped) {
      await writeStage(trx, task.id, stage)
    } else {
      stopped = pauseByAlarms(stage, gate)
      await moveStage(trx, look, stage, 'stopped', describeGate(gate), gate)
    }
  }
  return stopped && { kind: 'stopped', pause: stopped }
}

const isOpenStage = ({ state }: Stage) => state === 'running' || state === 'soaking'

/** Whether the stage can go on: it is executed, or its soak is over. */
async function isThrough(
  trx: Trx,
  { task, counts, underWay, nowMs }: StageLook,
  stage: Stage,
): Promise<boolean> {
  switch (stage.state) {
    case 'pending':
    case 'failed':
      return false
    case 'passed':
      return true
    case 'soaking':
      return stage.soakUntil !== null && stage.soakUntil.getTime() <= nowMs
    case 'running': {
      const own = counts.get(stage.number)
      if (!own) return true
      if (own.waiting + own.sent + own.downloading + own.installing === 0) return true
      if (own.succeeded === 0 || (underWay.get(stage.number) ?? 0) > 0) return false
      return !(await isAnyWaiting(trx, task.id, stage.number))
    }
  }
}

/** Writes a stage's new state and its cause. `stage` is changed in place, since the look goes on with it. */
export async function moveStage(
  trx: Trx,
  { task, nowMs }: Pick<StageLook, 'task' | 'nowMs'>,
  stage: Stage,
  event: StageEvent,
  cause: string,
  detail: object | null = null,
): Promise<void> {
  const from = stage.state
  const to = stageAfter(from, event)
  if (to === null) throw new Error(`stage ${stage.number} of task ${task.id}: no ${event} in ${from}`)
  const now = new Date(nowMs)
  stage.state = to
  switch (event) {
    case 'begun':
      stage.startedAt = now
      break
    case 'executed':
      stage.soakingAt = now
      stage.soakUntil = new Date(nowMs + stage.soakMinutes * minuteMs)
      break
    case 'proven':
      stage.endedAt = now
      break
    case 'waived':
    case 'waivedInSoak':
    case 'waivedWhenPassed':
      stage.isGateWaived = true
      break
    case 'reopened':
      stage.soakingAt = null
      stage.soakUntil = null
      break
    case 'stopped':
      break
  }
  await writeStage(trx, task.id, stage)
  await recordTransitions(trx, [
    { taskId: task.id, stage: stage.number, targetId: null, from, to, cause, detail },
  ])
}
