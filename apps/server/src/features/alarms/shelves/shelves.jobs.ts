import { firstKeptMonth } from '../../../domain/history/index.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { Job } from '../../../platform/database/jobs/jobs.ts'
import { deleteShelves } from './shelves.queries.ts'

/** Rows of one statement. */
const deletedAtOnce = 2_000

/** Deletes shelves that were over, and what they met, before the first month that the history keeps. */
export const createShelvesJob = ({ db, retentionDays }: { db: Db; retentionDays: number }): Job => ({
  name: 'alarms.forgetShelves',
  everyMs: 3_600_000,
  deletesByAge: true,
  async run(signal) {
    const before = firstKeptMonth(new Date(), retentionDays)
    while ((await deleteShelves(db, { before, limit: deletedAtOnce })) === deletedAtOnce)
      if (signal.aborted) return
  },
})
