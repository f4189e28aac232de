/** Upgrades that begin at once: of single devices, and rollbacks. */
import {
  type exportLeftOutOfRollback,
  type ParsedInputFor,
  type previewRollback,
  type rollBackUpgradeTask,
  UpgradeRule,
  type upgradeDevices,
  type upgradeDevicesByBoard,
  upgradePackagesLimit,
} from '@voltkeep/contract'
import * as z from 'zod/mini'
import { type DataScope, scopeOf } from '../../../domain/access/data-scope.ts'
import { leftOutFile } from '../../../domain/device-work/left-out.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import { Refusal, refuse, refuseInput } from '../../../platform/calls/refusal.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { idNumber } from '../../../platform/database/ids.ts'
import { recordOperation, shownDevices } from '../../../platform/database/operation-log.ts'
import { sharedNow } from '../../../platform/process/clocks/shared-clock.ts'
import { isReached, limitsOf } from '../../firmware/index.ts'
import {
  type AskUpgrade,
  type DoUpgrade,
  refuseOther,
  type UpgradeConsent,
  type UpgradeDeed,
  type UpgradeDone,
} from '../consent/index.ts'
import {
  countPlanned,
  leftOutBy,
  listEarlierFiles,
  listEarlierPackages,
  readPreview,
  readRollbackPreview,
  skipTexts,
} from '../targets/index.ts'
import {
  type BoardRelease,
  listDeviceCodes,
  listReleasesOfBoard,
  readPlacesOfDevices,
} from './direct.queries.ts'
import { type PackageChoice, packagesOf } from './task-form.ts'
import { listFileNames, listFiles, targetOf } from './task-lists.queries.ts'
import { insertOwn } from './task-moves.ts'
import { planChoice, planRollback } from './task-plan.ts'
import { isBeyondScope, recountFor } from './task-reach.ts'
import { lockTask } from './tasks.queries.ts'

export type DirectUpgrades = ReturnType<typeof createDirectUpgrades>

/** One stage without a soak: somebody watches these devices. */
const atOnce = z.parse(UpgradeRule, { stages: [{ percent: 100, soakMinutes: 0 }], skipGate: true })

export function createDirectUpgrades({
  db,
  tellTasks,
  ask,
}: {
  db: Db
  /** Called after the commit. */
  tellTasks: (ids: readonly number[]) => void
  ask: AskUpgrade
}) {
  const begin = async (act: (trx: Trx) => Promise<UpgradeDone>) => {
    const { answer, afterCommit } = await db.transaction().execute(act)
    afterCommit()
    return answer
  }
  const made = (id: number): UpgradeDone => ({ answer: { id }, afterCommit: () => tellTasks([id]) })

  const devices: DoUpgrade<'devices'> = (trx, actor, form, consent) =>
    upgradeNow(trx, actor, { call: 'devices', form }, form, consent)

  const board: DoUpgrade<'board'> = async (trx, actor, form, consent) => {
    const { pcbCode, version } = form
    const releases = await listReleasesOfBoard(trx, pcbCode, version)
    const ids = await newestFor(trx, deviceIdsOf(form), releases)
    if (ids.length === 0) refuseInput({ field: 'pcbCode', message: '该板卡没有可用的正式版软件' })
    return upgradeNow(trx, actor, { call: 'board', form }, { softwareVersionIds: ids.map(String) }, consent)
  }

  async function upgradeNow(
    trx: Trx,
    actor: Actor,
    deed: UpgradeDeed & { call: 'devices' | 'board' },
    choice: PackageChoice,
    consent: UpgradeConsent | null,
  ): Promise<UpgradeDone> {
    const task = await planNow(trx, actor, deed.form, choice)
    const files = await listFiles(trx, task.packageIds)
    const about = {
      subject: '升级设备',
      files,
      countDevices: async () => (await countPlanned(trx, task.plan)).possible,
    }
    const waiting = consent ? null : await ask(trx, actor, deed, about)
    if (waiting) return waiting
    if (consent) refuseOther(consent, files, await about.countDevices())
    return made(await insertNow(trx, actor, deed.form, task, consent))
  }

  const rollBack: DoUpgrade<'rollBack'> = async (trx, actor, form, consent) => {
    const { id, stage } = form
    const { task, plan } = await rollbackOf(trx, actor, { id, stage })
    const { chosen, devices: deviceCount, skipped } = await readRollbackPreview(trx, plan)
    if (chosen === 0) refuse('upgradeNothingToRollBack')
    if (deviceCount === 0) {
      const reasons = new Set(skipped.map(({ reason, note }) => note ?? skipTexts[reason]))
      throw new Refusal('upgradeNothingToRollBack', null, `没有可以回退的设备：${[...reasons].join('、')}`)
    }
    const packageIds = await listEarlierPackages(trx, plan)
    const { equipTypeId, rule } = task
    const target = await targetOf(trx, task)
    const about = {
      subject: `回退${target}`,
      files: await listEarlierFiles(trx, plan),
      countDevices: async () => (await countPlanned(trx, plan)).possible,
    }
    const waiting = consent ? null : await ask(trx, actor, { call: 'rollBack', form }, about)
    if (waiting) return waiting
    if (consent) refuseOther(consent, about.files, await about.countDevices())
    const taskId = await insertOwn(trx, actor, {
      type: 'ROLLBACK',
      packageIds,
      equipTypeId,
      devices: { isAll: 1 },
      remark: `回退升级任务 ${task.id}`,
      upgradeAt: sharedNow(),
      endsAt: null,
      rule: { ...atOnce, equipTypeId: String(equipTypeId), pacePerMinute: rule.pacePerMinute },
      rollbackOf: task.id,
      rollbackStage: stage ?? null,
      approvedBy: consent?.agreedBy ?? null,
    })
    await recordOperation(trx, actor, {
      target,
      changes: {
        after: {
          rollbackTask: taskId,
          ...(stage !== undefined && { stage }),
          ...(consent && { agreedBy: consent.agreedBy.name }),
        },
      },
    })
    return made(taskId)
  }

  return {
    /**
     * Throws `deviceNotFound` where one of the devices is out of the caller's scope, `upgradeBusy` where all of them
     * are being upgraded, and refuses (400) packages that are for none of them. It may wait for a second person, as may
     * the other two.
     */
    upgradeDevices: (actor: Actor, form: ParsedInputFor<typeof upgradeDevices>) =>
      begin((trx) => devices(trx, actor, form, null)),

    /**
     * The same with the newest release of a board that its people may bring to a device, or the one of a version.
     */
    upgradeByBoard: (actor: Actor, form: ParsedInputFor<typeof upgradeDevicesByBoard>) =>
      begin((trx) => board(trx, actor, form, null)),

    /** The effect that `rollBack` would have now. Throws what that throws of the task. */
    previewRollback: (actor: Actor, input: ParsedInputFor<typeof previewRollback>) =>
      db
        .transaction()
        .execute(async (trx) => readRollbackPreview(trx, (await rollbackOf(trx, actor, input)).plan)),

    /** An .xlsx of the devices that `rollBack` would leave out now. Throws what that throws of the task. */
    exportLeftOutOfRollback: (actor: Actor, input: ParsedInputFor<typeof exportLeftOutOfRollback>) =>
      db.transaction().execute(async (trx) => {
        const { plan } = await rollbackOf(trx, actor, input)
        return leftOutFile(trx, '不能回退的设备', leftOutBy(plan), skipTexts)
      }),

    /**
     * A task that takes back the upgrades of another one. Throws `upgradeReachesBeyond` where the caller does not see
     * all of it, and `upgradeNothingToRollBack` where no device would get its former version back.
     */
    rollBack: (actor: Actor, form: ParsedInputFor<typeof rollBackUpgradeTask>) =>
      begin((trx) => rollBack(trx, actor, form, null)),

    doers: { devices, board, rollBack },
  }
}

/** The task, locked, of which the caller sees all, and the plan of its rollback. */
async function rollbackOf(trx: Trx, actor: Actor, { id, stage }: ParsedInputFor<typeof rollBackUpgradeTask>) {
  const task = (await lockTask(trx, actor, idNumber(id))) ?? refuse('upgradeTaskNotFound')
  const scope = await scopeOf(trx, actor)
  await recountFor(trx, scope, task.id)
  if (await isBeyondScope(trx, scope, task)) refuse('upgradeReachesBeyond')
  const plan = await planRollback(trx, scope, { rollbackOf: task.id, stage: stage ?? null, taskId: null })
  return { task, plan }
}

interface DevicesForm {
  equipId?: string | undefined
  equipIds?: string[] | undefined
  remark?: string | undefined
}

/** What an upgrade that begins at once would do; refused where it would do nothing. */
async function planNow(trx: Trx, actor: Actor, form: DevicesForm, choice: PackageChoice) {
  const { packageIds, equipTypeId } = await packagesOf(trx, choice)
  const scope = await scopeOf(trx, actor)
  const devices = { codes: await codesOf(trx, scope, form) }
  const plan = await planChoice(trx, scope, { packageIds, equipTypeId, devices })
  const planned = await readPreview(trx, plan)
  if (planned.devices === 0) {
    const { skip = null, note = null } = planned.parts.find((part) => part.skip !== null) ?? {}
    if (skip === 'busy') refuse('upgradeBusy')
    const message = note ?? (skip ? skipTexts[skip] : '设备类型与软件文件不一致')
    refuseInput({ field: choice.softwareVersionIds ? 'softwareVersionIds' : 'softwareVersionId', message })
  }
  return { packageIds, equipTypeId, devices, plan }
}

async function insertNow(
  trx: Trx,
  actor: Actor,
  form: DevicesForm,
  { packageIds, equipTypeId, devices }: Awaited<ReturnType<typeof planNow>>,
  consent: UpgradeConsent | null,
): Promise<number> {
  const made = await insertOwn(trx, actor, {
    type: 'SINGLE',
    packageIds,
    equipTypeId,
    devices,
    remark: form.remark ?? null,
    upgradeAt: sharedNow(),
    endsAt: null,
    rule: { ...atOnce, equipTypeId: String(equipTypeId) },
    approvedBy: consent?.agreedBy ?? null,
  })
  await recordOperation(trx, actor, {
    target: await targetOf(trx, { id: made, equipTypeId, packageIds }),
    changes: {
      after: {
        devices: shownDevices(devices),
        softwareFiles: await listFileNames(trx, packageIds),
        ...(consent && { agreedBy: consent.agreedBy.name }),
      },
    },
  })
  return made
}

const deviceIdsOf = ({ equipId, equipIds }: DevicesForm): number[] => [
  ...new Set((equipIds?.length ? equipIds : [equipId ?? '']).map(idNumber)),
]

/**
 * Of a board's releases, the newest first: those that the devices get. A version is followed by older ones only for
 * devices that its people do not reach; a device takes the first that fits it.
 */
async function newestFor(
  trx: Trx,
  deviceIds: readonly number[],
  releases: readonly BoardRelease[],
): Promise<number[]> {
  const limits = await limitsOf(trx, releases)
  let left = await readPlacesOfDevices(trx, deviceIds)
  const taken: BoardRelease[] = []
  for (const { version } of releases) {
    if (left.length === 0) break
    const own = releases.filter((one) => one.version === version && !taken.includes(one))
    const reaching = own.filter((one) => left.some((place) => isReached(limits, one, place)))
    taken.push(...reaching)
    left = left.filter((place) => !reaching.some((one) => isReached(limits, one, place)))
  }
  // What reaches none of them is refused with the reason.
  const [newest] = releases
  const chosen = taken.length > 0 ? taken : releases.filter(({ version }) => version === newest?.version)
  return chosen.slice(0, upgradePackagesLimit).map(({ packageId }) => packageId)
}

async function codesOf(trx: Trx, scope: DataScope, form: DevicesForm): Promise<string[]> {
  const ids = deviceIdsOf(form)
  const codes = await listDeviceCodes(trx, scope, ids)
  if (codes.length < ids.length) refuse('deviceNotFound')
  return codes
}
