// What becomes of batteries when stays are deleted: by age, or with their device.
import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import type { Connection } from '../../platform/database/transaction.ts'
import { placeBatteries } from './stay-intake.queries.ts'

interface Old {
  before: Date
  limit: number
}

/** Empty compartments that ended before the moment. */
export async function deleteEmptyStays(db: Db, { before, limit }: Old): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM battery_stay WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM battery_stay WHERE battery_code = '' AND ended_at < ${before} LIMIT ${limit}))`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}

/** Stays of batteries that ended before the moment. A battery without any is left to `mendPlaces`. */
export async function deleteOldStays(db: Db, { before, limit }: Old): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    WITH gone AS (
      DELETE FROM battery_stay WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM battery_stay WHERE battery_code <> '' AND ended_at < ${before} LIMIT ${limit}))
      RETURNING battery_code, device_id, compartment, started_at
    ), lost AS (
      UPDATE battery b SET device_id = NULL FROM gone
      WHERE b.code = gone.battery_code
        AND (b.device_id, b.compartment, b.started_at) = (gone.device_id, gone.compartment, gone.started_at)
    )
    SELECT count(*)::int AS count FROM gone`.execute(db)
  return rows[0]?.count ?? 0
}

const mendedAtOnce = 1_000

/**
 * Finds another stay for batteries whose device is gone, and deletes those that have none; returns how many they were.
 */
export async function mendPlaces(db: Connection): Promise<number> {
  const { rows } = await db.query<{ code: string }>(
    'SELECT code FROM battery WHERE device_id IS NULL ORDER BY code LIMIT $1 FOR NO KEY UPDATE',
    [mendedAtOnce],
  )
  if (rows.length === 0) return 0
  const codes = rows.map(({ code }) => code)
  await placeBatteries(db, codes)
  await db.query('DELETE FROM battery WHERE code = ANY($1::text[]) AND device_id IS NULL', [codes])
  return codes.length
}
