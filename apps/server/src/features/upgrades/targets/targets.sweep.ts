/**
 * Changes of many targets of a task without an event of each: commands taken back, silent devices, versions that no
 * notice told of, the end. A portion at a time, and commands before targets.
 */
import type { Trx } from '../../../platform/database/database.ts'
import type { Commands } from '../../../platform/devices/commands/commands.ts'
import type { TaskLimits } from './bytes.queries.ts'
import { move, verify } from './targets.moves.ts'
import {
  endTargets,
  listOpen,
  listUnanswered,
  listUnsent,
  lockUnsentBeyond,
  ofIds,
  ofTask,
  portion,
} from './targets.queries.ts'
import { reasons } from './targets.states.ts'

export interface Portion {
  targetIds: string[]
  /** Others are left for the next look. */
  hasMore: boolean
}

/** Takes back commands of a task that no device has been handed, a portion of them. */
export async function recallUnsent(
  trx: Trx,
  taskId: number,
  commands: Pick<Commands, 'cancel'>,
): Promise<Portion> {
  const unsent = await listUnsent(trx, taskId, portion)
  if (unsent.length === 0) return { targetIds: [], hasMore: false }
  const cancelled = new Set(
    await commands.cancel(
      trx,
      unsent.map(({ commandId }) => commandId),
    ),
  )
  const moved = await move(trx, ofIds(unsent.map(({ id }) => id)), ({ commandId, dueAtMs }) =>
    commandId !== null && cancelled.has(commandId) && dueAtMs === null ? [{ kind: 'recalled' }] : [],
  )
  return { targetIds: moved.map(({ id }) => id), hasMore: unsent.length === portion }
}

/**
 * Takes back the commands of a running task that no device has been handed, where somebody who decided does not reach the
 * device any more. Answers their targets.
 */
export async function takeBackBeyond(
  trx: Trx,
  taskId: number,
  limits: TaskLimits,
  commands: Pick<Commands, 'cancel'>,
): Promise<string[]> {
  const taken: string[] = []
  if (limits.ofBytes.length + limits.ofTasks.length === 0) return taken
  for (;;) {
    const unsent = await lockUnsentBeyond(trx, taskId, limits, portion)
    await commands.cancel(
      trx,
      unsent.map(({ commandId }) => commandId),
    )
    const notes = new Map(unsent.map(({ id, note }) => [id, note]))
    const moved = await move(trx, ofIds([...notes.keys()]), ({ id }) => {
      const reason = notes.get(id)
      return reason === undefined ? [] : [{ kind: 'outOfReach', reason }]
    })
    taken.push(...moved.map(({ id }) => id))
    if (unsent.length < portion) return taken
  }
}

/**
 * Finds changes without an event: versions whose notice was lost, and devices that have a command since before that and
 * do not answer. Answers the targets.
 */
export async function checkTargets(
  trx: Trx,
  taskId: number,
  stalledSince: Date,
  commands: Pick<Commands, 'cancel'>,
): Promise<string[]> {
  const nowMs = Date.now()
  const verified = await verify(trx, ofTask(taskId), commands)
  const unanswered = await listUnanswered(trx, taskId, stalledSince)
  const given = new Set(
    await commands.cancel(
      trx,
      unanswered.map(({ commandId }) => commandId),
    ),
  )
  const moved = await move(
    trx,
    ofIds(unanswered.filter(({ commandId }) => given.has(commandId)).map(({ id }) => id)),
    ({ commandId, state, dueAtMs }) =>
      state === 'sent' && dueAtMs === null && commandId !== null && given.has(commandId)
        ? [{ kind: 'unanswered', nowMs }]
        : [],
  )
  return [...verified, ...moved].map(({ id }) => id)
}

/**
 * Ends open targets of a task, a portion of them. A target that gets a command meanwhile is left: by the order of locks
 * the command has to be ended first.
 */
export async function endOpen(
  trx: Trx,
  taskId: number,
  how: 'cancelled' | 'ended',
  commands: Pick<Commands, 'cancel'>,
): Promise<{ hasMore: boolean }> {
  const open = await listOpen(trx, taskId, portion)
  if (open.length === 0) return { hasMore: false }
  await commands.cancel(
    trx,
    open.flatMap(({ commandId, isUnanswered }) => (commandId && isUnanswered ? [commandId] : [])),
  )
  const ended = await endTargets(
    trx,
    open,
    how === 'cancelled'
      ? { taskId, to: 'cancelled', reason: null, cause: '任务已取消' }
      : { taskId, to: 'timedOut', reason: reasons.ended, cause: reasons.ended },
  )
  return { hasMore: open.length === portion || ended < open.length }
}
