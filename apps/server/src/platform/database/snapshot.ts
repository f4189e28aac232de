import type { Db, Trx } from './database.ts'

/**
 * Yields what `read` yields, all of it from one snapshot: its transaction stays open until the last row is read
 * or the client disconnects, so the caller must read at full speed, and not at that of a client. The database ends a
 * transaction whose client reads nothing for a minute (idle_in_transaction_session_timeout).
 */
export async function* streamSnapshot<T>(db: Db, read: (trx: Trx) => AsyncIterable<T>): AsyncGenerator<T> {
  const trx = await db
    .startTransaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute()
  try {
    yield* read(trx)
  } finally {
    // Nothing was written, so a lost connection has nothing to roll back.
    await trx
      .rollback()
      .execute()
      .catch(() => undefined)
  }
}
