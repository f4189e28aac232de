import type { QueryResult } from 'kysely'
import type { Db } from '../database.ts'
import type { Job } from './jobs.ts'

const dayMs = 86_400_000
/** Rows of one statement, which is a transaction of its own: writers of the table wait for none of them long. */
const deletedAtOnce = 5_000

interface Old {
  before: Date
  limit: number
}

/** Deletes rows from before a moment, no more than `limit`; returns how many. */
type DeleteOld = (old: Old) => Promise<number>

/** The same as a query, of a statement that deletes them. */
export const deletingOld =
  (statement: (old: Old & { db: Db }) => Promise<QueryResult<unknown>>) =>
  async (db: Db, old: Old): Promise<number> =>
    Number((await statement({ db, ...old })).numAffectedRows ?? 0)

/** Deletes what is older than `keptDays`, piece by piece, until nothing is left or the signal is aborted. */
export async function deleteOlder(
  deleteOld: DeleteOld,
  { keptDays, signal }: { keptDays: number; signal: AbortSignal },
): Promise<void> {
  const before = new Date(Date.now() - keptDays * dayMs)
  while ((await deleteOld({ before, limit: deletedAtOnce })) === deletedAtOnce) if (signal.aborted) return
}

/** Forgets, hour by hour, what is older than `keptDays`. */
export const retentionJob = ({
  name,
  keptDays,
  deleteOld,
}: {
  name: string
  keptDays: number
  deleteOld: DeleteOld
}): Job => ({
  name,
  everyMs: 3_600_000,
  deletesByAge: true,
  run: (signal) => deleteOlder(deleteOld, { keptDays, signal }),
})
