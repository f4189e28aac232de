// The source of a task's plan: its packages with the limits of their people, and the devices that its users see.
import { describeStop, type StoppedDecider } from '@voltkeep/contract'
import { type DataScope, scopeOf } from '../../domain/access/data-scope.ts'
import { type Decider, type Standing, standingScope } from '../../domain/access/deciders.ts'
import { readHoldings } from '../../domain/access/holdings.ts'
import type { Db } from '../../platform/database/database.ts'
import { devicesChosen } from '../devices/index.ts'
import { limitsOf, standingOf } from '../firmware/index.ts'
import { readBytes, readBytesBehind, readBytesOfTask } from './bytes.queries.ts'
import type { Plan, RollbackPlan } from './targets.plan.queries.ts'
import type { LockedTask } from './tasks.queries.ts'

type Planned = Pick<LockedTask, 'packageIds' | 'equipTypeId' | 'devices'> &
  Partial<Pick<LockedTask, 'id' | 'rollbackOf' | 'rollbackStage'>>

/**
 * The plan of a task for somebody of that scope, limited to what the people of its packages reach. A task that exists
 * brings the bytes that it was made with, a form those of now.
 */
export async function planWithin(
  db: Db,
  scope: DataScope,
  { id, packageIds, equipTypeId, devices, rollbackOf, rollbackStage }: Planned,
): Promise<Plan> {
  if (rollbackOf)
    return planRollback(db, scope, { rollbackOf, stage: rollbackStage ?? null, taskId: id ?? null })
  const bytes = await (id === undefined ? readBytes(db, packageIds) : readBytesOfTask(db, id))
  // A choice has one file of each package.
  const limits = (await limitsOf(db, bytes)).map(({ supplied, packageIds: made, ...limit }) => ({
    ...limit,
    packageIds: [...made, ...supplied.map(({ packageId }) => packageId)],
    supplied: [],
  }))
  return { packageIds, equipTypeId, chosen: await devicesChosen(db, scope, devices), limits }
}

/** The plan of a rollback, likewise; `taskId`: of the rollback itself, once it is made. */
export async function planRollback(
  db: Db,
  scope: DataScope,
  rollback: { rollbackOf: number; stage: number | null; taskId: number | null },
): Promise<RollbackPlan> {
  return { ...rollback, scope, limits: await limitsOf(db, await readBytesBehind(db, rollback.rollbackOf)) }
}

/** The creator's scope today; null where the creator is gone. */
export async function scopeOfCreator(db: Db, createdBy: number): Promise<DataScope | null> {
  const creator = (await readHoldings(db, [createdBy])).get(createdBy)
  return creator ? scopeOf(db, creator) : null
}

type Decided = Pick<LockedTask, 'id' | 'type' | 'createdBy' | 'createdByName' | 'editedBy' | 'editedByName'>

/** The calls that make tasks of users. */
const makingCodes = ['upgrade:insert', 'upgrade:device', 'upgrade:control']

/** How far a task that is to start may reach, or who stops it. */
export async function standingOfTask(db: Db, task: Decided): Promise<Standing> {
  const { id, type, createdBy: userId, createdByName: name, editedBy, editedByName } = task
  if (type === 'AUTO') {
    const [bytes] = await readBytesOfTask(db, id)
    if (bytes) return standingOf(db, { ...bytes, switcher: { userId, name } })
  }
  const deciders: Decider[] = [{ userId, name, role: '创建人', functionCodes: makingCodes }]
  if (editedBy !== null && editedBy !== userId) {
    const editor = { userId: editedBy, name: editedByName ?? '', role: '修改人' }
    deciders.push({ ...editor, functionCodes: ['upgrade:update'] })
  }
  return standingScope(db, deciders)
}

/** Why tasks that are still planned will not be executed, by their ids, as things stand. */
export async function stopsAhead(
  db: Db,
  tasks: readonly (Decided & Pick<LockedTask, 'state'>)[],
): Promise<Map<number, string>> {
  const stops = new Map<number, string>()
  const known = new Map<string, StoppedDecider | null>()
  for (const task of tasks.filter(({ state }) => state === 'planned')) {
    const key = task.type === 'AUTO' ? `${task.id}` : `${task.createdBy} by ${task.editedBy}`
    const stopped = known.get(key) ?? (await standingOfTask(db, task)).stopped
    known.set(key, stopped)
    if (stopped) stops.set(task.id, `${describeStop(stopped)}，到时不会执行`)
  }
  return stops
}
