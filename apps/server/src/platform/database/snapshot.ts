import { refuse } from '../refusal.ts'
import type { Db, Trx } from './database.ts'

/** A stream occupies a connection and memory for as long as its client reads; other clients need them too. */
const streamsAtOnce = 4
let streams = 0

/** Yields what `read` yields. Refuses when too many streams are open. */
export async function* streamLimited<T>(read: () => AsyncIterable<T>): AsyncGenerator<T> {
  refuseTooManyStreams()
  streams += 1
  try {
    yield* read()
  } finally {
    streams -= 1
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

/** Call it before the first byte is sent: the client then gets an error and not a broken file. */
export function refuseTooManyStreams(): void {
  if (streams >= streamsAtOnce) refuse('tooManyExports')
}
