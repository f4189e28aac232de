import type { Db } from '../../platform/database/database.ts'
import type { Job } from '../../platform/database/jobs/jobs.ts'
import { retentionJob } from '../../platform/database/jobs/retention.ts'
import { deleteRates } from './channels/rates.queries.ts'
import { deleteRuns } from './escalations/escalations.queries.ts'
import { deleteDeliveries } from './outbox/outbox.queries.ts'

/** Deletes escalations that were over before the history begins. */
export const createEscalationsJob = ({ db, keptDays }: { db: Db; keptDays: number }): Job =>
  retentionJob({ name: 'notifications.escalations', keptDays, deleteOld: (old) => deleteRuns(db, old) })

/** Deletes messages that are older than the history. */
export const createNotificationsJob = ({ db, keptDays }: { db: Db; keptDays: number }): Job =>
  retentionJob({ name: 'notifications.forget', keptDays, deleteOld: (old) => deleteDeliveries(db, old) })

/** Deletes rates of addresses that no channel has had for a day: until then they hold for who enters one anew. */
export const createRatesJob = (db: Db): Job =>
  retentionJob({ name: 'notifications.rates', keptDays: 1, deleteOld: (old) => deleteRates(db, old) })
