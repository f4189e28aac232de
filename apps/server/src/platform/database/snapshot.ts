import { refuse } from '../refusal.ts'
import type { Db, Trx } from './database.ts'

/** Each holds a connection for as long as its reader takes; the pool has others to serve. */
const streamsAtOnce = 4
let streams = 0

/**
 * What `read` yields, all of it as of one moment, however long the reader takes: its transaction stays open
 * until the last row is taken or the reader leaves. A reader who takes nothing for a minute is ended by the
 * database's own limit (idle_in_transaction_session_timeout). Refused where too many are at it.
 */
export async function* streamSnapshot<T>(db: Db, read: (trx: Trx) => AsyncIterable<T>): AsyncGenerator<T> {
  refuseTooManyStreams()
  streams += 1
  try {
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
  } finally {
    streams -= 1
  }
}

/** To be asked before the first byte is sent: then the answer is still an error and not a broken file. */
export function refuseTooManyStreams(): void {
  if (streams >= streamsAtOnce) refuse('tooManyExports')
}
