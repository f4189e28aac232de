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
import { isReached, limitsOf } from '../../firmware/index.ts'
import {
  leftOutBy,
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
import { listFileNames, targetOf } from './task-lists.queries.ts'
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
}: {
  db: Db
  /** Called after the commit. */
  tellTasks: (ids: readonly number[]) => void
}) {
  const begin = async (make: (trx: Trx) => Promise<number>) => {
    const id = await db.transaction().execute(make)
    tellTasks([id])
    return { id }
  }

  return {
    /**
     * Throws `deviceNotFound` where one of the devices is out of the caller's scope, `upgradeBusy` where all of them
     * are being upgraded, and refuses (400) packages that are for none of them.
     */
    upgradeDevices: (actor: Actor, input: ParsedInputFor<typeof upgradeDevices>) =>
      begin((trx) => upgradeNow(trx, actor, input, input)),

    /**
     * The same with the newest release of a board that its people may bring to a device, or the one of a version.
     */
    upgradeByBoard: (
      actor: Actor,
      { pcbCode, version, ...input }: ParsedInputFor<typeof upgradeDevicesByBoard>,
    ) =>
      begin(async (trx) => {
        const ids = await newestFor(trx, deviceIdsOf(input), await listReleasesOfBoard(trx, pcbCode, version))
        if (ids.length === 0) refuseInput({ field: 'pcbCode', message: '该板卡没有可用的正式版软件' })
        return upgradeNow(trx, actor, input, { softwareVersionIds: ids.map(String) })
      }),

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
    rollBack: (actor: Actor, { id, stage }: ParsedInputFor<typeof rollBackUpgradeTask>) =>
      begin(async (trx) => {
        const { task, plan } = await rollbackOf(trx, actor, { id, stage })
        const { chosen, devices, skipped } = await readRollbackPreview(trx, plan)
        if (chosen === 0) refuse('upgradeNothingToRollBack')
        if (devices === 0) {
          const reasons = new Set(skipped.map(({ reason, note }) => note ?? skipTexts[reason]))
          throw new Refusal(
            'upgradeNothingToRollBack',
            null,
            `没有可以回退的设备：${[...reasons].join('、')}`,
          )
        }
        const earlier = await listEarlierPackages(trx, plan)
        const { equipTypeId, rule } = task
        const target = await targetOf(trx, task)
        const made = await insertOwn(trx, actor, {
          type: 'ROLLBACK',
          packageIds: earlier,
          equipTypeId,
          devices: { isAll: 1 },
          remark: `回退升级任务 ${task.id}`,
          upgradeAt: new Date(),
          endsAt: null,
          rule: { ...atOnce, equipTypeId: String(equipTypeId), pacePerMinute: rule.pacePerMinute },
          rollbackOf: task.id,
          rollbackStage: stage ?? null,
        })
        await recordOperation(trx, actor, {
          target,
          changes: { after: { rollbackTask: made, ...(stage !== undefined && { stage }) } },
        })
        return made
      }),
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

async function upgradeNow(trx: Trx, actor: Actor, form: DevicesForm, choice: PackageChoice): Promise<number> {
  const { packageIds, equipTypeId } = await packagesOf(trx, choice)
  const scope = await scopeOf(trx, actor)
  const devices = { codes: await codesOf(trx, scope, form) }
  const planned = await readPreview(trx, await planChoice(trx, scope, { packageIds, equipTypeId, devices }))
  if (planned.devices === 0) {
    const { skip = null, note = null } = planned.parts.find((part) => part.skip !== null) ?? {}
    if (skip === 'busy') refuse('upgradeBusy')
    const message = note ?? (skip ? skipTexts[skip] : '设备类型与软件文件不一致')
    refuseInput({ field: choice.softwareVersionIds ? 'softwareVersionIds' : 'softwareVersionId', message })
  }
  const made = await insertOwn(trx, actor, {
    type: 'SINGLE',
    packageIds,
    equipTypeId,
    devices,
    remark: form.remark ?? null,
    upgradeAt: new Date(),
    endsAt: null,
    rule: { ...atOnce, equipTypeId: String(equipTypeId) },
  })
  await recordOperation(trx, actor, {
    target: await targetOf(trx, { id: made, equipTypeId, packageIds }),
    changes: {
      after: { devices: shownDevices(devices), softwareFiles: await listFileNames(trx, packageIds) },
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
