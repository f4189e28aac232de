import type pg from 'pg'
import type { Db } from '../../platform/database/database.ts'
import type { Job } from '../../platform/database/jobs/jobs.ts'
import { retentionJob } from '../../platform/database/jobs/retention.ts'
import { beginByIndex, inTransaction } from '../../platform/database/transaction.ts'
import { deleteEmptyStays, deleteOldStays, mendPlaces } from './retention.queries.ts'

/** As long as the hours of readings. */
const staysKeptDays = 400
/** An empty compartment says where a late report belongs: a device need not repeat one that is older than this. */
const emptyKeptDays = 7
const mendLimitMs = 30_000

export const batteryJobs = (db: Db, pool: pg.Pool): Job[] => [
  retentionJob({
    name: 'batteries.trimEmpty',
    keptDays: emptyKeptDays,
    deleteOld: (old) => deleteEmptyStays(db, old),
  }),
  retentionJob({
    name: 'batteries.trimStays',
    keptDays: staysKeptDays,
    deleteOld: (old) => deleteOldStays(db, old),
  }),
  {
    // The devices of these batteries were deleted, or their last stays.
    name: 'batteries.mendPlaces',
    everyMs: 60_000,
    async run(signal) {
      const mend = () =>
        inTransaction(pool, { begin: () => beginByIndex, queryLimitMs: mendLimitMs }, mendPlaces)
      while (!signal.aborted && (await mend()) > 0);
    },
  },
]
