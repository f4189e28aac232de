import type { Db } from '../../database/database.ts'
import type { Job } from '../../database/jobs/jobs.ts'
import { readSecret } from '../../database/secrets.ts'
import type { Log } from '../../process/log.ts'
import { spoken } from '../../process/sentences.ts'
import type { Blobs } from './blobs.ts'
import { deleteForgottenReservations, deleteUnused, listKnownIds, markUnused } from './files.queries.ts'
import { forgottenAfterMs } from './upload-quota.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** How long a file may be there without a row that refers to it: an upload whose form is still open. */
const graceMs = hourMs
/** No upload takes as long, so what is older belongs to none. */
const sweptAfterMs = dayMs
const batchSize = 500

export interface Collector {
  /** Removes files that no row has referred to for an hour. Returns how many. */
  collect(signal?: AbortSignal): Promise<number>
  /** Removes bytes without a row, and uploads that nobody finished, older than a day. Returns how many. */
  sweep(signal?: AbortSignal): Promise<number>
}

export function createCollector({ db, blobs, log }: { db: Db; blobs: Blobs; log: Log }): Collector {
  /**
   * A blob counts as lost where *this* database has no row of it: in the store of another installation that would be
   * every file. So a store belongs to the installation that came to it first.
   */
  const isOurs = async () => {
    const installation = (await readSecret(db, 'installation')).toString('hex')
    const owner = await blobs.readOwner()
    if (owner === null) await blobs.writeOwner(installation)
    return owner === null || owner === installation
  }

  return {
    async collect(signal) {
      await deleteForgottenReservations(db, forgottenAfterMs)
      await markUnused(db)
      let count = 0
      for (;;) {
        if (signal?.aborted) return count
        const before = new Date(Date.now() - graceMs)
        const ids = await db.transaction().execute((trx) => deleteUnused(trx, before, batchSize))
        // After the commit. What a crash leaves here has no row, and is swept.
        for (const id of ids) await blobs.remove(id)
        count += ids.length
        if (ids.length === 0) return count
      }
    },

    async sweep(signal) {
      if (!(await isOurs())) {
        log.error(
          spoken({
            zh: '文件目录或存储桶属于另一套 Voltkeep（或另一个数据库），不清理其中的文件：请检查 DATA_DIR、S3_URL 和 DATABASE_URL',
            en: 'the directory or bucket of files belongs to another Voltkeep (or another database), its files are not cleaned up: check DATA_DIR, S3_URL and DATABASE_URL',
          }),
        )
        return 0
      }
      const before = new Date(Date.now() - sweptAfterMs)
      let count = await blobs.removeUnfinished(before)
      let batch: string[] = []
      const removeUnknown = async () => {
        const known = await listKnownIds(db, batch)
        for (const id of batch) {
          if (known.has(id)) continue
          await blobs.remove(id)
          count += 1
        }
        batch = []
      }
      for await (const { id, changedAt } of blobs.list()) {
        if (signal?.aborted) return count
        if (changedAt < before) batch.push(id)
        if (batch.length >= batchSize) await removeUnknown()
      }
      await removeUnknown()
      return count
    },
  }
}

export function fileJobs(collector: Collector): Job[] {
  return [
    {
      name: 'files.collect',
      everyMs: hourMs / 6,
      run: async (signal) => void (await collector.collect(signal)),
    },
    {
      name: 'files.sweep',
      everyMs: dayMs,
      run: async (signal) => void (await collector.sweep(signal)),
    },
  ]
}
