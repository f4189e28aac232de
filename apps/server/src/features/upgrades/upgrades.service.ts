/**
 * Upgrade tasks as users see and plan them. A user sees those of the own organization and of the ones under it, and of
 * their targets those of devices in the own data scope.
 */
import type {
  DeviceChoice,
  deleteUpgradeTask,
  insertUpgradeTask,
  listUpgradeFailures,
  listUpgradeLog,
  listUpgradeTargets,
  listUpgradeTasks,
  listUpgradeTransitions,
  ParsedInputFor,
  previewUpgradeTask,
  updateUpgradeTask,
} from '@voltkeep/contract'
import { type DataScope, everything, scopeOf } from '../../domain/access/data-scope.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import { refuse } from '../../platform/calls/refusal.ts'
import { changing } from '../../platform/database/changing.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { differenceOf, recordOperation, shownDevices } from '../../platform/database/operation-log.ts'
import { pageOf } from '../../platform/database/paging.ts'
import { historyRange, rangeEdges } from '../../platform/process/clock.ts'
import { failuresOf } from './stages/stages.failures.ts'
import { planStages } from './stages/stages.plan.ts'
import { listStages } from './stages/stages.queries.ts'
import { stageShown } from './stages/stages.states.ts'
import { noTargets, reachesBeyond, readCounts, readUnderWay, sumOf } from './targets/tally.queries.ts'
import * as targets from './targets/targets.lists.queries.ts'
import { readPreview } from './targets/targets.plan.queries.ts'
import { openTargetStates } from './targets/targets.states.ts'
import { packagesOf, taskOf } from './tasks/tasks.form.ts'
import * as lists from './tasks/tasks.lists.queries.ts'
import { wakeTasks } from './tasks/tasks.moves.ts'
import { planWithin, scopeOfCreator, standingOfTask, stopsAhead } from './tasks/tasks.plan.ts'
import * as queries from './tasks/tasks.queries.ts'
import { statesOf, statusOf } from './tasks/tasks.states.ts'
import { type Sight, sightOf } from './upgrades.sight.ts'

export type Upgrades = ReturnType<typeof createUpgrades>

export interface UpgradeNeeds {
  db: Db
  /** Called after the commit. */
  tellTasks: (ids: readonly number[]) => void
}

export function createUpgrades({ db, tellTasks }: UpgradeNeeds) {
  return {
    async listTasks(actor: Actor, input: ParsedInputFor<typeof listUpgradeTasks>) {
      const scope = await scopeOf(db, actor)
      const filter = filterOf(input, scope)
      const [tasks, total] = await Promise.all([
        lists.listTasks(db, actor, filter, pageOf(input)),
        lists.countTasks(db, actor, filter),
      ])
      const [stops, counts, sight] = await Promise.all([
        stopsAhead(db, tasks),
        readCounts(
          db,
          scope,
          tasks.map(({ id }) => id),
        ),
        sightOf(db, scope, namedBy(tasks)),
      ])
      const rows = tasks.map((task) => ({
        ...rowOf(task, sumOf(counts.get(task.id)), sight),
        stopNote: task.stopNote ?? stops.get(task.id) ?? null,
      }))
      return { rows, total }
    },

    /** A task with its stages. Throws `upgradeTaskNotFound`. */
    async readTask(actor: Actor, id: string) {
      const task = await find(actor, id)
      const scope = await scopeOf(db, actor)
      const [stages, counts, underWay, isBeyond, isOthers] = await Promise.all([
        listStages(db, task.id),
        readCounts(db, scope, [task.id]),
        statusOf(task.state) === 1 ? readUnderWay(db, scope, task.id) : new Map<number, number>(),
        isBeyondScope(db, scope, task),
        isBeyondControl(db, scope, task),
      ])
      const own = counts.get(task.id)
      const { gates, choices } = namedBy([task])
      const sight = await sightOf(db, scope, {
        choices,
        gates: [...gates, ...stages.map(({ gate }) => gate)],
      })
      const stops = await stopsAhead(db, [task])
      return {
        ...rowOf(task, sumOf(own), sight),
        stopNote: task.stopNote ?? stops.get(task.id) ?? null,
        isWhole: !isBeyond,
        isControllable: !isOthers,
        stages: stages.map(({ number, startedAt, soakingAt, soakUntil, endedAt, gate, ...stage }) => ({
          ...stage,
          state: stageShown(stage.state, task.state),
          gate: sight.gate(gate),
          stage: number,
          counts: own?.get(number) ?? noTargets,
          startTime: startedAt,
          soakTime: soakingAt,
          soakEndTime: soakUntil,
          endTime: endedAt,
          failures: failuresOf(task.upgradeRule, {
            counts: own?.get(number),
            underWay: underWay.get(number) ?? 0,
            isLast: number === stages.length,
          }),
        })),
      }
    },

    /** Plans a task for its time. Refuses (400) what `taskOf` refuses. */
    async insertTask(actor: Actor, input: ParsedInputFor<typeof insertUpgradeTask>) {
      const id = await db.transaction().execute(async (trx) => {
        const task = await taskOf(trx, actor, input)
        const made = await insertOwn(trx, actor, { ...task, type: 'SCHEDULE' })
        await recordOperation(trx, actor, {
          target: await targetOf(trx, { ...task, id: made }),
          changes: { after: await shown(trx, task) },
        })
        return made
      })
      tellTasks([id])
      return { id }
    },

    /**
     * Only before its time: otherwise `upgradeStarted`. A new choice is made from the devices that the creator sees;
     * without one the task keeps its own.
     */
    async updateTask(actor: Actor, { id, lockVersion, ...form }: ParsedInputFor<typeof updateUpgradeTask>) {
      const { id: taskId } = await changing(
        db,
        actor,
        { ...subject(actor, id), version: lockVersion },
        async (trx, before) => {
          const task = await taskOf(trx, actor, { ...form, devices: form.devices ?? before.devices })
          await queries.updateTask(trx, before, task, { userId: actor.userId, name: actor.loginName })
          await wakeTasks(trx, task.upgradeAt.getTime() - Date.now())
          return differenceOf(await shown(trx, before), await shown(trx, task, before.devices))
        },
      )
      tellTasks([taskId])
    },

    async deleteTask(actor: Actor, { id }: ParsedInputFor<typeof deleteUpgradeTask>) {
      await changing(db, actor, subject(actor, id), async (trx, before) => {
        await queries.deleteTask(trx, before.id)
        return { before: await shown(trx, before) }
      })
      tellTasks([idNumber(id)])
    },

    /** The effect that the task would have if it began now, on devices that the caller sees. */
    async previewTask(actor: Actor, input: ParsedInputFor<typeof previewUpgradeTask>) {
      return db.transaction().execute(async (trx) => {
        const { packageIds, equipTypeId } = await packagesOf(trx, input, input.upgradeRule.equipTypeId)
        const plan = await planWithin(trx, await scopeOf(trx, actor), {
          packageIds,
          equipTypeId,
          devices: input.devices,
        })
        const [figures, packages] = [
          await readPreview(trx, plan),
          await lists.describePackages(trx, packageIds),
        ]
        const parts = packages.map((one) => {
          const own = figures.parts.filter(({ packageId }) => packageId === one.softwareVersionId)
          return {
            ...one,
            devices: own.find(({ skip }) => skip === null)?.devices ?? 0,
            from: figures.from.filter(({ packageId }) => packageId === one.softwareVersionId),
            skipped: own.flatMap(({ skip, note, devices }) =>
              skip ? [{ reason: skip, note, devices }] : [],
            ),
          }
        })
        return {
          chosen: figures.chosen,
          devices: figures.devices,
          offline: figures.offline,
          totalBytes: parts.reduce((sum, { sizeBytes, devices }) => sum + sizeBytes * devices, 0),
          parts,
          stages: planStages(figures.devices, input.upgradeRule.stages).map(({ number, ...stage }) => ({
            ...stage,
            stage: number,
          })),
        }
      })
    },

    async listTargets(actor: Actor, input: ParsedInputFor<typeof listUpgradeTargets>) {
      const { id: taskId } = await find(actor, input.taskId)
      const scope = await scopeOf(db, actor)
      const filter = { ...input, taskId }
      const [rows, total] = await Promise.all([
        targets.listTargets(db, scope, filter, pageOf(input)),
        targets.countTargets(db, scope, filter),
      ])
      return { rows, total }
    },

    async listFailures(actor: Actor, { taskId, stage }: ParsedInputFor<typeof listUpgradeFailures>) {
      const { id } = await find(actor, taskId)
      return targets.listReasons(db, await scopeOf(db, actor), { taskId: id, stage })
    },

    /** Throws `upgradeTaskNotFound`, and `upgradeTargetNotFound` for a target out of the scope. */
    async listTransitions(actor: Actor, input: ParsedInputFor<typeof listUpgradeTransitions>) {
      const { taskId, targetId } = input
      const subject =
        targetId === undefined
          ? { taskId: (await find(actor, taskId ?? '')).id }
          : { targetId: await findTarget(actor, targetId) }
      const [rows, total] = await Promise.all([
        targets.listTransitions(db, subject, pageOf(input)),
        targets.countTransitions(db, subject),
      ])
      const sight = await sightOf(db, await scopeOf(db, actor), { details: rows.map(({ detail }) => detail) })
      return { rows: rows.map((row) => ({ ...row, detail: sight.detail(row.detail) })), total }
    },

    async listLog(actor: Actor, input: ParsedInputFor<typeof listUpgradeLog>) {
      const scope = await scopeOf(db, actor)
      const { type, equipTypeId, equipId, ...rest } = input
      const filter = {
        ...rest,
        // Rows that are on the screen already may be of any time.
        ...(input.ids ? rangeEdges(input) : historyRange(input)),
        type: type === 'ALL' ? undefined : type,
        equipTypeId: equipTypeId === undefined ? undefined : idNumber(equipTypeId),
        equipId: equipId === undefined ? undefined : idNumber(equipId),
      }
      const [rows, total] = await Promise.all([
        targets.listLog(db, scope, filter, pageOf(input)),
        targets.countLog(db, scope, filter),
      ])
      return { rows, total }
    },
  }

  async function find(actor: Actor, id: string) {
    return (await lists.findTask(db, actor, idNumber(id))) ?? refuse('upgradeTaskNotFound')
  }

  async function findTarget(actor: Actor, id: string): Promise<string> {
    const taskId = await targets.findTaskOfTarget(db, await scopeOf(db, actor), id)
    if (taskId === undefined || !(await lists.findTask(db, actor, taskId))) refuse('upgradeTargetNotFound')
    return id
  }
}

/** A task that has not begun, of which the caller sees every device. */
const subject = (actor: Actor, id: string) => ({
  lock: async (trx: Trx) => {
    const task = await queries.lockTask(trx, actor, idNumber(id))
    if (!task) return undefined
    if (await isBeyondScope(trx, await scopeOf(trx, actor), task)) refuse('upgradeReachesBeyond')
    // An automatic task is nobody's form: it is due as soon as it is made, by the decisions of its package's people.
    if (statusOf(task.state) !== 0 || task.type === 'AUTO') refuse('upgradeStarted')
    return { ...task, target: await targetOf(trx, task) }
  },
  notFound: 'upgradeTaskNotFound' as const,
  target: ({ target }: { target: string }) => target,
})

/** Writes a task of the caller's own, due at its time. */
export async function insertOwn(
  trx: Trx,
  actor: Actor,
  task: queries.TaskValues & Pick<queries.NewTask, 'rollbackOf' | 'rollbackStage'>,
): Promise<number> {
  const id = await queries.insertTask(trx, {
    ...task,
    createdBy: actor.userId,
    createdByName: actor.loginName,
    organizationId: actor.organizationId,
  })
  await wakeTasks(trx, task.upgradeAt.getTime() - Date.now())
  return id
}

/** Whether the task has, or would have, devices that the scope does not cover. */
export async function isBeyondScope(
  db: Db,
  scope: DataScope,
  task: Pick<queries.LockedTask, 'id' | 'state' | 'createdBy' | 'organizationId'>,
): Promise<boolean> {
  if (task.state !== 'planned') return reachesBeyond(db, scope, task.id)
  // Not resolved yet: it will reach the devices that its creator sees.
  const ofCreator = await scopeOfCreator(db, task)
  return ofCreator !== null && !covers(scope, ofCreator)
}

/**
 * Whether somebody of that scope may not pause, resume or cancel the task, because of devices that it still reaches:
 * those that have their result, or have left the reach of its own deciders, do not count.
 */
export async function isBeyondControl(
  db: Db,
  scope: DataScope,
  task: queries.Decided & Pick<queries.LockedTask, 'state'>,
): Promise<boolean> {
  if (statusOf(task.state) !== 1) return isBeyondScope(db, scope, task)
  const { scope: own } = await standingOfTask(db, task)
  return reachesBeyond(db, scope, task.id, { states: openTargetStates, own: own ?? everything })
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

/** How the operation log calls a task: `升级任务 12（换电柜 主控 1.4）`. */
export const targetOf = async (
  trx: Trx,
  { id, ...task }: { id: number; equipTypeId: number; packageIds: readonly number[] },
) => `升级任务 ${id}（${await lists.nameGoal(trx, task)}）`

/** A task as the operation log shows it; `chosenBefore`: what it was changed from. */
async function shown(
  trx: Trx,
  { packageIds, upgradeAt, remark, rule, devices }: Omit<queries.TaskValues, 'type'>,
  chosenBefore?: DeviceChoice,
) {
  // The packages show the type.
  const { equipTypeId: _, ...upgradeRule } = rule
  return {
    softwareFiles: await lists.listFileNames(trx, packageIds),
    upgradeTime: upgradeAt,
    remark,
    upgradeRule,
    devices: shownDevices(devices, chosenBefore),
  }
}

function filterOf(input: ParsedInputFor<typeof listUpgradeTasks>, scope: DataScope): lists.TaskFilter {
  const { type, equipTypeId, partTypes, partType, version, status, equipId, ids } = input
  return {
    type: type === 'ALL' ? undefined : type,
    equipTypeId: equipTypeId === undefined ? undefined : idNumber(equipTypeId),
    partTypes: partTypes ?? (partType === undefined ? undefined : [partType]),
    version,
    states: status === undefined ? undefined : statesOf(status),
    device: equipId === undefined ? undefined : { id: idNumber(equipId), scope },
    ids: ids?.map(idNumber),
  }
}

const namedBy = (tasks: readonly lists.TaskRecord[]) => ({
  choices: tasks.map(({ devices }) => devices),
  gates: tasks.map(({ pause }) => pause?.gate ?? null),
})

function rowOf(task: lists.TaskRecord, counts: ReturnType<typeof sumOf>, sight: Sight) {
  const { packages, upgradeRule, equipTypeId } = task
  const joined = (texts: readonly string[]) => [...new Set(texts)].join('、')
  return {
    ...task,
    devices: sight.choice(task.devices),
    pause: sight.pause(task.pause),
    softwareVersionId: packages[0]?.softwareVersionId ?? 0,
    upgradeRule: { ...upgradeRule, equipTypeId: String(equipTypeId) },
    status: statusOf(task.state),
    partTypeName: joined(packages.map(({ partTypeName }) => partTypeName)),
    version: joined(packages.map(({ version }) => version)),
    counts,
  }
}
