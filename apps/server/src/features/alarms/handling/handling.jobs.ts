import { firstKeptMonth } from '../../../domain/history/index.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { Job } from '../../../platform/database/jobs/jobs.ts'
import { deleteHandlings } from './handling.queries.ts'

/** Rows of one statement. */
const deletedAtOnce = 2_000

/** Deletes what people did about alarms whose month has left the history. */
export const createHandlingJob = ({ db, retentionDays }: { db: Db; retentionDays: number }): Job => ({
  name: 'alarms.forgetHandling',
  everyMs: 3_600_000,
  deletesByAge: true,
  async run(signal) {
    const before = firstKeptMonth(new Date(), retentionDays)
    while ((await deleteHandlings(db, { before, limit: deletedAtOnce })) === deletedAtOnce)
      if (signal.aborted) return
  },
})
