import type { Db } from '../../platform/database/database.ts'
import type { Job } from '../../platform/jobs/jobs.ts'
import { deleteAttempts } from './attempts.queries.ts'

const dayMs = 86_400_000
/** Of one statement. */
const deletedAtOnce = 5_000

/** Forgets attempts that were made longer ago than the history goes back. What became of the devices stays. */
export const createAttemptsJob = ({ db, keptDays }: { db: Db; keptDays: number }): Job => ({
  name: 'parameterBatches.forgetAttempts',
  everyMs: 3_600_000,
  async run(signal) {
    const before = new Date(Date.now() - keptDays * dayMs)
    let count: number
    do count = await deleteAttempts(db, { before, limit: deletedAtOnce })
    while (count === deletedAtOnce && !signal.aborted)
  },
})
