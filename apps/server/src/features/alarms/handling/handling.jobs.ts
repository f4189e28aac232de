import { firstKeptMonth } from '../../../domain/history/index.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { Job } from '../../../platform/database/jobs/jobs.ts'
import { deleteCauses } from '../causes/causes.queries.ts'
import { deleteRepeats } from '../repeats/repeats.queries.ts'
import { deleteHandlings } from './handling.queries.ts'

/** Rows of one statement. */
const deletedAtOnce = 2_000

/** Deletes what people did about alarms whose month has left the history, and how these hung together. */
export const createHandlingJob = ({ db, retentionDays }: { db: Db; retentionDays: number }): Job => ({
  name: 'alarms.forgetHandling',
  everyMs: 3_600_000,
  deletesByAge: true,
  async run(signal) {
    const before = firstKeptMonth(new Date(), retentionDays)
    for (const deleteSome of [deleteHandlings, deleteRepeats, deleteCauses])
      while ((await deleteSome(db, { before, limit: deletedAtOnce })) === deletedAtOnce)
        if (signal.aborted) return
  },
})
