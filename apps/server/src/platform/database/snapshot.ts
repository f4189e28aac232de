import { refuse } from '../refusal.ts'
import type { Db, Trx } from './database.ts'

/** Each takes connections, and memory, for as long as its reader takes; there are others to serve. */
const streamsAtOnce = 4
let streams = 0

/** What `read` yields, as one of the few that may be at it. Refused where too many are. */
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
 * What `read` yields, all of it as of one moment, however long the reader takes: its transaction stays open
 * until the last row is taken or the reader leaves. A reader who takes nothing for a minute is ended by the
 * database's own limit (idle_in_transaction_session_timeout). Counts as `streamLimited` does.
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
      // Nothing was written; a connection that broke meanwhile has nothing to roll back.
      await trx
        .rollback()
        .execute()
        .catch(() => undefined)
    }
  })
}

/** To be asked before the first byte is sent: then the answer is still an error and not a broken file. */
export function refuseTooManyStreams(): void {
  if (streams >= streamsAtOnce) refuse('tooManyExports')
}
