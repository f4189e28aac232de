import type { Db } from '../../platform/database/database.ts'
import type { Job } from '../../platform/database/jobs/jobs.ts'
import { retentionJob } from '../../platform/database/jobs/retention.ts'
import { deleteDeliveries } from './outbox/outbox.queries.ts'

/** Deletes messages that are older than the history. */
export const createNotificationsJob = ({ db, keptDays }: { db: Db; keptDays: number }): Job =>
  retentionJob({ name: 'notifications.forget', keptDays, deleteOld: (old) => deleteDeliveries(db, old) })
