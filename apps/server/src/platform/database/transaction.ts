import type pg from 'pg'
import { withQueryLimit } from './connections/query-limit.ts'
import { isDatabaseAway } from './database.ts'

/** A transaction's connection, for statements with a name: prepared once, run a thousand times. */
export type Connection = pg.ClientBase

/**
 * Opens a transaction whose statements look rows up by index: named statements that join given keys with a table of any
 * size. A plan made while the table is small may be kept as a scan of the table when it has grown; planning anew each
 * time costs more than the statement itself.
 */
export const beginByIndex = `BEGIN; SET LOCAL enable_material = off;
  SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off`

/**
 * Undoes the settings of `beginByIndex` for the rest of the transaction, for statements about large parts of a table.
 */
export const planFreely = `SET LOCAL enable_material = on; SET LOCAL enable_seqscan = on;
  SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on`

/**
 * Runs the work in one transaction on a pooled connection, outside Kysely. `begin` is the text that opens the
 * transaction, settings included. Throws what the work throws, after ROLLBACK; a connection that cannot even
 * roll back is closed.
 */
export async function inTransaction<T>(
  pool: pg.Pool,
  { begin, queryLimitMs }: { begin: (connection: Connection) => string; queryLimitMs: number },
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await pool.connect()
  let failure: Error | undefined
  return await withQueryLimit(queryLimitMs, async () => {
    try {
      await connection.query(begin(connection))
      const result = await work(connection)
      await connection.query('COMMIT')
      return result
    } catch (error) {
      failure = error as Error
      throw error
    } finally {
      if (failure && !isDatabaseAway(failure)) {
        failure = await connection.query('ROLLBACK').then(
          () => undefined,
          (error: Error) => error,
        )
      }
      connection.release(failure)
    }
  })
}
