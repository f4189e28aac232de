/**
 * Automatic upgrades: a release package that is marked for it is offered to every matching part that reports an older
 * version, by a task of its own. A device gets each package offered once, and only within the reach of everybody who
 * decided that: who made the package, who supplied its file, who switched it on, in whose name the task is, and who agreed
 * to it where it reaches more devices than one person decides about.
 */
import { UpgradeRule } from '@voltkeep/contract'
import * as z from 'zod/mini'
import type { DataScope } from '../../../domain/access/data-scope.ts'
import { readHoldings } from '../../../domain/access/holdings.ts'
import type { Client } from '../../../platform/calls/actor.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import type { Job } from '../../../platform/database/jobs/jobs.ts'
import { recordOperation } from '../../../platform/database/operation-log.ts'
import { sharedNow } from '../../../platform/process/clocks/shared-clock.ts'
import { type AutomaticConsent, lockPackage, standingOf } from '../../firmware/index.ts'
import { countPlanned } from '../targets/index.ts'
import { insertTask, planChoice, targetOf, wakeTasks } from '../tasks/index.ts'
import { type AutomaticPackage, listAutomaticPackages, listOutdatedDevices } from './automatic.queries.ts'

const everyMs = 60_000
/** The most devices of one task; the others follow when it is over. */
const devicesAtOnce = 5_000

const rule = z.parse(UpgradeRule, {})

const client: Client = {
  address: '',
  userAgent: null,
  requestId: '',
  call: 'upgrades.automatic',
  summary: '自动升级',
}

/** Makes a task for each package that has outdated devices and no automatic task under way. */
export function createAutomaticJob({
  db,
  consent,
  tellTasks,
}: {
  db: Db
  consent: Pick<AutomaticConsent, 'review' | 'told'>
  tellTasks: (ids: readonly number[]) => void
}): Job {
  return {
    name: 'upgrades.automatic',
    everyMs,
    async run(signal) {
      for (const { packageId, isUnderWay } of await listAutomaticPackages(db)) {
        if (signal.aborted) return
        if (isUnderWay) continue
        const { id, approvalId } = await db.transaction().execute((trx) => offer(trx, packageId, consent))
        if (id !== null) tellTasks([id])
        if (approvalId !== null) consent.told(approvalId)
      }
    },
  }
}

/** An automatic package whose people may all still decide, with the devices that all of them reach. */
interface Standing {
  package: AutomaticPackage
  scope: DataScope
}

/** The automatic packages that are not stopped, with those of the same board and part that are newer than each. */
async function standingPackages(db: Db, packageId: number) {
  const all = await listAutomaticPackages(db)
  const own = all.find((one) => one.packageId === packageId)
  if (!own) return null
  // One that waits for a second person keeps no other from its devices.
  const isNewer = ({ pcbBoardId, partType, major, minor, isHeld }: AutomaticPackage) =>
    !isHeld &&
    pcbBoardId === own.pcbBoardId &&
    partType === own.partType &&
    (major > own.major || (major === own.major && minor > own.minor))
  const standing = async (one: AutomaticPackage): Promise<Standing[]> => {
    const { scope } = await standingOf(db, one)
    return scope ? [{ package: one, scope }] : []
  }
  const [candidate] = await standing(own)
  if (!candidate) return null
  const newer: Standing[] = []
  for (const one of all.filter(isNewer)) newer.push(...(await standing(one)))
  return { candidate, newer }
}

interface Offered {
  /** The new task; null where no device needs one, one of the package's people is gone, or a second one has to agree. */
  id: number | null
  /** What has come to wait for that one, or waits no more. */
  approvalId: string | null
}

async function offer(
  trx: Trx,
  packageId: number,
  consent: Pick<AutomaticConsent, 'review'>,
): Promise<Offered> {
  // It may have been deleted or switched off since it was listed; from here on it is neither.
  await lockPackage(trx, packageId)
  const found = await standingPackages(trx, packageId)
  const codes = found
    ? await listOutdatedDevices(trx, found.candidate, found.newer, { limit: devicesAtOnce })
    : []
  // After they were listed: what is offered is what was counted.
  const { mayBeOffered, approvalId } = await consent.review(trx, packageId, client, codes)
  const isOffered =
    found !== null && mayBeOffered && codes.length > 0 && (await isForAny(trx, found.candidate, codes))
  return { id: isOffered ? await makeTask(trx, found.candidate.package, codes) : null, approvalId }
}

/** Whether a task would upgrade any of these devices: one without a device would end at once, and be made again. */
async function isForAny(
  trx: Trx,
  { package: { packageId, equipTypeId }, scope }: Standing,
  codes: readonly string[],
): Promise<boolean> {
  const choice = { packageIds: [packageId], equipTypeId, devices: { codes: [...codes] } }
  return (await countPlanned(trx, await planChoice(trx, scope, choice))).devices > 0
}

async function makeTask(
  trx: Trx,
  candidate: AutomaticPackage,
  codes: readonly string[],
): Promise<number | null> {
  const { packageId, equipTypeId, maker, switcher, supplier, approver } = candidate
  const holdings = await readHoldings(trx, [switcher.userId])
  const { organizationId, isSystem } = holdings.get(switcher.userId) ?? {}
  if (organizationId === undefined || isSystem === undefined) return null
  const agreed = approver ? `，${approver.name} 同意` : ''
  const deciders = `固件由 ${supplier.name} 上传，${switcher.name} 开启自动升级${agreed}`
  const id = await insertTask(trx, {
    type: 'AUTO',
    packageIds: [packageId],
    remark: deciders,
    upgradeAt: sharedNow(),
    endsAt: null,
    rule: { ...rule, equipTypeId: String(equipTypeId) },
    devices: { codes: [...codes] },
    equipTypeId,
    createdBy: switcher.userId,
    createdByName: switcher.name,
    organizationId,
    // The decision is the switching on, whatever its maker has become since.
    decidedIn: switcher.decidedIn ?? null,
    approvedBy: approver,
    approvedIn: approver?.decidedIn ?? null,
  })
  await recordOperation(
    trx,
    {
      userId: switcher.userId,
      loginName: switcher.name,
      organizationId,
      isSystem,
      client,
    },
    {
      target: await targetOf(trx, { id, equipTypeId, packageIds: [packageId] }),
      changes: {
        after: {
          createdBy: maker.name,
          uploadBy: supplier.name,
          autoUpgradeBy: switcher.name,
          ...(approver && { agreedBy: approver.name }),
          devices: { count: codes.length },
        },
      },
    },
  )
  await wakeTasks(trx, 0)
  return id
}
