// When a device gets another operator, model or region, or is deleted, its history and counters follow.

import { sql, type Transaction } from 'kysely'
import { mayTakeLong } from '../../platform/database/connections/query-limit.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Database } from '../../platform/database/tables.ts'
import { type Place, reportedSources } from './sources.ts'

/**
 * Call it in the transaction that changes the device, after the change: a reader then sees the device and its rows at
 * one place.
 */
export async function moveHistory(trx: Transaction<Database>, deviceId: number, to: Place): Promise<void> {
  await mayTakeLong(() => bringAlong(trx, deviceId, to))
  await sql`
    INSERT INTO history_move (device_id) VALUES (${deviceId})
    ON CONFLICT (device_id) DO UPDATE SET moved_at = excluded.moved_at
  `.execute(trx)
}

/**
 * Deletes the rows, states and counts of a device. Call it after the row of the device is deleted: a batch of
 * ingest that has read the device has a lock on that row until the batch is written, and what people did, which goes with
 * the device, takes what is settled out of the counts as long as its episodes are there.
 */
export async function deleteHistory(trx: Transaction<Database>, deviceId: number): Promise<void> {
  await sql`DELETE FROM alarm_state WHERE device_id = ${deviceId}`.execute(trx)
  for (const source of reportedSources) {
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
 * Repairs rows that were stored while their device moved: a batch may read the device before the move and write
 * after it. Moves the rows of devices that moved `olderThanMs` ago to the place of their device. Returns how many
 * devices it looked at.
 */
export async function repairMoves(
  db: Db,
  { olderThanMs = 30_000, signal }: { olderThanMs?: number; signal?: AbortSignal } = {},
): Promise<number> {
  const { rows } = await sql<Place & { deviceId: number }>`
    SELECT m.device_id AS "deviceId", d.operator_id AS "operatorId", d.model_id AS "modelId",
      d.region_id AS "regionId"
    FROM history_move m JOIN device d ON d.id = m.device_id
    WHERE m.moved_at < now() - ${olderThanMs} * interval '1 ms'
  `.execute(db)
  for (const { deviceId } of rows) {
    if (signal?.aborted) break
    await db.transaction().execute(async (trx) => {
      // Locked, so that the device does not move at the same time, and therefore read again.
      const { rows: places } = await sql<Place>`
        SELECT operator_id AS "operatorId", model_id AS "modelId", region_id AS "regionId"
        FROM device WHERE id = ${deviceId} FOR SHARE
      `.execute(trx)
      if (places[0]) await bringAlong(trx, deviceId, places[0])
      // A device that has moved again since waits for the next run.
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
  for (const source of reportedSources) {
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

const insertDeltas = (source: (typeof reportedSources)[number], changes: ReturnType<typeof sql>) => sql`
  INSERT INTO history_delta (source, day, operator_id, model_id, region_id, semaphore_code, n)
  SELECT ${sql.lit(source.id)}::smallint, day, operator_id, model_id, region_id, semaphore_code, sum(n)
  FROM (${changes}) AS change
  GROUP BY day, operator_id, model_id, region_id, semaphore_code`
