import type { Db } from '../../platform/database/database.ts'
import type { Job } from '../../platform/jobs/jobs.ts'
import { retentionJob } from '../../platform/jobs/retention.ts'
import { deleteAttempts } from './attempts.queries.ts'

/** Forgets attempts that were made longer ago than the history goes back. What became of the devices stays. */
export const createAttemptsJob = ({ db, keptDays }: { db: Db; keptDays: number }): Job =>
  retentionJob({
    name: 'parameterBatches.forgetAttempts',
    keptDays,
    deleteOld: (old) => deleteAttempts(db, old),
  })
