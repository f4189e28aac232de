import type { Db } from '../../platform/database/database.ts'
import type { Job } from '../../platform/database/jobs/jobs.ts'
import { retentionJob } from '../../platform/database/jobs/retention.ts'
import { deleteApprovals } from './approvals.queries.ts'

/** Deletes approvals that are older than the history. */
export const createApprovalsJob = ({ db, keptDays }: { db: Db; keptDays: number }): Job =>
  retentionJob({ name: 'approvals.forget', keptDays, deleteOld: (old) => deleteApprovals(db, old) })
