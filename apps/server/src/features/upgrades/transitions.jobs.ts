import type { Db } from '../../platform/database/database.ts'
import type { Job } from '../../platform/jobs/jobs.ts'
import { deleteTransitions } from './transitions.queries.ts'

const dayMs = 86_400_000
/** Of one statement. */
const deletedAtOnce = 5_000

/** Forgets what happened to tasks, stages and targets longer ago than the history goes back. Their results stay. */
export const createTransitionsJob = ({ db, keptDays }: { db: Db; keptDays: number }): Job => ({
  name: 'upgrades.forgetTransitions',
  everyMs: 3_600_000,
  async run(signal) {
    const before = new Date(Date.now() - keptDays * dayMs)
    let count: number
    do count = await deleteTransitions(db, { before, limit: deletedAtOnce })
    while (count === deletedAtOnce && !signal.aborted)
  },
})
