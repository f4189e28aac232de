import { sql } from 'kysely'
import type { Db } from '../src/platform/database/database.ts'

/** SQLSTATE deadlock_detected. */
const deadlock = '40P01'

/**
 * Empties tables under a running server. TRUNCATE locks one table after the other, a job of the server may have locked
 * another one first, and PostgreSQL ends either of the two; the job tries again by itself.
 */
export async function truncate(db: Db, tables: readonly string[]): Promise<void> {
  const statement = sql`TRUNCATE ${sql.join(tables.map((table) => sql.table(table)))}`
  for (let left = 5; ; left -= 1) {
    try {
      await statement.execute(db)
      return
    } catch (error) {
      if ((error as { code?: string }).code !== deadlock || left === 0) throw error
    }
  }
}
