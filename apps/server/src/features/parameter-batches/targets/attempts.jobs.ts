import type { Db } from '../../../platform/database/database.ts'
import type { Job } from '../../../platform/database/jobs/jobs.ts'
import { retentionJob } from '../../../platform/database/jobs/retention.ts'
import { deleteAttempts } from './attempts.queries.ts'

/** Deletes attempts that are older than the history. The results of the devices stay. */
export const createAttemptsJob = ({ db, keptDays }: { db: Db; keptDays: number }): Job =>
  retentionJob({
    name: 'parameterBatches.forgetAttempts',
    keptDays,
    deleteOld: (old) => deleteAttempts(db, old),
  })
