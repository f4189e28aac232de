/**
 * User actions on tasks that have begun. Whoever pauses, resumes or cancels a task sees every device that it still
 * reaches; a retry reaches the devices that the caller sees.
 */
import { describeStop, formatDateTime, type ParsedInputFor, type retryUpgradeTask } from '@voltkeep/contract'
import { intersectScopes, scopeOf } from '../../../domain/access/data-scope.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import { Refusal, refuse } from '../../../platform/calls/refusal.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { idNumber } from '../../../platform/database/ids.ts'
import { recordOperation } from '../../../platform/database/operation-log.ts'
import type { Commands } from '../../../platform/devices/commands/commands.ts'
import { sharedNow, sharedNowMs } from '../../../platform/process/clocks/shared-clock.ts'
import { hasStopped, limitsOf, lockPackagesShared } from '../../firmware/index.ts'
import {
  listStages,
  releasePortion,
  type Stage,
  type StageEvent,
  stageChange,
  writeStages,
} from '../stages/index.ts'
import { lockActivation, readBytesOfTask, refreshTally, retryableWithin, targets } from '../targets/index.ts'
import { targetOf } from './task-lists.queries.ts'
import { closeTask, moveTask, pauseTask, wakeTasks } from './task-moves.ts'
import { scopeOfDeciders, standingOfTask, stopByApprover } from './task-plan.ts'
import { isBeyondControl, isBeyondWatch, recountFor } from './task-reach.ts'
import { type LockedTask, lockTask, noteLetOn, setDue, takeOver, writeTask } from './tasks.queries.ts'
import { taskAfter } from './tasks.states.ts'

export type UpgradeControl = ReturnType<typeof createUpgradeControl>

export interface ControlNeeds {
  db: Db
  commands: Pick<Commands, 'cancel'>
  /** Called after the commit. */
  tellTasks: (ids: readonly number[]) => void
  tellTargets: (ids: readonly string[] | null) => void
}

export function createUpgradeControl({ db, commands, tellTasks, tellTargets }: ControlNeeds) {
  /** One action on a task of which the caller sees every device that it still reaches. */
  const control = async (
    actor: Actor,
    id: string,
    act: (trx: Trx, task: LockedTask) => Promise<void>,
  ): Promise<void> => {
    const taskId = await db.transaction().execute(async (trx) => {
      const task = await lock(trx, actor, id)
      const scope = await scopeOf(trx, actor)
      await recountFor(trx, scope, task.id)
      if (await isBeyondControl(trx, scope, actor.userId, task)) refuse('upgradeReachesBeyond')
      await act(trx, task)
      await recordOperation(trx, actor, { target: await targetOf(trx, task) })
      return task.id
    })
    tellTasks([taskId])
    tellTargets(null)
  }

  return {
    /** Throws `upgradeNotRunning`. */
    pauseTask: (actor: Actor, id: string) =>
      control(actor, id, async (trx, task) => {
        if (taskAfter(task.state, 'paused') === null) refuse('upgradeNotRunning')
        const note = `${actor.loginName} 暂停了任务`
        const time = formatDateTime(sharedNow())
        const pause = {
          reason: 'user',
          time,
          note,
          by: actor.loginName,
          stage: null,
          failures: null,
          gate: null,
        } as const
        await pauseTask(trx, task, pause, commands)
      }),

    /**
     * Throws `upgradeNotPaused`. A stage that was stopped goes on, and is judged no more; what the gate says of later ones
     * is also the caller's. Where the decision of those who made the task stands no more, it goes on by that of the
     * caller; `upgradeWithoutApprover` where nobody else agreed.
     */
    resumeTask: (actor: Actor, id: string) =>
      control(actor, id, async (trx, task) => {
        if (taskAfter(task.state, 'resumed') === null) refuse('upgradeNotPaused')
        const state = await moveTask(trx, task, 'resumed', `${actor.loginName} 继续了任务`)
        await writeTask(trx, task.id, { state, pause: null })
        await takeOverStopped(trx, actor, task)
        const stages = await listStages(trx, task.id)
        const stopped = stages.find((stage) => stage.state === 'failed')
        if (stopped) {
          const cause = `${actor.loginName} 允许本批继续`
          await writeStages(trx, task.id, [stageChange(stopped, waiverOf(stopped), sharedNowMs(), cause)])
          await noteLetOn(trx, task.id, actor.userId)
        }
        await goOn(trx, { ...task, state })
      }),

    /**
     * Throws `upgradeNotRunning`, `upgradeNotSoaking` where no stage is being watched, and `upgradeReachesBeyond` also
     * where the caller does not see devices that have their result: they are what is watched, and the verdict on them
     * may have the package offered to others. The gate judges the stage at the next look, by what its devices have
     * raised so far: nothing is waived. Its verdict is from now on also the caller's.
     */
    endSoak: (actor: Actor, id: string) =>
      control(actor, id, async (trx, task) => {
        if (task.state !== 'running') refuse('upgradeNotRunning')
        const stage = (await listStages(trx, task.id)).find(({ number }) => number === task.stage)
        if (stage?.state !== 'soaking') refuse('upgradeNotSoaking')
        if (await isBeyondWatch(trx, await scopeOf(trx, actor), task)) refuse('upgradeReachesBeyond')
        const cause = `${actor.loginName} 提前结束观察`
        await writeStages(trx, task.id, [
          {
            after: { ...stage, soakUntil: sharedNow() },
            transition: { from: stage.state, to: stage.state, cause, detail: null },
          },
        ])
        await noteLetOn(trx, task.id, actor.userId)
        await setDue(trx, task.id, sharedNow())
        await wakeTasks(trx, 0)
      }),

    /** Throws `upgradeOver`. Open targets end as cancelled; a device that is installing goes on by itself. */
    cancelTask: (actor: Actor, id: string) =>
      control(actor, id, async (trx, task) => {
        if (taskAfter(task.state, 'cancelled') === null) refuse('upgradeOver')
        await closeTask(trx, task, 'cancelled', `${actor.loginName} 取消了任务`, commands)
      }),

    /**
     * Tries again the targets that did not succeed, as far as the caller and, where they are there, the task's creator and
     * who agreed to it see them. A finished task runs again. Those of the stage under way hold what waits for it:
     * where anything does, they are tried again by who sees all devices of the task, by others once it has passed. Those of a
     * last one are tried again by all, by others beside its soak. Throws
     * `upgradeOver` where the task was cancelled or its end is past, `upgradeReachesBeyond` where nothing else is left, and
     * `upgradeNothingToRetry`.
     */
    async retryTask(actor: Actor, { id, targetIds }: ParsedInputFor<typeof retryUpgradeTask>) {
      const { task, moved } = await db.transaction().execute(async (trx) => {
        const locked = await lock(trx, actor, id)
        const state = taskAfter(locked.state, 'retried')
        if (state === null || (locked.endsAt && locked.endsAt.getTime() <= sharedNowMs()))
          refuse('upgradeOver')
        const ofOthers = await stageOfOthers(trx, actor, locked)
        const exceptStage = ofOthers?.isWaitedFor ? ofOthers.number : null
        const retried = await retry(trx, actor, locked, targetIds ?? null, exceptStage)
        if (retried.length === 0 && exceptStage !== null)
          throw new Refusal(
            'upgradeReachesBeyond',
            null,
            '任务包含无权查看的设备，当前批次通过前不能重试其中的设备',
          )
        if (retried.length === 0) refuse('upgradeNothingToRetry')
        await moveTask(trx, locked, 'retried', `${actor.loginName} 重试 ${retried.length} 项`)
        await writeTask(trx, locked.id, { state })
        // Nothing of it is open but what the caller has asked for.
        if (locked.state === 'finished') await takeOverStopped(trx, actor, locked)
        if (ofOthers === null) await reopenStage(trx, locked, retried)
        await goOn(trx, { ...locked, state })
        await recordOperation(trx, actor, {
          target: await targetOf(trx, locked),
          changes: { after: { retried: retried.length } },
        })
        return { task: locked, moved: retried }
      })
      tellTasks([task.id])
      tellTargets(moved.map((target) => target.id))
      return { count: moved.length }
    },
  }
}

/** The event that puts a stopped stage back to where it was. */
function waiverOf({ endedAt, soakingAt }: Stage): StageEvent {
  if (endedAt) return 'waivedWhenPassed'
  return soakingAt ? 'waivedInSoak' : 'waived'
}

async function lock(trx: Trx, actor: Actor, id: string): Promise<LockedTask> {
  return (await lockTask(trx, actor, idNumber(id))) ?? refuse('upgradeTaskNotFound')
}

/**
 * The stage under way, where the caller does not see all devices of the task: what is tried again in it would have the others
 * wait, and be watched anew. `isWaitedFor`: stages come after it, or a stopped package is offered again once it has passed; its
 * soak waits for no attempt.
 */
async function stageOfOthers(
  trx: Trx,
  actor: Actor,
  task: LockedTask,
): Promise<{ number: number; isWaitedFor: boolean } | null> {
  if (task.state === 'finished') return null
  const stages = await listStages(trx, task.id)
  const stage = stages.find(({ number }) => number === task.stage)
  if (!stage || stage.state === 'passed') return null
  const scope = await scopeOf(trx, actor)
  await recountFor(trx, scope, task.id)
  if (!(await isBeyondWatch(trx, scope, task))) return null
  const isLast = stages.every(({ number }) => number <= stage.number)
  const isWaitedFor = !isLast || (stage.state === 'running' && (await hasStopped(trx, task.id)))
  return { number: stage.number, isWaitedFor }
}

/** Each device begins with the first of its parts that are tried again; a paused task lets none of them begin. */
async function retry(
  trx: Trx,
  actor: Actor,
  task: LockedTask,
  targetIds: readonly string[] | null,
  exceptStage: number | null,
) {
  // A package that is being deleted is deleted before this, or not at all.
  await lockPackagesShared(trx, task.packageIds)
  await lockActivation(trx)
  const begun = new Set<number>()
  const nowMs = sharedNowMs()
  const limits = await limitsOf(trx, await readBytesOfTask(trx, task.id))
  const own = await scopeOf(trx, actor)
  const scope = isTakenOver(task) ? own : intersectScopes([own, await scopeOfDeciders(trx, task)])
  return targets.move(
    trx,
    retryableWithin(scope, task.id, targetIds, limits, exceptStage),
    ({ deviceId }) => {
      const isFirst = !begun.has(deviceId)
      begun.add(deviceId)
      return { kind: 'retried', dueAtMs: isFirst && task.state !== 'paused' ? nowMs : null }
    },
    {
      async prepare(rows) {
        for (const row of rows) row.asker = { userId: actor.userId, name: actor.loginName }
      },
    },
  )
}

/** A finished task that somebody took over has nothing open of that user's: the next one takes it over anew. */
const isTakenOver = ({ state, takenOverBy }: LockedTask) => state === 'finished' && takenOverBy !== null

/**
 * Refuses `upgradeWithoutApprover` for a task to which a second person agreed, where that user is gone or is the caller:
 * it would go on by the decision of one alone.
 */
async function takeOverStopped(trx: Trx, actor: Actor, task: LockedTask): Promise<void> {
  const isFree = isTakenOver(task) || (await standingOfTask(trx, task)).stopped !== null
  if (!isFree) return
  const stopped = await stopByApprover(trx, task)
  if (stopped) throw new Refusal('upgradeWithoutApprover', null, `${describeStop(stopped)}，任务不能继续`)
  // A key and its maker are one person.
  const isApprover = task.approvedBy !== null && [actor.userId, actor.makerId].includes(task.approvedBy)
  if (isApprover) refuse('upgradeWithoutApprover')
  await takeOver(trx, task.id, { userId: actor.userId, name: actor.loginName })
}

/** A stage that is being watched has devices under way again; those of a stage that has passed run beside it. */
async function reopenStage(trx: Trx, task: LockedTask, retried: readonly { stage: number }[]): Promise<void> {
  const stage = (await listStages(trx, task.id)).find(({ number }) => number === task.stage)
  if (stage?.state === 'soaking' && retried.some((target) => target.stage === stage.number))
    await writeStages(trx, task.id, [stageChange(stage, 'reopened', sharedNowMs(), '重试后继续执行')])
}

/** Releases the targets of the stage, a portion now and the rest at later looks, unless the task is paused. */
async function goOn(trx: Trx, task: LockedTask): Promise<void> {
  if (task.stage !== null && task.state === 'running') {
    await releasePortion(trx, task, task.stage)
  }
  await refreshTally(trx, task.id)
  await setDue(trx, task.id, sharedNow())
  await wakeTasks(trx, 0)
}
