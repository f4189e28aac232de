import type pg from 'pg'
import type { Statements } from '../database/statements.ts'
import type { Job } from '../jobs/jobs.ts'
import { deleteFinished } from './commands.queries.ts'

/** Devices repeat an answer for seven days at most; operators look back a little further. */
const keptDays = 30
const deletedAtOnce = 5_000

export const commandJobs = (pool: pg.Pool): Job[] => [
  {
    name: 'commands.forget',
    everyMs: 3_600_000,
    async run(signal) {
      const before = new Date(Date.now() - keptDays * 86_400_000)
      let count: number
      do count = await deleteFinished(pool as Statements, { before, limit: deletedAtOnce })
      while (count === deletedAtOnce && !signal.aborted)
    },
  },
]
