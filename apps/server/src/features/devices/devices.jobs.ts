import type { Db } from '../../platform/database/database.ts'
import type { Job } from '../../platform/database/jobs/jobs.ts'
import { retentionJob } from '../../platform/database/jobs/retention.ts'
import { deleteConnections } from './devices.queries.ts'

const connectionsKeptDays = 90

export const deviceJobs = (db: Db): Job[] => [
  retentionJob({
    name: 'devices.trimConnections',
    keptDays: connectionsKeptDays,
    deleteOld: (old) => deleteConnections(db, old),
  }),
]
