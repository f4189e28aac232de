// The source of a task's plan: its packages with the limits of their people, and the devices that its users see.
import {
  describeStop,
  insertUpgradeTask,
  resumeUpgradeTask,
  retryUpgradeTask,
  rollBackUpgradeTask,
  type StoppedDecider,
  type UpgradeType,
  updateUpgradeTask,
  upgradeDevices,
  upgradeDevicesByBoard,
} from '@voltkeep/contract'
import { type DataScope, everything, intersectScopes, nothing } from '../../../domain/access/data-scope.ts'
import {
  approverOf,
  type Decider,
  type Standing,
  scopeWithin,
  standingScope,
} from '../../../domain/access/deciders.ts'
import { readHoldings } from '../../../domain/access/holdings.ts'
import { standInsOf } from '../../../domain/access/reaches.ts'
import type { Asker } from '../../../domain/device-work/work.queries.ts'
import type { Db } from '../../../platform/database/database.ts'
import { devicesChosen } from '../../devices/index.ts'
import { automaticApprover, type Bytes, limitsOf, standingOf } from '../../firmware/index.ts'
import {
  type ChoicePlan,
  type Decisions,
  type MovingTarget,
  type Plan,
  type RollbackPlan,
  readBytes,
  readBytesBehind,
  readBytesOfTask,
  readBytesOfTasks,
  type TaskLimits,
} from '../targets/index.ts'
import { type Decided, type LockedTask, listDeciding } from './tasks.queries.ts'

type Planned = Pick<LockedTask, 'packageIds' | 'equipTypeId' | 'devices'> &
  Partial<Pick<LockedTask, 'id' | 'rollbackOf' | 'rollbackStage'>>

/**
 * The plan of a task for somebody of that scope, limited to what the people of its packages reach. A task that exists
 * brings the bytes that it was made with, a form those of now.
 */
export async function planWithin(db: Db, scope: DataScope, planned: Planned): Promise<Plan> {
  const { id, rollbackOf, rollbackStage } = planned
  if (rollbackOf)
    return planRollback(db, scope, { rollbackOf, stage: rollbackStage ?? null, taskId: id ?? null })
  return planChoice(db, scope, planned)
}

/** The plan of a task that is no rollback, likewise. */
export async function planChoice(
  db: Db,
  scope: DataScope,
  { id, packageIds, equipTypeId, devices }: Pick<Planned, 'id' | 'packageIds' | 'equipTypeId' | 'devices'>,
): Promise<ChoicePlan> {
  const bytes = await (id === undefined ? readBytes(db, packageIds) : readBytesOfTask(db, id))
  // A choice has one file of each package.
  const limits = (await limitsOf(db, bytes)).map(({ supplied, packageIds: made, ...limit }) => ({
    ...limit,
    packageIds: [...made, ...supplied.map(({ packageId }) => packageId)],
    supplied: [],
  }))
  const isAll = devices.isAll === 1
  return { packageIds, equipTypeId, chosen: await devicesChosen(db, scope, devices), isAll, limits }
}

/** The plan of a rollback, likewise; `taskId`: of the rollback itself, once it is made. */
export async function planRollback(
  db: Db,
  scope: DataScope,
  rollback: { rollbackOf: number; stage: number | null; taskId: number | null },
): Promise<RollbackPlan> {
  return { ...rollback, scope, limits: await limitsOf(db, await readBytesBehind(db, rollback.rollbackOf)) }
}

/** The scope today of those who decide about a retry beside its caller, as far as they are there. */
export async function scopeOfDeciders(
  db: Db,
  { createdBy, takenOverBy, decidedIn, approvedBy, approvedIn }: Decided,
): Promise<DataScope> {
  const maker = takenOverBy === null ? { createdBy, decidedIn } : { createdBy: takenOverBy, decidedIn: null }
  const scopes = [
    await scopeOfCreator(db, maker),
    approvedBy === null ? null : await scopeOfCreator(db, { createdBy: approvedBy, decidedIn: approvedIn }),
  ]
  return intersectScopes(scopes.filter((scope) => scope !== null))
}

/** The creator's scope today, of what belongs to the organization of the decision; null where the creator is gone. */
export async function scopeOfCreator(
  db: Db,
  { createdBy, decidedIn }: Pick<Decided, 'createdBy' | 'decidedIn'>,
): Promise<DataScope | null> {
  const creator = (await readHoldings(db, [createdBy])).get(createdBy)
  return creator ? scopeWithin(db, creator, decidedIn) : null
}

/** The functions by which users make tasks. */
const makingCodes: Readonly<Record<Exclude<UpgradeType, 'AUTO'>, readonly string[]>> = {
  SCHEDULE: [insertUpgradeTask.access],
  SINGLE: [upgradeDevices.access, upgradeDevicesByBoard.access],
  ROLLBACK: [rollBackUpgradeTask.access],
}

const editingCodes = [updateUpgradeTask.access]

/** Who agreed to the task's last form; of an automatic one, to the automatic upgrades of its package. */
function approverOfTask(task: Decided): Decider | null {
  if (task.type === 'AUTO') return automaticApprover(task, task.approvedIn)
  return approverOf(task, task.editedBy === null ? makingCodes[task.type] : editingCodes, task.approvedIn)
}

/** Why nobody takes the task over from who agreed to it; null where that user still does, or nobody had to. */
export async function stopByApprover(db: Db, task: Decided): Promise<StoppedDecider | null> {
  const approver = approverOfTask(task)
  return approver && (await standingScope(db, [approver])).stopped
}

/** The calls that let a task go on. */
const continuingCodes = [resumeUpgradeTask.access, retryUpgradeTask.access]

/**
 * How far a task that is to start, or is under way, may reach, or who stops it. A disabled maker or supplier of its bytes
 * stops it, too; a deleted one goes on to decide by the reach that was kept.
 */
export async function standingOfTask(db: Db, task: Decided): Promise<Standing> {
  const standing = await standingOfPeople(db, task)
  if (standing.stopped || !isStoppedByBytes(task)) return standing
  const stopped = await stopOfBytes(db, await readBytesOfTask(db, task.id))
  return stopped ? { scope: null, stopped } : standing
}

/**
 * A task that begins at once is begun nevertheless, and pauses before its first command: who made it may let it go on,
 * as for a rollback to what a user brought who was disabled since. Of an automatic task they are deciders anyway.
 */
const isStoppedByBytes = ({ type, state, takenOverBy }: Decided) =>
  takenOverBy === null && type !== 'AUTO' && (type === 'SCHEDULE' || state !== 'planned')

/** The first maker or supplier of these bytes who is there, and disabled; of an API key that was deleted or has expired, who made it. */
async function stopOfBytes(db: Db, bytes: readonly Bytes[]): Promise<StoppedDecider | null> {
  const people = bytes.flatMap(({ maker, supplier }) => [
    { userId: supplier.userId, name: supplier.name, role: '固件上传人', functionCodes: [] },
    { userId: maker.userId, name: maker.name, role: '固件创建人', functionCodes: [] },
  ])
  const standIns = await standInsOf(
    db,
    people.map(({ userId }) => userId),
  )
  const standing = await standingScope(
    db,
    people.flatMap((person) => {
      const userId = standIns.get(person.userId)
      return userId === undefined ? [] : [{ ...person, userId }]
    }),
  )
  return standing.stopped
}

/**
 * The same of those who made the task, changed it, agreed to it or took it over; of an automatic one, of the package's
 * people.
 */
async function standingOfPeople(db: Db, task: Decided): Promise<Standing> {
  const { id, type, createdBy: userId, createdByName: name, editedBy, editedByName, decidedIn } = task
  const approver = approverOfTask(task)
  const second = approver ? [approver] : []
  if (task.takenOverBy !== null)
    return standingScope(db, [
      {
        userId: task.takenOverBy,
        name: task.takenOverByName ?? '',
        role: '任务接管人',
        functionCodes: continuingCodes,
      },
      ...second,
    ])
  if (type === 'AUTO') {
    const [bytes] = await readBytesOfTask(db, id)
    if (!bytes) throw new Error(`task ${id}: no bytes`)
    return standingOf(db, { ...bytes, switcher: { userId, name, decidedIn }, approver })
  }
  const deciders: Decider[] = [{ userId, name, role: '创建人', functionCodes: makingCodes[type], decidedIn }]
  if (editedBy !== null && editedBy !== userId) {
    const editor = { userId: editedBy, name: editedByName ?? '', role: '修改人' }
    deciders.push({ ...editor, functionCodes: editingCodes })
  }
  return standingScope(db, [...deciders, ...second])
}

/** Tasks under way as of now: how far they reach, and those that one of their deciders stops. */
export interface RunningStandings {
  limits: TaskLimits
  stopped: ReadonlyMap<number, StoppedDecider>
}

/** `askers`: of the attempts that are looked at. */
export async function standingsOfRunning(
  db: Db,
  tasks: readonly Decided[],
  askers: readonly Asker[],
): Promise<RunningStandings> {
  const stopped = new Map<number, StoppedDecider>()
  const ofTasks: { taskId: number; scope: DataScope; text: string }[] = []
  if (tasks.length === 0) return { limits: { ofBytes: [], ofTasks, ofAskers: [] }, stopped }
  for (const task of tasks) {
    const standing = await standingOfTask(db, task)
    if (standing.stopped) stopped.set(task.id, standing.stopped)
    else if (standing.scope !== everything)
      ofTasks.push({ taskId: task.id, scope: standing.scope, text: beyondText(task) })
  }
  const bytes = await readBytesOfTasks(
    db,
    tasks.map(({ id }) => id),
  )
  return {
    limits: { ofBytes: await limitsOf(db, bytes), ofTasks, ofAskers: await limitsOfAskers(db, askers) },
    stopped,
  }
}

/** How far the attempts reach that these users asked for; nowhere where one may not ask for any. */
async function limitsOfAskers(db: Db, askers: readonly Asker[]): Promise<TaskLimits['ofAskers']> {
  const limits: TaskLimits['ofAskers'][number][] = []
  for (const { userId, name } of askers) {
    const decider = { userId, name, role: '重试人', functionCodes: [retryUpgradeTask.access] }
    const { scope, stopped } = await standingScope(db, [decider])
    if (scope === everything) continue
    const text = stopped ? describeStop(stopped) : `超出重试人 ${name} 的数据权限`
    limits.push({ userId, scope: scope ?? nothing, text })
  }
  return limits
}

/**
 * What is decided about these targets. A task that is resumed between two reads is running, and nobody was asked: its
 * targets are looked at again.
 */
export async function decisionsOn(
  db: Db,
  due: readonly Pick<MovingTarget, 'id' | 'asker'>[],
): Promise<Decisions> {
  const deciding = await listDeciding(
    db,
    due.map(({ id }) => id),
  )
  const asked = new Set(deciding.map(({ id }) => id))
  const askers = new Map(due.flatMap(({ asker }) => (asker ? [[asker.userId, asker] as const] : [])))
  const { limits, stopped } = await standingsOfRunning(db, deciding, [...askers.values()])
  return { limits, isDecided: (taskId) => asked.has(taskId) && !stopped.has(taskId) }
}

function beyondText(task: Decided): string {
  const { type, createdBy, createdByName, editedBy, editedByName, takenOverBy, takenOverByName } = task
  const creator = `${type === 'AUTO' ? '自动升级开启人' : '任务创建人'} ${createdByName}`
  const editor = editedBy === null || editedBy === createdBy ? [] : [`修改人 ${editedByName}`]
  const makers = takenOverBy === null ? [creator, ...editor] : [`任务接管人 ${takenOverByName}`]
  const approver = task.approvedBy === null ? [] : [`同意人 ${task.approvedByName}`]
  return `超出${[...makers, ...approver].join('、')} 的数据权限`
}

/** Why tasks that are still planned will not be executed, by their ids, as things stand. */
export async function stopsAhead(db: Db, tasks: readonly Decided[]): Promise<Map<number, string>> {
  const planned = tasks.filter(({ state }) => state === 'planned')
  if (planned.length === 0) return new Map()
  const bytes = Map.groupBy(
    await readBytesOfTasks(
      db,
      planned.map(({ id }) => id),
    ),
    ({ taskId }) => taskId,
  )
  const known = new Map<string, StoppedDecider | null>()
  const once = async (key: string, find: () => Promise<StoppedDecider | null>) => {
    const stopped = known.has(key) ? (known.get(key) ?? null) : await find()
    known.set(key, stopped)
    return stopped
  }
  const stops = new Map<number, string>()
  for (const task of planned) {
    const { id, type, createdBy, editedBy, approvedBy } = task
    const own = bytes.get(id) ?? []
    const makers = type === 'AUTO' ? `${id}` : `${type} ${createdBy} by ${editedBy}, ${approvedBy}`
    const suppliers = own.map(({ maker, supplier }) => `${maker.userId} ${supplier.userId}`).join()
    const stopped =
      (await once(makers, async () => (await standingOfPeople(db, task)).stopped)) ??
      (isStoppedByBytes(task) ? await once(`bytes ${suppliers}`, () => stopOfBytes(db, own)) : null)
    if (stopped) stops.set(id, `${describeStop(stopped)}，到时不会执行`)
  }
  return stops
}
