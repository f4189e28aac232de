import { sql } from 'kysely'
import type { Trx } from '../database.ts'

const waitMs = 100
const longestPauseMs = 400
/** About half a minute. */
const tries = 60
const lockNotAvailable = '55P03'

/**
 * Runs a statement that locks one row and then, by cascade, rows of many tables. Writers lock the same rows in other
 * orders: a report changes the state of a device and then refers to the device. So a statement that waits here for
 * longer than a moment releases all its locks, lets the others go first and tries again; otherwise a deadlock would end
 * one of them after a second. The last try waits without limit and leaves deadlocks to the database.
 *
 * `work` runs once or several times; nothing remains of any run but the last.
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
