/**
 * Consent to planned tasks that reach more devices at their time than one person decides about: they were counted when
 * they were planned, and devices join until then. Such a task waits, and begins when a second person has agreed.
 */
import { describeStop, insertUpgradeTask, updateUpgradeTask } from '@voltkeep/contract'
import type { DataScope } from '../../../domain/access/data-scope.ts'
import { readHoldings } from '../../../domain/access/holdings.ts'
import type { Client } from '../../../platform/calls/actor.ts'
import { Refusal, refuse } from '../../../platform/calls/refusal.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { idNumber } from '../../../platform/database/ids.ts'
import { recordOperation } from '../../../platform/database/operation-log.ts'
import { type Approvals, describeWait, isAgreed, isToBeAsked } from '../../approvals/index.ts'
import { type AskUpgrade, type DoUpgrade, refuseOther } from '../consent/index.ts'
import { countPlanned } from '../targets/index.ts'
import { listFilesOfTask, targetOf } from './task-lists.queries.ts'
import { wakeTasks } from './task-moves.ts'
import { planWithin, standingOfTask } from './task-plan.ts'
import * as queries from './tasks.queries.ts'

export type StartConsent = ReturnType<typeof createStartConsent>

type Held = Pick<queries.LockedTask, 'id' | 'version' | 'isHeld'>

const keyOf = ({ id, version }: Pick<Held, 'id' | 'version'>) => `upgrade start ${id} ${version}`

const client: Client = {
  address: '',
  userAgent: null,
  requestId: '',
  call: 'upgrades.start',
  summary: '升级任务到时',
}

export function createStartConsent({
  approvals,
  ask,
  tellTasks,
}: {
  approvals: Pick<Approvals, 'causesOf' | 'drop' | 'listLast' | 'told'>
  ask: AskUpgrade
  tellTasks: (ids: readonly number[]) => void
}) {
  const start: DoUpgrade<'start'> = async (trx, asker, { id }, consent) => {
    const task = (await queries.lockForWork(trx, idNumber(id))) ?? refuse('upgradeTaskNotFound')
    if (task.state !== 'planned') refuse('upgradeStarted')
    const { scope, stopped } = await standingOfTask(trx, task)
    if (stopped) throw new Refusal('conflict', null, `${describeStop(stopped)}，任务不会执行`)
    if (!consent) throw new Error(`task ${id}: its start is asked for by the server alone`)
    const { possible } = await countPlanned(trx, await planWithin(trx, scope, task))
    refuseOther(consent, await listFilesOfTask(trx, task.id), possible)
    await queries.writeStartConsent(trx, task.id, { ...consent.agreedBy, deviceCount: consent.deviceCount })
    await wakeTasks(trx, 0)
    await recordOperation(trx, asker, {
      target: await targetOf(trx, task),
      changes: { after: { agreedBy: consent.agreedBy.name } },
    })
    return { answer: { id: task.id }, afterCommit: () => tellTasks([task.id]) }
  }

  /** Whether a second person has to agree to so many devices of the task, and has not. */
  async function isMore(
    task: Pick<queries.LockedTask, 'type' | 'approvedBy' | 'approvedCount'>,
    count: () => Promise<number>,
  ): Promise<boolean> {
    // The others begin at once, with the devices that were counted; those of packages are looked at before each offer.
    if (task.type !== 'SCHEDULE') return false
    let deviceCount = 0
    const causes = await approvals.causesOf({
      async countDevices() {
        deviceCount = await count()
        return deviceCount
      },
    })
    if (causes.length === 0) return false
    // Of one that was agreed to before the number was kept, any.
    return task.approvedBy === null || !isAgreed(task.approvedCount ?? deviceCount, deviceCount)
  }

  return {
    doers: { start },
    told: approvals.told,

    /** Whether a task whose time has come, within that scope, waits for a second person. */
    isNeeded: (trx: Trx, task: queries.LockedTask, scope: DataScope): Promise<boolean> =>
      isMore(task, async () => (await countPlanned(trx, await planWithin(trx, scope, task))).possible),

    isMore,

    /** Keeps the task from starting, and asks in the name of who planned it. Returns what waits, if anything new does. */
    async hold(trx: Trx, task: queries.LockedTask, scope: DataScope): Promise<string | null> {
      await queries.writeHeld(trx, task.id, true)
      const key = keyOf(task)
      if (!isToBeAsked((await approvals.listLast(trx, [key])).get(key))) return null
      const userId = task.editedBy ?? task.createdBy
      const held = (await readHoldings(trx, [userId])).get(userId)
      if (!held) throw new Error(`task ${task.id}: user ${userId} planned it and is not there`)
      const { organizationId, isSystem } = held
      const waiting = await ask(
        trx,
        { userId, loginName: task.editedByName ?? task.createdByName, organizationId, isSystem, client },
        { call: 'start', form: { id: String(task.id) } },
        {
          subject: `开始${await targetOf(trx, task)}`,
          files: await listFilesOfTask(trx, task.id),
          countDevices: async () => (await countPlanned(trx, await planWithin(trx, scope, task))).possible,
          functionCode: task.editedBy === null ? insertUpgradeTask.access : updateUpgradeTask.access,
          sameAs: key,
        },
      )
      return waiting?.answer.approvalId ?? null
    },

    /** The task waits no more: it begins, or is another one. Returns what ended; call `told` with it after the commit. */
    async release(trx: Trx, task: Held, note: string): Promise<string | null> {
      if (!task.isHeld) return null
      await queries.writeHeld(trx, task.id, false)
      return approvals.drop(trx, keyOf(task), note)
    },

    /** What the held ones of these tasks wait for, by id. */
    async waitsOf(
      db: Db,
      tasks: readonly { id: number; lockVersion: number; isHeld: boolean }[],
    ): Promise<Map<number, string>> {
      const held = tasks.filter(({ isHeld }) => isHeld)
      const keyOfRow = ({ id, lockVersion }: (typeof held)[number]) => keyOf({ id, version: lockVersion })
      const last = await approvals.listLast(db, held.map(keyOfRow))
      return new Map(
        held.map((task) => [
          task.id,
          `已到执行时间，设备数超过须另一人同意的数量，${describeWait(last.get(keyOfRow(task)))}，同意后开始`,
        ]),
      )
    },
  }
}
