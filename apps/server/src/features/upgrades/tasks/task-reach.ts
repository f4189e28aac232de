// Which tasks reach devices that a user does not see.
import { type DataScope, everything } from '../../../domain/access/data-scope.ts'
import { reachesChoiceOf } from '../../../domain/access/reaches.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { listUnknownCodes } from '../../devices/index.ts'
import { openTargetStates, reachesBeyond, refreshTally } from '../targets/index.ts'
import { scopeOfCreator, standingOfTask } from './task-plan.ts'
import type { Decided, LockedTask } from './tasks.queries.ts'
import { statusOf } from './tasks.states.ts'

/**
 * Counts the task's devices where they stand now, for the questions below before somebody acts on it: the tally keeps
 * where they stood when it was counted last.
 */
export async function recountFor(trx: Trx, scope: DataScope, taskId: number): Promise<void> {
  if (scope !== everything) await refreshTally(trx, taskId)
}

/** Whether the task has, or would have, devices that the scope does not cover. */
export async function isBeyondScope(
  db: Db,
  scope: DataScope,
  task: Pick<LockedTask, 'id' | 'state' | 'createdBy' | 'decidedIn'>,
): Promise<boolean> {
  if (task.state !== 'planned') return reachesBeyond(db, scope, task.id)
  // Not resolved yet: it will reach the devices that its creator sees.
  const ofCreator = await scopeOfCreator(db, task)
  return ofCreator !== null && !covers(scope, ofCreator)
}

/**
 * Whether the user, of that scope, does not reach all that the choice of a planned task may come to have. One by codes comes
 * to have no others where each of them names a device of the scope: it is resolved at its time, and by then another one may
 * be registered by a code, or have come into the creator's reach.
 */
export async function isBeyondChoice(
  db: Db,
  scope: DataScope,
  userId: number,
  { createdBy, decidedIn, devices }: Pick<LockedTask, 'createdBy' | 'decidedIn' | 'devices'>,
): Promise<boolean> {
  if (devices.codes && (await listUnknownCodes(db, scope, devices.codes)).length === 0) return false
  return !(await reachesChoiceOf(db, userId, { userId: createdBy, decidedIn }, devices.filters ?? {}))
}

/**
 * Whether the user, of that scope, may not pause, resume or cancel the task, because of devices that it still reaches:
 * those that have their result, or have left the reach of its own deciders, do not count. Of a planned one those count
 * that its choice may come to have.
 */
export async function isBeyondControl(
  db: Db,
  scope: DataScope,
  userId: number,
  task: Decided & Pick<LockedTask, 'devices'>,
): Promise<boolean> {
  const status = statusOf(task.state)
  if (status === 0 && (await isBeyondChoice(db, scope, userId, task))) return true
  if (status !== 1) return isBeyondScope(db, scope, task)
  const { scope: own } = await standingOfTask(db, task)
  return reachesBeyond(db, scope, task.id, { states: openTargetStates, own: own ?? everything })
}

/**
 * Whether somebody of that scope may not end the wait for a stage, because of devices that the task has or had: of those
 * that are watched some are beyond. Devices that have left the reach of its own deciders do not count.
 */
export async function isBeyondWatch(db: Db, scope: DataScope, task: Decided): Promise<boolean> {
  const { scope: own } = await standingOfTask(db, task)
  return reachesBeyond(db, scope, task.id, { own: own ?? everything })
}

/** Whether everything in the narrower scope is in the wider one. */
function covers(wide: DataScope, narrow: DataScope): boolean {
  const includes = (all: readonly number[] | null, some: readonly number[] | null) =>
    all === null || (some?.every((id) => all.includes(id)) ?? false)
  return (
    includes(wide.operatorIds, narrow.operatorIds) &&
    includes(wide.equipTypeIds, narrow.equipTypeIds) &&
    includes(wide.regionIds, narrow.regionIds)
  )
}
