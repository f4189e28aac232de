/**
 * What becomes of a task at a look: a pure decision of what the look has read, and of the time. `tasks.queue.ts` sweeps
 * and reads before it, and applies it.
 */
import { describeStop, formatDateTime, type StoppedDecider } from '@voltkeep/contract'
import type { DataScope } from '../../../domain/access/data-scope.ts'
import { decideStages, openIn, type Pause, type StageLook, type StagesDecision } from '../stages/index.ts'
import type { TargetsSwept } from '../targets/index.ts'
import type { LockedTask } from './tasks.queries.ts'

/** How often a task is checked thoroughly: the gate, silent devices, versions that no notice told of. */
const checkEveryMs = 60_000
/** The clocks of this process and of the database may differ by less. */
const earlyMs = 60_000
/** How often a task that waits for a second person is counted again, which takes seconds for a large fleet. */
const heldCheckMs = 300_000

/** What is brought into the rows before a look reads them. */
export interface Sweep {
  /** The next portion of targets of the present stage begins. */
  releases: boolean
  /** Commands that no device has been handed are taken back. */
  recalls: boolean
  /** Silent devices and versions are looked for, and the task's deciders are asked. */
  checks: boolean
}

export interface Look {
  task: LockedTask
  /** Null where nothing was to be swept: the task's own row decides. */
  swept: (Sweep & TargetsSwept) | null
  /** Who stops it, where its deciders were asked: at the start, and at each check of a running task. */
  stopped: StoppedDecider | null
  /** How far they reach, where it is to start. */
  scope: DataScope | null
  /** It is to start, and a second person has to agree first. */
  isHeld: boolean
  /** With their targets and alarms; none while portions are released, or where somebody stops the task. */
  stages: readonly StageLook[]
}

export type Decision =
  /** It is not its time yet. */
  | { kind: 'wait'; dueAt: Date }
  | { kind: 'start'; scope: DataScope }
  /** It waits for a second person. */
  | { kind: 'hold'; scope: DataScope; dueAt: Date }
  /** It is not executed: one of its people may decide no more, or nobody has agreed until its end. */
  | { kind: 'drop'; stopped: StoppedDecider | null; note: string }
  /** It is over, and its targets end. */
  | { kind: 'endTargets' }
  | { kind: 'end'; cause: string; stages: StagesDecision | null }
  | { kind: 'pause'; pause: Pause; stages: StagesDecision | null }
  /** It goes on, as far as its stages have come. */
  | { kind: 'goOn'; stages: StagesDecision | null; dueAt: Date }

/** By the task's own row; null where that decides. */
export function sweepOf(task: LockedTask, nowMs: number): Sweep | null {
  const { state, stage, releaseAt, checkedAt } = task
  if ((state !== 'running' && state !== 'paused') || isEnded(task, nowMs)) return null
  return {
    releases: state === 'running' && stage !== null && releaseAt !== null,
    recalls: state === 'paused',
    checks: checkedAt === null || nowMs - checkedAt.getTime() >= checkEveryMs,
  }
}

export function decide(look: Look, nowMs: number): Decision {
  const { task } = look
  switch (task.state) {
    case 'planned':
      return decidePlanned(look, nowMs)
    case 'running':
    case 'paused':
      if (isEnded(task, nowMs)) return { kind: 'end', cause: '任务已到结束时间', stages: null }
      return task.state === 'running' ? decideRunning(look, nowMs) : decidePaused(look, nowMs)
    case 'finished':
    case 'cancelled':
      return { kind: 'endTargets' }
    default:
      return task.state satisfies never
  }
}

/** Whether a planned task is to be executed; a row is looked at early after a clock was set back. */
export const isTimeToStart = ({ upgradeAt }: Pick<LockedTask, 'upgradeAt'>, nowMs: number) =>
  upgradeAt.getTime() - nowMs <= earlyMs

function decidePlanned({ task, stopped, scope, isHeld }: Look, nowMs: number): Decision {
  if (stopped) return { kind: 'drop', stopped, note: `${describeStop(stopped)}，任务未执行` }
  if (scope && isHeld) {
    if (isEnded(task, nowMs))
      return { kind: 'drop', stopped: null, note: '到结束时间仍无另一人同意，任务未执行' }
    const dueMs = Math.min(nowMs + heldCheckMs, task.endsAt?.getTime() ?? Infinity)
    return { kind: 'hold', scope, dueAt: new Date(dueMs) }
  }
  return scope ? { kind: 'start', scope } : { kind: 'wait', dueAt: task.upgradeAt }
}

function decideRunning({ task, swept, stopped, stages }: Look, nowMs: number): Decision {
  // Counting takes longer than a portion, and nothing is over before all targets have been released.
  if (task.releaseAt !== null) return { kind: 'goOn', stages: null, dueAt: new Date(nowMs) }
  if (stopped) return { kind: 'pause', pause: pauseByDecider(stopped, nowMs), stages: null }
  const { rule, stage } = task
  const decision = decideStages({ rule, stage, stages, isGateDue: swept?.checks ?? false }, nowMs)
  if (decision.pause) return { kind: 'pause', pause: decision.pause, stages: decision }
  if (decision.isThrough && stages.every((one) => openIn(one) === 0))
    return { kind: 'end', cause: '全部设备已有结果', stages: decision }
  const present = stageAfter(stages, decision)
  const soakUntil = present?.state === 'soaking' ? present.soakUntil : null
  const dueAt = swept?.hasMore ? new Date(nowMs) : nextCheck(task, nowMs, soakUntil)
  return { kind: 'goOn', stages: decision, dueAt }
}

/** It only takes back what no device has been handed; its stages wait. */
const decidePaused = ({ task, swept }: Look, nowMs: number): Decision => ({
  kind: 'goOn',
  stages: null,
  dueAt: swept?.hasMore ? new Date(nowMs) : nextCheck(task, nowMs),
})

/** A change hastens the next look; without one it is the next check, the soak's end or the task's end. */
export const nextCheck = (
  { endsAt }: Pick<LockedTask, 'endsAt'>,
  nowMs: number,
  soakUntil: Date | null = null,
): Date =>
  new Date(Math.min(nowMs + checkEveryMs, soakUntil?.getTime() ?? Infinity, endsAt?.getTime() ?? Infinity))

/** The stage that is under way after the decision, as it is then. */
function stageAfter(stages: readonly StageLook[], { stage, changes }: StagesDecision): StageLook | undefined {
  const changed = changes.findLast(({ after }) => after.number === stage)?.after
  return changed ?? stages.find(({ number }) => number === stage)
}

const isEnded = ({ endsAt }: Pick<LockedTask, 'endsAt'>, nowMs: number) =>
  endsAt !== null && endsAt.getTime() <= nowMs

const pauseByDecider = (stopped: StoppedDecider, nowMs: number): Pause => ({
  reason: 'decider',
  time: formatDateTime(new Date(nowMs)),
  note: `${describeStop(stopped)}，任务已暂停`,
  by: null,
  stage: null,
  failures: null,
  gate: null,
})
