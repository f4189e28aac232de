/**
 * Automatic upgrades: a release package that is marked for it is offered to every matching part that reports an older
 * version, by a task of its own. A device gets each package offered once.
 */
import { UpgradeRule } from '@voltkeep/contract'
import * as z from 'zod/mini'
import { scopeOf } from '../../domain/access/data-scope.ts'
import { readHoldings } from '../../domain/access/holdings.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Job } from '../../platform/jobs/jobs.ts'
import { listAutomaticPackages, listOutdatedDevices } from './automatic.queries.ts'
import { wakeTasks } from './tasks.moves.ts'
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
      for (const candidate of await listAutomaticPackages(db)) {
        if (signal.aborted) return
        const id = await offer(db, candidate)
        if (id !== null) tellTasks([id])
      }
    },
  }
}

type Candidate = Awaited<ReturnType<typeof listAutomaticPackages>>[number]

/** Answers the new task; null where no device needs one, or the package's creator is gone. */
async function offer(
  db: Db,
  { packageId, equipTypeId, createdBy, createdByName }: Candidate,
): Promise<number | null> {
  return db.transaction().execute(async (trx) => {
    const creator = (await readHoldings(trx, [createdBy])).get(createdBy)
    if (!creator) return null
    const codes = await listOutdatedDevices(trx, await scopeOf(trx, creator), {
      packageId,
      limit: devicesAtOnce,
    })
    if (codes.length === 0) return null
    const id = await insertTask(trx, {
      type: 'AUTO',
      packageIds: [packageId],
      remark: null,
      upgradeAt: new Date(),
      endsAt: null,
      rule: { ...rule, equipTypeId: String(equipTypeId) },
      devices: { codes },
      equipTypeId,
      createdBy,
      createdByName,
      organizationId: creator.organizationId,
    })
    await wakeTasks(trx, 0)
    return id
  })
}
