// Every change of a task's state, in the transaction that has the task locked.
import type { UpgradeTaskState } from '@voltkeep/contract'
import type { Commands } from '../../platform/commands/commands.ts'
import type { Trx } from '../../platform/database/database.ts'
import { statementsOf } from '../../platform/database/statements.ts'
import { wake } from '../../platform/work/lease-queue.ts'
import { refreshTally } from './tally.queries.ts'
import { move } from './targets.moves.ts'
import { commandsUnderWay, endOpenTargets, listUnsent, ofIds, ofTask } from './targets.queries.ts'
import { reasons } from './targets.states.ts'
import { type LockedTask, setDue, writeTask } from './tasks.queries.ts'
import { recordTransitions } from './transitions.queries.ts'
import type { Pause } from './upgrades.pause.ts'
import { type TaskEvent, taskAfter } from './upgrades.states.ts'

/** Records the change and answers the new state. Throws where the event cannot happen: the caller has asked before. */
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

/** Nothing more begins; commands that no device has been handed come back. */
export async function pauseTask(
  trx: Trx,
  task: Pick<LockedTask, 'id' | 'state' | 'stage'>,
  pause: Pause,
  commands: Pick<Commands, 'cancel'>,
): Promise<void> {
  const { failures, gate } = pause
  const state = await moveTask(trx, task, 'paused', pause.note, { reason: pause.reason, failures, gate })
  await writeTask(trx, task.id, { state, stage: task.stage, pause })
  await recallUnsent(trx, task.id, commands)
  await refreshTally(trx, task.id)
  // Commands that were made in the same moment are taken back by the next look.
  await setDue(trx, task.id, new Date(Date.now() + 1_000))
  await wakeTasks(trx, 1_000)
}

/** Takes back the commands of a task that no device has been handed. Answers the targets. */
export async function recallUnsent(
  trx: Trx,
  taskId: number,
  commands: Pick<Commands, 'cancel'>,
): Promise<string[]> {
  const unsent = await listUnsent(trx, taskId)
  if (unsent.length === 0) return []
  const cancelled = new Set(
    await commands.cancel(
      trx,
      unsent.map(({ commandId }) => commandId),
    ),
  )
  const moved = await move(trx, ofIds(unsent.map(({ id }) => id)), ({ commandId, dueAtMs }) =>
    commandId !== null && cancelled.has(commandId) && dueAtMs === null ? [{ kind: 'recalled' }] : [],
  )
  return moved.map(({ id }) => id)
}

/** Ends a task: what is open of it is cancelled, or has timed out at the task's end. */
export async function closeTask(
  trx: Trx,
  task: Pick<LockedTask, 'id' | 'state'>,
  event: 'completed' | 'cancelled',
  cause: string,
  commands?: Pick<Commands, 'cancel'>,
): Promise<void> {
  if (commands) {
    await commands.cancel(trx, await commandsUnderWay(trx, ofTask(task.id)))
    await endOpenTargets(trx, {
      taskId: task.id,
      to: event === 'cancelled' ? 'cancelled' : 'timedOut',
      reason: event === 'cancelled' ? null : reasons.ended,
      cause,
    })
  }
  await refreshTally(trx, task.id)
  const state = await moveTask(trx, task, event, cause)
  await writeTask(trx, task.id, { state, pause: null })
}

/** Tasks come due in so many ms. */
export async function wakeTasks(trx: Trx, inMs: number): Promise<void> {
  await statementsOf(trx).query(wake('upgrade_task', inMs))
}
