/**
 * Automatic upgrades: a release package that is marked for it is offered to every matching part that reports an older
 * version, by a task of its own. A device gets each package offered once, and only within the reach of everybody who
 * decided that: who made the package, who supplied its file, and who switched it on, in whose name the task is.
 */
import { UpgradeRule } from '@voltkeep/contract'
import * as z from 'zod/mini'
import type { DataScope } from '../../../domain/access/data-scope.ts'
import { readHoldings } from '../../../domain/access/holdings.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import type { Job } from '../../../platform/database/jobs/jobs.ts'
import { recordOperation } from '../../../platform/database/operation-log.ts'
import { lockPackagesShared, standingOf } from '../../firmware/index.ts'
import { type AutomaticPackage, listAutomaticPackages, listOutdatedDevices } from './automatic.queries.ts'
import { targetOf } from './task-lists.queries.ts'
import { wakeTasks } from './task-moves.ts'
import { insertTask } from './tasks.queries.ts'

const everyMs = 60_000
/** The most devices of one task; the others follow when it is over. */
const devicesAtOnce = 5_000

const rule = z.parse(UpgradeRule, {})

/** Makes a task for each package that has outdated devices and no automatic task under way. */
export function createAutomaticJob({
  db,
  tellTasks,
}: {
  db: Db
  tellTasks: (ids: readonly number[]) => void
}): Job {
  return {
    name: 'upgrades.automatic',
    everyMs,
    async run(signal) {
      for (const { packageId, isUnderWay } of await listAutomaticPackages(db)) {
        if (signal.aborted) return
        if (isUnderWay) continue
        const id = await db.transaction().execute((trx) => offer(trx, packageId))
        if (id !== null) tellTasks([id])
      }
    },
  }
}

/** An automatic package whose people may all still decide, with the devices that all of them reach. */
export interface Standing {
  package: AutomaticPackage
  scope: DataScope
}

/** The automatic packages that are not stopped, with those of the same board and part that are newer than each. */
export async function standingPackages(db: Db, packageId: number) {
  const all = await listAutomaticPackages(db)
  const own = all.find((one) => one.packageId === packageId)
  if (!own) return null
  const isNewer = ({ pcbBoardId, partType, major, minor }: AutomaticPackage) =>
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

/** Answers the new task; null where no device needs one, or one of the package's people is gone. */
async function offer(trx: Trx, packageId: number): Promise<number | null> {
  // It may have been deleted or switched off since it was listed; from here on it is neither.
  await lockPackagesShared(trx, [packageId])
  const found = await standingPackages(trx, packageId)
  if (!found) return null
  const { candidate, newer } = found
  const { equipTypeId, switcher, supplier } = candidate.package
  const codes = await listOutdatedDevices(trx, candidate, newer, { limit: devicesAtOnce })
  const holdings = await readHoldings(trx, [switcher.userId])
  const { organizationId, isSystem } = holdings.get(switcher.userId) ?? {}
  if (codes.length === 0 || organizationId === undefined || isSystem === undefined) return null
  const deciders = `固件由 ${supplier.name} 上传，${switcher.name} 开启自动升级`
  const id = await insertTask(trx, {
    type: 'AUTO',
    packageIds: [packageId],
    remark: deciders,
    upgradeAt: new Date(),
    endsAt: null,
    rule: { ...rule, equipTypeId: String(equipTypeId) },
    devices: { codes },
    equipTypeId,
    createdBy: switcher.userId,
    createdByName: switcher.name,
    organizationId,
    // The decision is the switching on, whatever its maker has become since.
    decidedIn: switcher.decidedIn ?? null,
  })
  await recordOperation(
    trx,
    {
      userId: switcher.userId,
      loginName: switcher.name,
      organizationId,
      isSystem,
      client: {
        address: '',
        userAgent: null,
        requestId: '',
        call: 'upgrades.automatic',
        summary: '自动升级',
      },
    },
    {
      target: await targetOf(trx, { id, equipTypeId, packageIds: [packageId] }),
      changes: {
        after: {
          createdBy: candidate.package.maker.name,
          uploadBy: supplier.name,
          autoUpgradeBy: switcher.name,
          devices: { count: codes.length },
        },
      },
    },
  )
  await wakeTasks(trx, 0)
  return id
}
