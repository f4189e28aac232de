import type pg from 'pg'
import type { Job } from '../../database/jobs/jobs.ts'
import { retentionJob } from '../../database/jobs/retention.ts'
import type { Statements } from '../../database/statements.ts'
import { deleteFinished } from './commands.queries.ts'

/** Devices repeat an answer for seven days at most; operators look back a little further. */
const keptDays = 30

export const commandJobs = (pool: pg.Pool): Job[] => [
  retentionJob({
    name: 'commands.forget',
    keptDays,
    deleteOld: (old) => deleteFinished(pool as Statements, old),
  }),
]
