import type { Db } from '../../platform/database/database.ts'
import type { Job } from '../../platform/database/jobs/jobs.ts'
import { deleteOlder } from '../../platform/database/jobs/retention.ts'
import { deleteExtractions, releaseFiles } from './log-extraction.queries.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Releases files whose time is over, and deletes old extractions. */
export function logExtractionJobs({
  db,
  retentionDays,
  historyRetentionDays,
  tellChanged,
}: {
  db: Db
  retentionDays: number
  historyRetentionDays: number
  tellChanged: (ids: readonly { id: string }[]) => void
}): Job[] {
  return [
    {
      name: 'logExtraction.retention',
      everyMs: hourMs,
      deletesByAge: true,
      async run(signal) {
        const released = await releaseFiles(db, new Date(Date.now() - retentionDays * dayMs))
        tellChanged(released.map((id) => ({ id })))
        const keptDays = Math.max(historyRetentionDays, retentionDays)
        await deleteOlder((old) => deleteExtractions(db, old), { keptDays, signal })
      },
    },
  ]
}
