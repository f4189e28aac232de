/**
 * The way of a task from stage to stage: a pure decision by failures, soak and gate, of what a look has read. A stage is
 * left when nothing of it is under way and its soak is over; too many failures or new alarms stop it, and so does that
 * no device of it is verified: a stage nobody has learnt anything from says nothing for the next one.
 */
import { describeGate, type UpgradeRule } from '@voltkeep/contract'
import { gateWindow } from '../gate/index.ts'
import {
  failureNote,
  failuresOf,
  isExcessive,
  pauseByFailures,
  pauseByUnverified,
  unverifiedNote,
} from './failure-threshold.ts'
import type { FailureFigures, Pause } from './pause-reason.ts'
import { gateFiguresOf, pauseByAlarms } from './stage-gate.ts'
import { beginning, type StageChange, stageChange } from './stage-moves.ts'
import type { Stage, StageLook } from './stages.queries.ts'

export interface StagesLook {
  rule: UpgradeRule
  /** Number of the stage under way. */
  stage: number | null
  stages: readonly StageLook[]
  /** The gate looks at all stages that have begun; otherwise at one whose soak ends. */
  isGateDue: boolean
}

export interface StagesDecision {
  /** Number of the stage that is under way then. */
  stage: number | null
  /** In their order. */
  changes: readonly StageChange<StageLook>[]
  /** A stage was stopped: the task has to pause. */
  pause: Pause | null
  /** Every stage has passed. */
  isThrough: boolean
}

const hourMs = 3_600_000

/** Moves the present stage as far as it goes. */
export function decideStages(look: StagesLook, nowMs: number): StagesDecision {
  const { stages, isGateDue } = look
  const changes: StageChange<StageLook>[] = []
  const known = new Map(stages.map((stage) => [stage.number, stage]))
  const keep = (...more: readonly StageChange<StageLook>[]) => {
    changes.push(...more)
    for (const { after } of more) known.set(after.number, after)
  }
  let stage = look.stage
  const decided = (pause: Pause | null, isThrough = false) => ({ stage, changes, pause, isThrough })

  if (isGateDue) {
    const judged = judge(look, stages, nowMs)
    keep(...judged.changes)
    if (judged.pause) return decided(judged.pause)
  }
  for (;;) {
    const present = known.get(stage ?? 0)
    if (!present) return decided(null, true)
    const figures = tooManyFailures(look, present)
    if (figures) {
      keep(stageChange(present, 'stopped', nowMs, failureNote(figures), figures))
      return decided(pauseByFailures(present.number, figures, nowMs))
    }
    if (!isDone(present, nowMs)) return decided(null)
    if (present.state === 'soaking' && !isGateDue) {
      const judged = judge(look, [present], nowMs)
      keep(...judged.changes)
      if (judged.pause) return decided(judged.pause)
    }
    const next = known.get(present.number + 1)
    if (next && present.state !== 'passed' && isUnverified(present)) {
      const note = unverifiedNote(present)
      keep(stageChange(present, 'stopped', nowMs, note))
      return decided(pauseByUnverified(present.number, note, nowMs))
    }
    if (present.state === 'running' && present.soakMinutes > 0 && !isNothingVerified(present)) {
      keep(stageChange(present, 'executed', nowMs, `本批执行完毕，观察 ${present.soakMinutes} 分钟`))
      return decided(null)
    }
    const judgedStage = known.get(present.number) ?? present
    if (present.state !== 'passed') keep(stageChange(judgedStage, 'proven', nowMs, passedNote(judgedStage)))
    if (!next) return decided(null, true)
    keep(beginning(next, nowMs))
    stage = next.number
  }
}

/** The stages whose alarms a decision needs: none of those that a user has let go on. */
export function stagesToJudge<S extends Stage>(
  { rule, stage, stages, isGateDue }: Omit<StagesLook, 'stages'> & { stages: readonly S[] },
  nowMs: number,
): S[] {
  if (rule.skipGate || rule.alarmLevels.length === 0) return []
  return stages.filter((one) => {
    if (one.isGateWaived) return false
    if (isGateDue) return isWatched(one, nowMs)
    return one.number === stage && one.state === 'soaking' && isSoakOver(one, nowMs)
  })
}

/**
 * Whether a stage is checked for new alarms. A stage that has passed is, for a day: an image may take hours to show a
 * fault; later faults show in the following stages as well.
 */
function isWatched(stage: Stage, nowMs: number): boolean {
  if (stage.state !== 'passed') return isOpenStage(stage)
  return stage.endedAt !== null && nowMs - stage.endedAt.getTime() < gateWindow.mostHours * hourMs
}

/** Keeps the verdicts of the gate, and stops the first stage that does not pass. */
function judge(
  { rule }: StagesLook,
  stages: readonly StageLook[],
  nowMs: number,
): Pick<StagesDecision, 'changes' | 'pause'> {
  const changes: StageChange<StageLook>[] = []
  let pause: Pause | null = null
  for (const stage of stages) {
    if (!stage.alarms) continue
    const gate = gateFiguresOf(stage.alarms, rule.alarmLevels, new Date(nowMs))
    const judged = { ...stage, gate }
    if (gate.passes || pause) {
      changes.push({ after: judged, transition: null })
    } else {
      pause = pauseByAlarms(stage, gate)
      changes.push(stageChange(judged, 'stopped', nowMs, describeGate(gate), gate))
    }
  }
  return { changes, pause }
}

/** The figures that stop the stage; null where there is no reason to. */
function tooManyFailures({ rule, stages }: StagesLook, stage: StageLook): FailureFigures | null {
  if (stage.isGateWaived || !isOpenStage(stage)) return null
  const { counts, gone, underWay, number } = stage
  const figures = failuresOf(rule, { counts, gone, underWay, isLast: number === stages.length })
  return isExcessive(figures) ? figures : null
}

const isOpenStage = ({ state }: Stage) => state === 'running' || state === 'soaking'

const isSoakOver = ({ soakUntil }: Stage, nowMs: number) => soakUntil !== null && soakUntil.getTime() <= nowMs

/** Whether the stage can go on: it is executed, or its soak is over. */
function isDone(stage: StageLook, nowMs: number): boolean {
  switch (stage.state) {
    case 'pending':
    case 'failed':
      return false
    case 'passed':
      return true
    case 'soaking':
      return isSoakOver(stage, nowMs)
    case 'running':
      if (openIn(stage) === 0) return true
      return stage.counts.succeeded > 0 && stage.underWay === 0 && !stage.hasWaiting
  }
}

/** No device that is still there reports the new version. */
const isNothingVerified = ({ counts }: StageLook) => counts.succeeded === 0

/** The same of a stage that nobody has let go on. */
const isUnverified = (stage: StageLook) => !stage.isGateWaived && isNothingVerified(stage)

const passedNote = (stage: StageLook) =>
  isNothingVerified(stage) ? `本批结束，${unverifiedNote(stage)}` : '本批通过'

/** Targets of the stage that have no result yet. */
export const openIn = ({ counts }: Pick<StageLook, 'counts'>) =>
  counts.waiting + counts.sent + counts.downloading + counts.installing
