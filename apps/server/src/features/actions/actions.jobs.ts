import type { Db } from '../../platform/database/database.ts'
import type { Job } from '../../platform/database/jobs/jobs.ts'
import { retentionJob } from '../../platform/database/jobs/retention.ts'
import { deleteActions } from './actions.queries.ts'

/** Deletes actions that are older than the history. */
export const createActionsJob = ({ db, keptDays }: { db: Db; keptDays: number }): Job =>
  retentionJob({ name: 'actions.forget', keptDays, deleteOld: (old) => deleteActions(db, old) })
