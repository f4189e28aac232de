import type { Db } from '../../platform/database/database.ts'
import type { Job } from '../../platform/database/jobs/jobs.ts'
import { retentionJob } from '../../platform/database/jobs/retention.ts'
import { deleteHandovers } from './handover.queries.ts'

/** Deletes pages of shifts that ended longer ago than the history is kept. */
export const createHandoverJob = ({ db, keptDays }: { db: Db; keptDays: number }): Job =>
  retentionJob({ name: 'handover.forget', keptDays, deleteOld: (old) => deleteHandovers(db, old) })
