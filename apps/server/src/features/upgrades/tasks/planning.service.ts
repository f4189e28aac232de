/**
 * Upgrade tasks as users plan them: made, changed and deleted before they begin, and previewed. Whoever changes a task
 * sees every device that it will reach.
 */
import type {
  DeviceChoice,
  deleteUpgradeTask,
  exportLeftOutOfUpgrade,
  FileReply,
  insertUpgradeTask,
  ParsedInputFor,
  previewUpgradeTask,
  updateUpgradeTask,
} from '@voltkeep/contract'
import { codesSeen } from '../../../domain/access/choices-seen.ts'
import { scopeOf } from '../../../domain/access/data-scope.ts'
import { leftOutFile } from '../../../domain/device-work/left-out.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import { refuse } from '../../../platform/calls/refusal.ts'
import { changing, changingIn } from '../../../platform/database/changing.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { idNumber } from '../../../platform/database/ids.ts'
import { differenceOf, recordOperation, shownDevices } from '../../../platform/database/operation-log.ts'
import { sharedNowMs } from '../../../platform/process/clocks/shared-clock.ts'
import {
  type AskUpgrade,
  type DoUpgrade,
  refuseOther,
  type UpgradeConsent,
  type UpgradeDone,
} from '../consent/index.ts'
import { planStages } from '../stages/index.ts'
import { countPlanned, leftOutBy, readPreview, skipTexts } from '../targets/index.ts'
import type { StartConsent } from './start-consent.ts'
import { packagesOf, taskOf } from './task-form.ts'
import {
  describePackages,
  listFileNames,
  listFiles,
  listFilesOfTask,
  targetOf,
} from './task-lists.queries.ts'
import { insertOwn, wakeTasks } from './task-moves.ts'
import { planChoice } from './task-plan.ts'
import { isBeyondChoice, isBeyondScope } from './task-reach.ts'
import * as queries from './tasks.queries.ts'
import { statusOf } from './tasks.states.ts'

export type UpgradePlanning = ReturnType<typeof createUpgradePlanning>

export function createUpgradePlanning({
  db,
  tellTasks,
  ask,
  consents,
}: {
  db: Db
  /** Called after the commit. */
  tellTasks: (ids: readonly number[]) => void
  ask: AskUpgrade
  consents: Pick<StartConsent, 'release' | 'told'>
}) {
  async function inTransaction(act: (trx: Trx) => Promise<UpgradeDone>) {
    const { answer, afterCommit } = await db.transaction().execute(act)
    afterCommit()
    return answer
  }

  const insert: DoUpgrade<'insert'> = async (trx, actor, form, consent) => {
    const task = await taskOf(trx, actor, form)
    const about = await aboutTask(trx, actor, task, { subject: '升级任务' })
    const waiting = consent ? null : await ask(trx, actor, { call: 'insert', form }, about)
    if (waiting) return waiting
    if (consent) refuseOther(consent, about.files, await about.countDevices())
    const made = await insertOwn(trx, actor, {
      ...task,
      type: 'SCHEDULE',
      approvedBy: approverBy(consent),
    })
    await recordOperation(trx, actor, {
      target: await targetOf(trx, { ...task, id: made }),
      changes: {
        after: { ...(await shown(trx, task)), ...(consent && { agreedBy: consent.agreedBy.name }) },
      },
    })
    return { answer: { id: made }, afterCommit: () => tellTasks([made]) }
  }

  const update: DoUpgrade<'update'> = async (trx, actor, form, consent) => {
    const { id, lockVersion, ...fields } = form
    let waiting: UpgradeDone | null = null
    let ended: string | null = null
    const before = await subject(actor, id).lock(trx)
    if (before) {
      const task = await taskOf(trx, actor, { ...fields, devices: fields.devices ?? before.devices })
      const about = await aboutTask(trx, actor, task, { subject: `修改${before.target}`, changed: before })
      if (consent) refuseOther(consent, about.files, await about.countDevices())
      // What is agreed to is a change of this task, and not of what somebody has made of it meanwhile.
      else
        waiting = await ask(
          trx,
          actor,
          { call: 'update', form: { ...form, lockVersion: before.version } },
          about,
        )
    }
    if (waiting) return waiting
    const { id: taskId } = await changingIn(
      trx,
      actor,
      { ...subject(actor, id), version: lockVersion },
      async (_, locked) => {
        const task = await taskOf(trx, actor, { ...fields, devices: fields.devices ?? locked.devices })
        const editor = { userId: actor.userId, name: actor.loginName }
        ended = await consents.release(trx, locked, '任务已修改')
        await queries.updateTask(trx, locked, task, editor, approverBy(consent))
        await wakeTasks(trx, task.upgradeAt.getTime() - sharedNowMs())
        const was = await asSeen(trx, actor, locked)
        const is = fields.devices ? task : { ...task, devices: was.devices }
        return differenceOf(await shown(trx, was), await shown(trx, is, locked.devices))
      },
    )
    return {
      answer: { id: taskId },
      afterCommit() {
        tellTasks([taskId])
        if (ended !== null) consents.told(ended)
      },
    }
  }

  return {
    /** Plans a task for its time, or waits for a second person. Refuses (400) what `taskOf` refuses. */
    insertTask: (actor: Actor, form: ParsedInputFor<typeof insertUpgradeTask>) =>
      inTransaction((trx) => insert(trx, actor, form, null)),

    /**
     * Only before its time: otherwise `upgradeStarted`. A new choice is made from the devices that the creator sees;
     * without one the task keeps its own. It may wait for a second person.
     */
    async updateTask(actor: Actor, form: ParsedInputFor<typeof updateUpgradeTask>) {
      const { approvalId } = await inTransaction((trx) => update(trx, actor, form, null))
      return { approvalId }
    },

    doers: { insert, update },

    async deleteTask(actor: Actor, { id }: ParsedInputFor<typeof deleteUpgradeTask>) {
      let ended: string | null = null
      await changing(db, actor, subject(actor, id), async (trx, before) => {
        ended = await consents.release(trx, before, '任务已删除')
        await queries.deleteTask(trx, before.id)
        return { before: await shown(trx, await asSeen(trx, actor, before)) }
      })
      tellTasks([idNumber(id)])
      if (ended !== null) consents.told(ended)
    },

    /** An .xlsx of the chosen devices that the task would leave out now, of those that the caller sees. */
    async exportLeftOut(
      actor: Actor,
      input: ParsedInputFor<typeof exportLeftOutOfUpgrade>,
    ): Promise<FileReply> {
      return db.transaction().execute(async (trx) => {
        const { packageIds, equipTypeId } = await packagesOf(trx, input)
        const choice = { packageIds, equipTypeId, devices: input.devices }
        const plan = await planChoice(trx, await scopeOf(trx, actor), choice)
        return leftOutFile(trx, '不升级的设备', leftOutBy(plan), skipTexts)
      })
    },

    /** The effect that the task would have if it began now, on devices that the caller sees. */
    async previewTask(actor: Actor, input: ParsedInputFor<typeof previewUpgradeTask>) {
      return db.transaction().execute(async (trx) => {
        const { packageIds, equipTypeId } = await packagesOf(trx, input, input.upgradeRule.equipTypeId)
        const plan = await planChoice(trx, await scopeOf(trx, actor), {
          packageIds,
          equipTypeId,
          devices: input.devices,
        })
        const [figures, packages] = [await readPreview(trx, plan), await describePackages(trx, packageIds)]
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
          otherType: figures.otherType,
          oneWay: figures.oneWay,
          totalBytes: parts.reduce((sum, { sizeBytes, devices }) => sum + sizeBytes * devices, 0),
          parts,
          stages: planStages(figures.devices, input.upgradeRule.stages).map(({ number, ...stage }) => ({
            ...stage,
            stage: number,
          })),
        }
      })
    },
  }
}

const approverBy = (consent: UpgradeConsent | null): Required<queries.Approver> | null =>
  consent && { ...consent.agreedBy, deviceCount: consent.deviceCount }

/** What a second person is told of a task. `changed`: the one that it was; its bytes stay where its packages do. */
async function aboutTask(
  trx: Trx,
  actor: Actor,
  { packageIds, equipTypeId, devices }: Omit<queries.TaskValues, 'type'>,
  { subject, changed }: { subject: string; changed?: queries.LockedTask },
) {
  const keptBy = changed && queries.keepsBytes(changed, packageIds) ? changed.id : undefined
  return {
    subject,
    files: await (keptBy === undefined ? listFiles(trx, packageIds) : listFilesOfTask(trx, keptBy)),
    async countDevices() {
      const plan = await planChoice(trx, await scopeOf(trx, actor), {
        ...(keptBy !== undefined && { id: keptBy }),
        packageIds: [...packageIds],
        equipTypeId,
        devices,
      })
      return (await countPlanned(trx, plan)).possible
    },
  }
}

/** A task that has not begun, of which the caller sees every device, and reaches what its choice may come to have. */
const subject = (actor: Actor, id: string) => ({
  lock: async (trx: Trx) => {
    const task = await queries.lockTask(trx, actor, idNumber(id))
    if (!task) return undefined
    const scope = await scopeOf(trx, actor)
    if (await isBeyondScope(trx, scope, task)) refuse('upgradeReachesBeyond')
    if (await isBeyondChoice(trx, scope, actor.userId, task)) refuse('upgradeReachesBeyond')
    // An automatic task is nobody's form: it is due as soon as it is made, by the decisions of its package's people.
    if (statusOf(task.state) !== 0 || task.type !== 'SCHEDULE') refuse('upgradeStarted')
    return { ...task, target: await targetOf(trx, task) }
  },
  notFound: 'upgradeTaskNotFound' as const,
  target: ({ target }: { target: string }) => target,
})

/** The task with the keyword as the actor reads it: somebody else may have typed codes of devices beyond. */
async function asSeen(trx: Trx, actor: Actor, task: queries.LockedTask): Promise<queries.LockedTask> {
  const { choice } = await codesSeen(trx, await scopeOf(trx, actor), { choices: [task.devices] })
  const { filters } = choice(task.devices, queries.isOwnChoice(task, actor.userId))
  return filters ? { ...task, devices: { ...task.devices, filters } } : task
}

/** A task as the operation log shows it; `chosenBefore`: what it was changed from. */
async function shown(
  trx: Trx,
  { packageIds, upgradeAt, remark, rule, devices }: Omit<queries.TaskValues, 'type'>,
  chosenBefore?: DeviceChoice,
) {
  // The packages show the type.
  const { equipTypeId: _, ...upgradeRule } = rule
  return {
    softwareFiles: await listFileNames(trx, packageIds),
    upgradeTime: upgradeAt,
    remark,
    upgradeRule,
    devices: shownDevices(devices, chosenBefore),
  }
}
