// SQL of the days of devices that are kept, and of those that are not as they are kept.
import { sql } from 'kysely'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { dayOf } from '../../../platform/process/clock.ts'
import type { KeptDay, Touched } from './device-days.ts'
import { among, connectionDays } from './device-spans.queries.ts'

/**
 * Days of single devices that were touched since they were kept; what a failure lasts on to is touched with it. Of these
 * devices, or of all.
 */
const touchedDeviceDays = (deviceIds: readonly number[] | null) => sql`
  WITH RECURSIVE touched AS (
    SELECT DISTINCT t.device_id, day::date AS day
    FROM report_touched t
    CROSS JOIN LATERAL generate_series(
      t.from_at::date, least(t.to_at, now() - interval '1 day')::date, interval '1 day') AS day
    WHERE t.from_at IS NOT NULL AND t.device_id IS NOT NULL AND ${among(deviceIds, 't.device_id')}
    UNION
    -- Of a day that is touched as a whole, those whose failure lasts on from it.
    SELECT r.device_id, r.day
    FROM report_touched t JOIN report_device_day r ON r.day = t.from_at::date
    WHERE t.device_id IS NULL AND r.down_since IS NOT NULL AND ${among(deviceIds, 'r.device_id')}
    UNION
    SELECT r.device_id, r.day + 1
    FROM touched t JOIN report_device_day r ON r.device_id = t.device_id AND r.day = t.day
    WHERE r.down_since IS NOT NULL AND r.day + 1 < now()::date
  )
  SELECT t.device_id, t.day FROM touched t
  JOIN report_day y ON y.part = 'devices' AND y.day = t.day
  -- Of older days the connections are gone: what is kept of them stays.
  WHERE t.day > (now() - ${sql.lit(connectionDays - 1)} * interval '1 day')::date`

/** By day, earliest first; of these devices, or of all. */
export async function listTouched(db: Db, deviceIds: readonly number[] | null): Promise<Touched[]> {
  const { rows } = await sql<Touched>`
    SELECT day::text AS day, array_agg(device_id) AS "deviceIds"
    FROM (${touchedDeviceDays(deviceIds)}) AS t GROUP BY day ORDER BY day`.execute(db)
  return rows
}

/**
 * The first of these days, without those that failures last on to from others. They are touched as the day before them is
 * taken.
 */
export async function readFirstTouched(trx: Trx): Promise<Touched | undefined> {
  const isOfDay = sql`t.device_id IS NOT NULL AND t.from_at::date <= y.day
    AND least(t.to_at, now() - interval '1 day')::date >= y.day`
  const { rows } = await sql<Touched>`
    SELECT y.day::text AS day,
      ARRAY(SELECT DISTINCT t.device_id FROM report_touched t WHERE ${isOfDay}) AS "deviceIds"
    FROM report_day y
    WHERE y.part = 'devices' AND y.day > (now() - ${sql.lit(connectionDays - 1)} * interval '1 day')::date
      AND EXISTS (SELECT FROM report_touched t WHERE ${isOfDay})
    ORDER BY y.day LIMIT 1`.execute(trx)
  return rows[0]
}

/** Replaces what is kept of the day: of these devices, or of all. */
export async function keepDay(
  trx: Trx,
  day: Date,
  days: readonly KeptDay[],
  deviceIds: readonly number[] | null,
): Promise<void> {
  await sql`
    DELETE FROM report_device_day WHERE day = ${dayOf(day)}::date
      ${deviceIds ? sql`AND device_id = ANY(${deviceIds}::int[])` : sql``}`.execute(trx)
  await sql`
    INSERT INTO report_device_day (day, device_id, down_s, planned_s, unknown_s, failures, recovered_s, down_since)
    SELECT ${dayOf(day)}::date, f.device_id, f.down_s, f.planned_s, f.unknown_s, f.failures, f.recovered_s, f.down_since
    FROM (${asRelation(days)}) AS f`.execute(trx)
}

/** Days of devices as rows. */
export const asRelation = (days: readonly KeptDay[]) => sql`
  SELECT u.device_id, u.down_s, u.planned_s, u.unknown_s, u.failures, u.recovered::int[] AS recovered_s,
    to_timestamp(u.since) AS down_since
  FROM unnest(
    ${days.map(({ deviceId }) => deviceId)}::int[], ${days.map(({ down }) => down)}::int[],
    ${days.map(({ planned }) => planned)}::int[], ${days.map(({ unknown }) => unknown)}::int[],
    ${days.map(({ failures }) => failures)}::int[],
    ${days.map(({ recovered }) => `{${recovered.join(',')}}`)}::text[],
    ${days.map(({ downSince }) => downSince)}::float8[]
  ) AS u (device_id, down_s, planned_s, unknown_s, failures, recovered, since)`
