import { sql, type Transaction } from 'kysely'
import type { Db } from '../database/database.ts'
import { mayTakeLong } from '../database/query-limit.ts'
import type { Database } from '../database/tables.ts'
import { type HistorySource, historySources, type Place } from './sources.ts'

/**
 * A device's history and alarm states follow it to another operator, model or region, and so do the
 * counters. To be called in the transaction that changes the device, after it has: whoever reads then
 * sees the device and its rows on the same side.
 */
export async function moveHistory(trx: Transaction<Database>, deviceId: number, to: Place): Promise<void> {
  await mayTakeLong(() => bringAlong(trx, deviceId, to))
  await sql`
    INSERT INTO history_move (device_id) VALUES (${deviceId})
    ON CONFLICT (device_id) DO UPDATE SET moved_at = excluded.moved_at
  `.execute(trx)
}

/**
 * A deleted device leaves no rows, no states and no counts. To be called after its own row is gone: ingest
 * that has read the device holds it until its batch is written.
 */
export async function deleteHistory(trx: Transaction<Database>, deviceId: number): Promise<void> {
  await sql`DELETE FROM alarm_state WHERE device_id = ${deviceId}`.execute(trx)
  for (const source of Object.values(historySources)) {
    const deleting = sql`
      WITH gone AS (
        DELETE FROM ${sql.table(source.table)} WHERE device_id = ${deviceId}
        RETURNING occurred_at::date AS day, operator_id, model_id, region_id, semaphore_code
      )
      ${insertDeltas(source, sql`SELECT day, operator_id, model_id, region_id, semaphore_code, -1 AS n FROM gone`)}
    `
    await mayTakeLong(() => deleting.execute(trx))
  }
  await sql`DELETE FROM history_move WHERE device_id = ${deviceId}`.execute(trx)
}

/**
 * A report stored while its device was moving may carry the old place: it was read before the move and
 * written after. Brings the rows of devices that moved some time ago to where their device is. Answers how
 * many devices it looked at.
 */
export async function settleMoves(db: Db, { olderThanMs = 30_000 } = {}): Promise<number> {
  const { rows } = await sql<Place & { deviceId: number }>`
    SELECT m.device_id AS "deviceId", d.operator_id AS "operatorId", d.model_id AS "modelId",
      d.region_id AS "regionId"
    FROM history_move m JOIN device d ON d.id = m.device_id
    WHERE m.moved_at < now() - ${olderThanMs} * interval '1 ms'
  `.execute(db)
  for (const { deviceId } of rows) {
    await db.transaction().execute(async (trx) => {
      // Locked, so that it does not move again meanwhile, and read again for that.
      const { rows: places } = await sql<Place>`
        SELECT operator_id AS "operatorId", model_id AS "modelId", region_id AS "regionId"
        FROM device WHERE id = ${deviceId} FOR SHARE
      `.execute(trx)
      if (places[0]) await bringAlong(trx, deviceId, places[0])
      // One that moved again since it was found waits for its turn again.
      await sql`
        DELETE FROM history_move
        WHERE device_id = ${deviceId} AND moved_at < now() - ${olderThanMs} * interval '1 ms'
      `.execute(trx)
    })
  }
  return rows.length
}

async function bringAlong(trx: Transaction<Database>, deviceId: number, to: Place): Promise<void> {
  const { operatorId, modelId, regionId } = to
  const isElsewhere = sql`
    device_id = ${deviceId}
    AND (operator_id, model_id, region_id) IS DISTINCT FROM (${operatorId}::int, ${modelId}::int, ${regionId}::int)`
  const place = sql`operator_id = ${operatorId}, model_id = ${modelId}, region_id = ${regionId}`

  await sql`UPDATE alarm_state SET ${place} WHERE ${isElsewhere}`.execute(trx)
  for (const source of Object.values(historySources)) {
    await sql`
      WITH old AS MATERIALIZED (
        SELECT id, occurred_at, operator_id, model_id, region_id, semaphore_code
        FROM ${sql.table(source.table)} WHERE ${isElsewhere} FOR UPDATE
      ), moved AS (
        UPDATE ${sql.table(source.table)} AS h SET ${place}
        FROM old WHERE h.occurred_at = old.occurred_at AND h.id = old.id
      )
      ${insertDeltas(
        source,
        sql`
          SELECT occurred_at::date AS day, operator_id, model_id, region_id, semaphore_code, -1 AS n FROM old
          UNION ALL
          SELECT occurred_at::date, ${operatorId}::int, ${modelId}::int, ${regionId}::int, semaphore_code, 1
          FROM old`,
      )}
    `.execute(trx)
  }
}

const insertDeltas = (source: HistorySource, changes: ReturnType<typeof sql>) => sql`
  INSERT INTO history_delta (source, day, operator_id, model_id, region_id, semaphore_code, n)
  SELECT ${sql.lit(source.id)}::smallint, day, operator_id, model_id, region_id, semaphore_code, sum(n)
  FROM (${changes}) AS change
  GROUP BY day, operator_id, model_id, region_id, semaphore_code`
