import type { Db } from '../../platform/database/database.ts'
import type { Job } from '../../platform/database/jobs/jobs.ts'
import { retentionJob } from '../../platform/database/jobs/retention.ts'
import { deleteTransitions } from './transitions.queries.ts'

/** Deletes transitions of tasks, stages and targets that are older than the history. Their results stay. */
export const createTransitionsJob = ({ db, keptDays }: { db: Db; keptDays: number }): Job =>
  retentionJob({
    name: 'upgrades.forgetTransitions',
    keptDays,
    deleteOld: (old) => deleteTransitions(db, old),
  })
