import type { Db, Trx } from './database.ts'

/** An export occupies a connection while it is made; calls need connections too. */
const madeAtOnce = 4
let made = 0
const waiting: (() => void)[] = []

/**
 * Yields what `read` yields. A few exports are made at once, others wait for their turn: so the caller must read at
 * full speed (`spooled`), and not at the speed of a client.
 */
export async function* streamLimited<T>(read: () => AsyncIterable<T>): AsyncGenerator<T> {
  if (made >= madeAtOnce) await new Promise<void>((resolve) => waiting.push(resolve))
  else made += 1
  try {
    yield* read()
  } finally {
    // The turn is handed on directly, so that no newcomer overtakes.
    const next = waiting.shift()
    if (next) next()
    else made -= 1
  }
}

/**
 * Yields what `read` yields, all of it from one snapshot: its transaction stays open until the last row is read
 * or the client disconnects. The database ends a transaction whose client reads nothing for a minute
 * (idle_in_transaction_session_timeout). Limited as `streamLimited` is.
 */
export function streamSnapshot<T>(db: Db, read: (trx: Trx) => AsyncIterable<T>): AsyncGenerator<T> {
  return streamLimited(async function* () {
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
  })
}
