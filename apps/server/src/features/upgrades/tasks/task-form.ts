// Reads a task's form: locks its packages, checks its times, fills the type into its rule.
import { type DeviceChoice, formatDateTime, type UpgradeRule } from '@voltkeep/contract'
import { type DataScope, scopeOf } from '../../../domain/access/data-scope.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import { refuseInput } from '../../../platform/calls/refusal.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { idNumber } from '../../../platform/database/ids.ts'
import { endMoment, rangeEdges } from '../../../platform/process/clock.ts'
import { sharedNowMs } from '../../../platform/process/clocks/shared-clock.ts'
import { lockPackagesShared, type PackageRecord } from '../../firmware/index.ts'
import { countPlanned } from '../targets/index.ts'
import { planWithin } from './task-plan.ts'
import type { TaskValues } from './tasks.queries.ts'

export interface PackageChoice {
  softwareVersionId?: string | undefined
  softwareVersionIds?: string[] | undefined
}

export interface TaskForm extends PackageChoice {
  remark?: string | undefined
  upgradeTime: string
  upgradeRule: UpgradeRule
  devices: DeviceChoice
}

/** How late a form may be saved after the time in it. */
const toleranceMs = 5 * 60_000

/**
 * The values of a task by its form. Refuses (400) packages that do not exist or are for other types, a time that is
 * past, an end before it, and a choice without devices, or without any that the packages' people reach.
 */
export async function taskOf(trx: Trx, actor: Actor, form: TaskForm): Promise<Omit<TaskValues, 'type'>> {
  const { packageIds, equipTypeId } = await packagesOf(trx, form, form.upgradeRule.equipTypeId)
  const { upgradeAt, endsAt } = timesOf(form)
  const { devices, upgradeRule, remark } = form
  await refuseWithoutDevices(trx, await scopeOf(trx, actor), { packageIds, equipTypeId, devices })
  return {
    packageIds,
    equipTypeId,
    devices,
    remark: remark ?? null,
    upgradeAt,
    endsAt,
    rule: {
      ...upgradeRule,
      ...(endsAt && { endTime: formatDateTime(endsAt) }),
      equipTypeId: String(equipTypeId),
    },
  }
}

/** The packages, locked so that nobody deletes them while the task is being written. */
export async function packagesOf(
  trx: Trx,
  choice: PackageChoice,
  equipType?: string,
): Promise<{ packageIds: number[]; equipTypeId: number; packages: PackageRecord[] }> {
  const packageIds = packageIdsOf(choice)
  const found = new Map((await lockPackagesShared(trx, packageIds)).map((one) => [one.id, one]))
  const packages = packageIds.flatMap((id) => found.get(id) ?? [])
  const field = choice.softwareVersionIds ? 'softwareVersionIds' : 'softwareVersionId'
  const [first] = packages
  if (!first || packages.length < packageIds.length) return refuseInput({ field, message: '软件文件不存在' })
  const { equipTypeId } = first
  if (packages.some((one) => one.equipTypeId !== equipTypeId))
    refuseInput({ field, message: '所选软件文件的设备类型不一致' })
  if (equipType !== undefined && idNumber(equipType) !== equipTypeId)
    refuseInput({ field: 'upgradeRule.equipTypeId', message: '设备类型与软件文件不一致' })
  return { packageIds, equipTypeId, packages }
}

/** Each once, in their order. */
function packageIdsOf({ softwareVersionId, softwareVersionIds }: PackageChoice): number[] {
  const ids = softwareVersionIds?.length ? softwareVersionIds : [softwareVersionId ?? '']
  return [...new Set(ids.map(idNumber))]
}

function timesOf({ upgradeTime, upgradeRule }: TaskForm): { upgradeAt: Date; endsAt: Date | null } {
  const { from: upgradeAt } = rangeEdges({ startTime: upgradeTime })
  const endsAt = upgradeRule.endTime === undefined ? null : endMoment(upgradeRule.endTime)
  if (!upgradeAt) throw new Error('the schema requires it')
  if (upgradeAt.getTime() < sharedNowMs() - toleranceMs)
    refuseInput({ field: 'upgradeTime', message: '升级时间不能早于当前时间' })
  if (endsAt && endsAt <= upgradeAt)
    refuseInput({ field: 'upgradeRule.endTime', message: '任务结束时间应晚于升级时间' })
  return { upgradeAt, endsAt }
}

async function refuseWithoutDevices(
  db: Db,
  scope: DataScope,
  task: Pick<TaskValues, 'packageIds' | 'equipTypeId' | 'devices'>,
): Promise<void> {
  const { chosen, beyond } = await countPlanned(
    db,
    await planWithin(db, scope, { ...task, packageIds: [...task.packageIds] }),
  )
  if (chosen === 0) refuseInput({ field: 'devices', message: '没有符合条件的设备' })
  if (beyond !== null) refuseInput({ field: 'devices', message: `所选设备均不能升级：${beyond}` })
}
