// Every change of a task's state, in the transaction that has the task locked.
import type { UpgradeTaskState } from '@voltkeep/contract'
import type { Actor } from '../../../platform/calls/actor.ts'
import type { Trx } from '../../../platform/database/database.ts'
import { statementsOf } from '../../../platform/database/statements.ts'
import { wake } from '../../../platform/database/work/lease-queue.ts'
import type { Commands } from '../../../platform/devices/commands/commands.ts'
import { sharedNow, sharedNowMs } from '../../../platform/process/clocks/shared-clock.ts'
import type { Pause } from '../stages/index.ts'
import { endOpen, recallUnsent, refreshTally } from '../targets/index.ts'
import { recordTransitions } from '../transitions.queries.ts'
import {
  insertTask,
  type LockedTask,
  markChecked,
  type NewTask,
  setDue,
  type TaskValues,
  writeTask,
} from './tasks.queries.ts'
import { type TaskEvent, taskAfter } from './tasks.states.ts'

/** Records the change and answers the new state. Throws where the event cannot happen: the caller has checked that. */
export async function moveTask(
  trx: Trx,
  { id, state }: Pick<LockedTask, 'id' | 'state'>,
  event: TaskEvent,
  cause: string,
  detail: object | null = null,
): Promise<UpgradeTaskState> {
  const after = taskAfter(state, event)
  if (after === null) throw new Error(`task ${id}: no ${event} in ${state}`)
  await recordTransitions(trx, [
    { taskId: id, stage: null, targetId: null, from: state, to: after, cause, detail },
  ])
  return after
}

/** Nothing more begins; commands that no device has been handed are taken back. */
export async function pauseTask(
  trx: Trx,
  task: Pick<LockedTask, 'id' | 'state' | 'stage'>,
  pause: Pause,
  commands: Pick<Commands, 'cancel'>,
): Promise<void> {
  const { failures, gate } = pause
  const state = await moveTask(trx, task, 'paused', pause.note, { reason: pause.reason, failures, gate })
  await writeTask(trx, task.id, { state, stage: task.stage, pause })
  const { hasMore } = await recallUnsent(trx, task.id, commands)
  await refreshTally(trx, task.id)
  // Commands that were made in the same moment are taken back by the next look.
  const inMs = hasMore ? 0 : 1_000
  await setDue(trx, task.id, new Date(sharedNowMs() + inMs))
  await wakeTasks(trx, inMs)
}

/** While portions follow each other, the tally is counted again so often: counting takes longer than a portion. */
const tallyPauseMs = 2_000

/**
 * Ends a task. Its open targets are cancelled, or time out at the task's end: a portion now, the rest at later looks.
 */
export async function closeTask(
  trx: Trx,
  task: Pick<LockedTask, 'id' | 'state' | 'checkedAt'>,
  event: 'completed' | 'cancelled',
  cause: string,
  commands: Pick<Commands, 'cancel'>,
): Promise<void> {
  const state = await moveTask(trx, task, event, cause)
  await writeTask(trx, task.id, { state, pause: null })
  await endPortion(trx, { ...task, state }, commands)
}

/** Ends open targets of a task that is over, a portion of them, and has the task handled again while any is left. */
export async function endPortion(
  trx: Trx,
  { id, state, checkedAt }: Pick<LockedTask, 'id' | 'state' | 'checkedAt'>,
  commands: Pick<Commands, 'cancel'>,
): Promise<void> {
  const { hasMore } = await endOpen(trx, id, state === 'cancelled' ? 'cancelled' : 'ended', commands)
  if (!hasMore || checkedAt === null || sharedNowMs() - checkedAt.getTime() >= tallyPauseMs) {
    await refreshTally(trx, id)
    await markChecked(trx, id)
  }
  await setDue(trx, id, hasMore ? sharedNow() : null)
  if (hasMore) await wakeTasks(trx, 0)
}

/** Makes tasks due in so many ms. */
export async function wakeTasks(trx: Trx, inMs: number): Promise<void> {
  await statementsOf(trx).query(wake('upgrade_task', inMs))
}

/** Writes a task of the caller's own, due at its time. */
export async function insertOwn(
  trx: Trx,
  actor: Actor,
  task: TaskValues & Pick<NewTask, 'approvedBy' | 'rollbackOf' | 'rollbackStage'>,
): Promise<number> {
  const id = await insertTask(trx, {
    ...task,
    createdBy: actor.userId,
    createdByName: actor.loginName,
    organizationId: actor.organizationId,
  })
  await wakeTasks(trx, task.upgradeAt.getTime() - sharedNowMs())
  return id
}
