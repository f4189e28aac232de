import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { firstKeptMonth } from '../../../domain/history/index.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { Job } from '../../../platform/database/jobs/jobs.ts'
import { deleteCauses } from '../causes/causes.queries.ts'
import { deleteRepeats } from '../repeats/repeats.queries.ts'
import { deleteHandlings } from './handling.queries.ts'
import { settleSome } from './settling.queries.ts'

/** Rows of one statement. */
const deletedAtOnce = 2_000
const settledAtOnce = 2_000
/** Between two portions, for those who write meanwhile. */
const settlePauseMs = 20
/** After so many, what the planner knows of the tables is about others. */
const manySettled = 20_000
/** Of one run, after an upgrade: their counts are folded before there are more, since every list reads those that are not. */
const mostSettled = 100_000

/** Deletes what people did about alarms whose month has left the history, and how these hung together. */
export const createHandlingJob = ({ db, retentionDays }: { db: Db; retentionDays: number }): Job => ({
  name: 'alarms.forgetHandling',
  everyMs: 3_600_000,
  deletesByAge: true,
  async run(signal) {
    const before = firstKeptMonth(new Date(), retentionDays)
    for (const deleteSome of [deleteHandlings, deleteRepeats, deleteCauses])
      while ((await deleteSome(db, { before, limit: deletedAtOnce })) === deletedAtOnce)
        if (signal.aborted) return
  },
})

/** Settles what has been over for a while. `owner`: who may vacuum. */
export const createSettlingJob = ({ db, owner }: { db: Db; owner: pg.Pool | null }): Job => ({
  name: 'alarms.settle',
  everyMs: 60_000,
  async run(signal) {
    if ((await settleAll(db, { signal, most: mostSettled })) >= manySettled)
      await owner?.query('VACUUM (ANALYZE, TRUNCATE false) alarm_handling, alarm_settled')
  },
})

/** Portion by portion, each a transaction: what a process that dies has settled stays settled. Returns how many. */
export async function settleAll(
  db: Db,
  { signal, most = Number.POSITIVE_INFINITY }: { signal?: AbortSignal; most?: number } = {},
): Promise<number> {
  let count = 0
  for (let after = null as Parameters<typeof settleSome>[1]['after']; !signal?.aborted; ) {
    const { settled, next } = await settleSome(db, { after, limit: settledAtOnce })
    count += settled
    if (!next || count >= most) break
    after = next
    await delay(settlePauseMs)
  }
  return count
}
