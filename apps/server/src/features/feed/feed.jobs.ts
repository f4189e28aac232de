import { feedDays } from '@voltkeep/contract'
import type { Db } from '../../platform/database/database.ts'
import type { Job } from '../../platform/database/jobs/jobs.ts'
import { deleteOlder } from '../../platform/database/jobs/retention.ts'
import { deleteEvents, placedAtOnce, placeEvents } from './feed.queries.ts'

export const feedJobs = (db: Db): Job[] => [
  {
    name: 'feed.forget',
    everyMs: 3_600_000,
    deletesByAge: true,
    async run(signal) {
      // First everything gets its place: what is forgotten without one would be a gap that no reader is told of.
      while (!signal.aborted && (await placeEvents(db)) === placedAtOnce);
      await deleteOlder((old) => deleteEvents(db, old), { keptDays: feedDays, signal })
    },
  },
]
