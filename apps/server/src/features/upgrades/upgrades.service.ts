/**
 * Upgrade tasks as users see them: those of the own organization and of the ones under it, and of their targets those of
 * devices in the own data scope.
 */
import type {
  listUpgradeFailures,
  listUpgradeLog,
  listUpgradeTargets,
  listUpgradeTasks,
  listUpgradeTransitions,
  ParsedInputFor,
} from '@voltkeep/contract'
import { type DataScope, scopeOf } from '../../domain/access/data-scope.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import { refuse } from '../../platform/calls/refusal.ts'
import type { Db } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { pageOf } from '../../platform/database/paging.ts'
import { historyRange, rangeEdges } from '../../platform/process/clock.ts'
import { failuresOf, listStages } from './stages/index.ts'
import {
  countLog,
  countTargets,
  countTransitions,
  findTaskOfTarget,
  listLog,
  listReasons,
  listTargets,
  listTransitions,
  noTargets,
  readCounts,
  readUnderWay,
  sumOf,
} from './targets/index.ts'
import { type Sight, sightOf } from './task-sight.ts'
import {
  countTasks,
  findTask,
  isBeyondControl,
  isBeyondScope,
  isOwnChoice,
  listTasks,
  type StartConsent,
  stageShown,
  statesOf,
  statusOf,
  stopsAhead,
  type TaskFilter,
  type TaskRecord,
} from './tasks/index.ts'

export type Upgrades = ReturnType<typeof createUpgrades>

export function createUpgrades({ db, consent }: { db: Db; consent: Pick<StartConsent, 'waitsOf'> }) {
  return {
    async listTasks(actor: Actor, input: ParsedInputFor<typeof listUpgradeTasks>) {
      const scope = await scopeOf(db, actor)
      const filter = filterOf(input, scope)
      const [tasks, total] = await Promise.all([
        listTasks(db, actor, filter, pageOf(input)),
        countTasks(db, actor, filter),
      ])
      const [stops, waits, counts, sight] = await Promise.all([
        stopsAhead(db, tasks),
        consent.waitsOf(db, tasks),
        readCounts(
          db,
          scope,
          tasks.map(({ id }) => id),
        ),
        sightOf(db, scope, namedBy(tasks)),
      ])
      const rows = tasks.map((task) => ({
        ...rowOf(actor, task, sumOf(counts.get(task.id)), sight),
        stopNote: task.stopNote ?? stops.get(task.id) ?? waits.get(task.id) ?? null,
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
        isBeyondControl(db, scope, actor.userId, task),
      ])
      const own = counts.get(task.id)
      const { gates, choices } = namedBy([task])
      const sight = await sightOf(db, scope, {
        choices,
        gates: [...gates, ...stages.map(({ gate }) => gate)],
      })
      const [stops, waits] = [await stopsAhead(db, [task]), await consent.waitsOf(db, [task])]
      return {
        ...rowOf(actor, task, sumOf(own), sight),
        stopNote: task.stopNote ?? stops.get(task.id) ?? waits.get(task.id) ?? null,
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

    async listTargets(actor: Actor, input: ParsedInputFor<typeof listUpgradeTargets>) {
      const { id: taskId } = await find(actor, input.taskId)
      const scope = await scopeOf(db, actor)
      const filter = { ...input, taskId }
      const [rows, total] = await Promise.all([
        listTargets(db, scope, filter, pageOf(input)),
        countTargets(db, scope, filter),
      ])
      return { rows, total }
    },

    async listFailures(actor: Actor, { taskId, stage }: ParsedInputFor<typeof listUpgradeFailures>) {
      const { id } = await find(actor, taskId)
      return listReasons(db, await scopeOf(db, actor), { taskId: id, stage })
    },

    /** Throws `upgradeTaskNotFound`, and `upgradeTargetNotFound` for a target out of the scope. */
    async listTransitions(actor: Actor, input: ParsedInputFor<typeof listUpgradeTransitions>) {
      const { taskId, targetId } = input
      const subject =
        targetId === undefined
          ? { taskId: (await find(actor, taskId ?? '')).id }
          : { targetId: await findTarget(actor, targetId) }
      const [rows, total] = await Promise.all([
        listTransitions(db, subject, pageOf(input)),
        countTransitions(db, subject),
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
        listLog(db, scope, filter, pageOf(input)),
        countLog(db, scope, filter),
      ])
      return { rows, total }
    },
  }

  async function find(actor: Actor, id: string) {
    return (await findTask(db, actor, idNumber(id))) ?? refuse('upgradeTaskNotFound')
  }

  async function findTarget(actor: Actor, id: string): Promise<string> {
    const taskId = await findTaskOfTarget(db, await scopeOf(db, actor), id)
    if (taskId === undefined || !(await findTask(db, actor, taskId))) refuse('upgradeTargetNotFound')
    return id
  }
}

function filterOf(input: ParsedInputFor<typeof listUpgradeTasks>, scope: DataScope): TaskFilter {
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

const namedBy = (tasks: readonly TaskRecord[]) => ({
  choices: tasks.map(({ devices }) => devices),
  gates: tasks.map(({ pause }) => pause?.gate ?? null),
})

function rowOf({ userId }: Actor, task: TaskRecord, counts: ReturnType<typeof sumOf>, sight: Sight) {
  const { packages, upgradeRule, equipTypeId } = task
  const joined = (texts: readonly string[]) => [...new Set(texts)].join('、')
  return {
    ...task,
    approvedBy: task.approvedByName,
    devices: sight.choice(task.devices, isOwnChoice(task, userId)),
    pause: sight.pause(task.pause),
    softwareVersionId: packages[0]?.softwareVersionId ?? 0,
    upgradeRule: { ...upgradeRule, equipTypeId: String(equipTypeId) },
    status: statusOf(task.state),
    partTypeName: joined(packages.map(({ partTypeName }) => partTypeName)),
    version: joined(packages.map(({ version }) => version)),
    counts,
  }
}
