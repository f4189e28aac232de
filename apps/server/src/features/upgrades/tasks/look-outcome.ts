// Writes what a look has decided, in the transaction that has the task locked.
import { type DataScope, everything } from '../../../domain/access/data-scope.ts'
import type { Trx } from '../../../platform/database/database.ts'
import type { Commands } from '../../../platform/devices/commands/commands.ts'
import { sharedNow, sharedNowMs } from '../../../platform/process/clocks/shared-clock.ts'
import { noteGate } from '../../firmware/index.ts'
import {
  beginning,
  firstRanks,
  insertStages,
  listStages,
  planStages,
  releasePortion,
  type StagesDecision,
  writeStages,
} from '../stages/index.ts'
import { countBeyond, insertTally, insertTargets, readCounts, resolvePlan, sumOf } from '../targets/index.ts'
import { type Decision, type Look, nextCheck } from './looks.rules.ts'
import type { StartConsent } from './start-consent.ts'
import { closeTask, endPortion, moveTask, pauseTask } from './task-moves.ts'
import { planWithin } from './task-plan.ts'
import { keepPlannedBytes, type LockedTask, setDue, writeTask } from './tasks.queries.ts'

/** What is told of a look after its commit. */
export interface Changed {
  task: boolean
  /** Null for any of them. */
  targets: readonly string[] | null
  /** What has come to wait for a second person, or waits no more. */
  approvalId?: string | null
}

const all: Changed = { task: true, targets: null }

export async function apply(
  trx: Trx,
  { task, swept }: Look,
  decision: Decision,
  commands: Pick<Commands, 'cancel'>,
  consent: Pick<StartConsent, 'hold' | 'isMore' | 'release'>,
): Promise<Changed> {
  const targets = swept?.targetIds ?? []
  switch (decision.kind) {
    case 'wait':
      await setDue(trx, task.id, decision.dueAt)
      return { task: false, targets }
    case 'start':
      if (!(await start(trx, task, decision.scope, commands, consent))) {
        await setDue(trx, task.id, sharedNow())
        return { task: false, targets }
      }
      return { ...all, approvalId: await consent.release(trx, task, '任务已开始，不再需要另一人同意') }
    case 'hold': {
      const approvalId = await consent.hold(trx, task, decision.scope)
      await setDue(trx, task.id, decision.dueAt)
      return { task: !task.isHeld || approvalId !== null, targets, approvalId }
    }
    case 'drop': {
      const { note, stopped } = decision
      const state = await moveTask(trx, task, 'cancelled', note, stopped)
      await writeTask(trx, task.id, { state, stopNote: note })
      return { ...all, approvalId: await consent.release(trx, task, note) }
    }
    case 'endTargets':
      await endPortion(trx, task, commands)
      return all
    case 'end':
      await writeWay(trx, task, decision.stages)
      await closeTask(trx, task, 'completed', decision.cause, commands)
      return decision.stages ? { task: true, targets } : all
    case 'pause': {
      const { stage } = await writeWay(trx, task, decision.stages)
      await pauseTask(trx, { ...task, stage }, decision.pause, commands)
      return all
    }
    case 'goOn': {
      const { stage, releaseAt } = await writeWay(trx, task, decision.stages)
      await setDue(trx, task.id, releaseAt === null ? decision.dueAt : sharedNow())
      const isChanged = stage !== task.stage || swept?.isRecounted === true
      return { task: isChanged || targets.length > 0, targets }
    }
    default:
      return decision satisfies never
  }
}

/** Writes how far the stages have come, and lets the devices of those that begin go. */
async function writeWay(
  trx: Trx,
  task: LockedTask,
  decision: StagesDecision | null,
): Promise<Pick<LockedTask, 'stage' | 'releaseAt'>> {
  if (!decision) return task
  const { stage, changes } = decision
  await writeStages(trx, task.id, changes)
  const verdict = verdictOf(decision)
  if (verdict !== null) await noteGate(trx, { taskId: task.id, passes: verdict, deciders: decidersOf(task) })
  if (stage === task.stage || stage === null) return task
  await writeTask(trx, task.id, { state: task.state, stage })
  return { stage, releaseAt: await releasePortion(trx, task, stage) }
}

/** By whose decision the task has brought its packages so far. */
function decidersOf({ createdBy, editedBy, takenOverBy, approvedBy, letOnBy }: LockedTask): number[] {
  const makers = takenOverBy === null ? [createdBy, editedBy] : [takenOverBy]
  return [...makers, approvedBy, ...letOnBy].filter((userId) => userId !== null)
}

/** What the alarm gate says of the task's packages; null where it has neither stopped a stage nor let one pass. */
function verdictOf({ pause, changes }: StagesDecision): boolean | null {
  if (pause?.reason === 'alarms') return false
  const isPassed = changes.some(
    ({ after, transition }) =>
      after.state === 'passed' &&
      transition !== null &&
      after.gate?.passes &&
      !after.isGateWaived &&
      // Figures of earlier: since then all that were verified may have been deleted.
      after.counts.succeeded > 0,
  )
  return isPassed ? true : null
}

/**
 * Writes the targets and begins the first stage. False, with nothing written, where the plan has come to have more devices
 * than were agreed to since they were counted: it may have waited for another task's plan.
 */
async function start(
  trx: Trx,
  task: LockedTask,
  scope: DataScope,
  commands: Pick<Commands, 'cancel'>,
  consent: Pick<StartConsent, 'isMore'>,
): Promise<boolean> {
  const nowMs = sharedNowMs()
  const devices = await resolvePlan(trx, task.id, await planWithin(trx, scope, task))
  if (await consent.isMore(task, async () => devices)) return false
  const { planned, beyond } = await writePlan(trx, task, devices)
  const sum = sumOf((await readCounts(trx, everything, [task.id])).get(task.id))
  const left = beyond.map(({ note, count }) => `，${count} 项${note}`).join('')
  const deciders = task.type === 'AUTO' ? `；${task.remark ?? ''}` : ''
  const cause = `任务开始：${devices} 台设备，跳过 ${sum.skipped} 项${left}${deciders}`
  await moveTask(trx, task, 'started', cause, { devices, skipped: sum.skipped })
  await writeTask(trx, task.id, {
    state: 'running',
    stage: planned.length > 0 ? 1 : null,
    targetCount: sum.total,
  })
  const [first] = await listStages(trx, task.id)
  if (first) {
    await writeStages(trx, task.id, [beginning(first, nowMs)])
    const releaseAt = await releasePortion(trx, task, first.number)
    await setDue(trx, task.id, releaseAt === null ? nextCheck(task, nowMs) : sharedNow())
  } else {
    await closeTask(trx, { ...task, state: 'running' }, 'completed', '没有设备需要升级', commands)
  }
  return true
}

async function writePlan(trx: Trx, task: LockedTask, devices: number) {
  if (task.rollbackOf !== null) await keepPlannedBytes(trx, task.id)
  const planned = planStages(devices, task.rule.stages)
  await insertStages(trx, task.id, planned)
  const firsts = planned.length > 0 ? firstRanks(planned) : [0]
  await insertTargets(trx, { taskId: task.id, firsts, pacePerMinute: task.rule.pacePerMinute })
  await insertTally(trx, task.id, firsts)
  return { planned, beyond: await countBeyond(trx) }
}
