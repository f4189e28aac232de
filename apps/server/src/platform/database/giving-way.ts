import { sql } from 'kysely'
import type { Trx } from './database.ts'

const waitMs = 100
const longestPauseMs = 400
/** About half a minute. */
const tries = 60
const lockNotAvailable = '55P03'

/**
 * Runs a statement that takes one row and then, by cascade, rows of many tables. Writers take the same rows in orders
 * of their own: a report changes the state of a device and then refers to the device. Whoever waits here longer than a
 * moment therefore gives all locks of the statement back, lets the others go first and tries again; a deadlock would
 * hit one of them after a second. The last try waits as long as it takes, which leaves the rest to the database.
 *
 * `work` runs once or several times; of every run but the last nothing remains.
 */
export async function givingWay<T>(trx: Trx, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt < tries; attempt += 1) {
    await sql`SAVEPOINT giving_way`.execute(trx)
    try {
      await sql`SET LOCAL lock_timeout = ${sql.lit(waitMs)}`.execute(trx)
      const result = await work()
      await sql`SET LOCAL lock_timeout TO DEFAULT`.execute(trx)
      await sql`RELEASE SAVEPOINT giving_way`.execute(trx)
      return result
    } catch (error) {
      if ((error as { code?: unknown }).code !== lockNotAvailable) throw error
      await sql`ROLLBACK TO SAVEPOINT giving_way`.execute(trx)
      await new Promise((resolve) => setTimeout(resolve, longestPauseMs * Math.random()))
    }
  }
  return await work()
}
