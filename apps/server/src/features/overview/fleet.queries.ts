// Writes the kept figures: a fresh count is compared with the kept one, and the differences are added.
import { type RawBuilder, sql } from 'kysely'
import type { Db, Trx } from '../../platform/database/database.ts'
import { type FleetFigure, longest } from './fleet-figures.ts'

/** The number of hours for which changes are kept: the day that the page looks back at, and more. */
const keptHours = 72

/**
 * Counts a figure again and writes the differences: at the places of these devices, or everywhere (null). Counts are
 * never incremented or decremented, so a missed change does not stay wrong. Returns how many sums changed.
 *
 * One transaction at a time writes a figure; readers and reports do not wait for it.
 */
export async function countFleet(
  db: Db,
  { figure, hasChanges, isByPlace, fresh }: FleetFigure,
  deviceIds: readonly number[] | null,
  readQuiet: (trx: Trx) => Promise<Parameters<FleetFigure['fresh']>[1]>,
): Promise<number> {
  return await db.transaction().execute(async (trx) => {
    await sql`SELECT pg_advisory_xact_lock(hashtext('fleet_count'), hashtext(${figure}))`.execute(trx)
    const begun = await sql`
      INSERT INTO fleet_figure (figure) VALUES (${figure}) ON CONFLICT DO NOTHING RETURNING 1`.execute(trx)
    const isFirst = begun.rows.length > 0
    const places = deviceIds && isByPlace && !isFirst ? sql`stale` : null
    // Under the lock: who counts later knows the later shelves.
    const quiet = await readQuiet(trx)
    const { rows } = await sql<{ count: number }>`
      WITH stale AS MATERIALIZED (
        SELECT DISTINCT operator_id, model_id, region_id FROM device WHERE id = ANY(${deviceIds ?? []}::int[])
      ), change AS MATERIALIZED (
        SELECT operator_id, model_id, region_id, name, detail, coalesce(f.n, 0) - coalesce(k.n, 0) AS n
        FROM (${fresh(places, quiet)}) AS f
        FULL JOIN (${kept(figure, places)}) AS k USING (operator_id, model_id, region_id, name, detail)
        WHERE f.n IS DISTINCT FROM k.n
      ), summed AS MATERIALIZED (
        SELECT coalesce(operator_id, 0) AS operator_id, coalesce(model_id, 0) AS model_id,
          coalesce(region_id, 0) AS region_id, name, detail, sum(n)::int AS n
        FROM change
        GROUP BY name, detail, GROUPING SETS (
          (), (operator_id), (operator_id, model_id), (operator_id, region_id), (operator_id, model_id, region_id))
        HAVING sum(n) <> 0
      ), counted AS (
        INSERT INTO fleet_count AS c (figure, operator_id, model_id, region_id, name, detail, n)
        SELECT ${figure}, operator_id, model_id, region_id, name, detail, n FROM summed
        ON CONFLICT (figure, model_id, region_id, operator_id, name, detail) DO UPDATE SET n = c.n + excluded.n
      )${hasChanges && !isFirst ? addChanges(figure) : sql``}
      SELECT count(*)::int AS count FROM summed`.execute(trx)
    const count = rows[0]?.count ?? 0
    if (count > 0) {
      await sql`DELETE FROM fleet_count WHERE figure = ${figure} AND n = 0`.execute(trx)
      await sql`DELETE FROM fleet_change WHERE hour < now() - ${keptHours} * interval '1 hour'`.execute(trx)
    }
    return count
  })
}

const kept = (figure: string, places: RawBuilder<unknown> | null) => sql`
  SELECT operator_id, model_id, region_id, name, detail, n
  FROM fleet_count ${places ? sql`JOIN ${places} AS place USING (operator_id, model_id, region_id)` : sql``}
  WHERE figure = ${figure} AND model_id <> 0 AND region_id <> 0 AND operator_id <> 0`

const addChanges = (figure: string) => sql`, changed AS (
  INSERT INTO fleet_change AS c (figure, operator_id, model_id, region_id, name, hour, n)
  SELECT ${figure}, operator_id, model_id, region_id, name, date_trunc('hour', now()), n FROM summed
  ON CONFLICT (figure, model_id, region_id, operator_id, name, hour) DO UPDATE SET n = c.n + excluded.n
)`

/** In how many ms the next device will have been offline for long; null where no device is offline. */
export async function msUntilNextAway(db: Db): Promise<number | null> {
  const { rows } = await sql<{ ms: number | null }>`
    SELECT (extract(epoch FROM min(offline_since) + ${longest} - now()) * 1000)::float8 AS ms
    FROM device_listing WHERE business_status = 1 AND offline_since >= now() - ${longest}`.execute(db)
  return rows[0]?.ms ?? null
}
