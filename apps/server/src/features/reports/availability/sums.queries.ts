// SQL that adds the days of devices up: by place and day, and by device and month. All within one snapshot.
import { type RawBuilder, sql } from 'kysely'
import type { Trx } from '../../../platform/database/database.ts'
import { dayOf, type TimeRange } from '../../../platform/process/clock.ts'
import { fromDay, ofDay, placeOf, together } from '../days/running-sums.ts'

/** Adds up a day whose devices' days are kept, where nothing is added up of it or does not hold. */
export async function sumDay(trx: Trx, day: Date): Promise<void> {
  await sumPlaces(trx, dayOf(day), null)
  const { month, number } = placeOf(dayOf(day))
  await sumDevices(
    trx,
    dayOf(day),
    sql`
      SELECT device_id FROM report_device_day WHERE day = ${dayOf(day)}::date
      UNION SELECT device_id FROM report_device_month WHERE month = ${month}::date
        AND ${sql.join(
          measures.map((measure) => sql`${ofDay(measure, number)} <> 0`),
          sql` OR `,
        )}`,
  )
}

/** Adds up again what depends on these devices' days, which are kept anew. */
export async function sumDaysAgain(trx: Trx, day: string, deviceIds: readonly number[]): Promise<void> {
  await sumPlaces(
    trx,
    day,
    sql`SELECT operator_id, model_id, region_id FROM device WHERE id = ANY(${deviceIds}::int[])`,
  )
  await sumDevices(trx, day, sql`SELECT device_id FROM unnest(${deviceIds}::int[]) AS device_id`)
}

/** Devices that have moved or are deleted belong to other places on every day. */
export async function followMoves(trx: Trx): Promise<void> {
  const { rows } = await sql<{ operatorId: number; modelId: number; regionId: number }>`
    WITH moved AS (DELETE FROM report_moved RETURNING operator_id, model_id, region_id)
    SELECT DISTINCT operator_id AS "operatorId", model_id AS "modelId", region_id AS "regionId" FROM moved`.execute(
    trx,
  )
  if (rows.length === 0) return
  const places = sql`
    SELECT * FROM unnest(${rows.map(({ operatorId }) => operatorId)}::int[],
      ${rows.map(({ modelId }) => modelId)}::int[], ${rows.map(({ regionId }) => regionId)}::int[]) AS p (o, m, r)`
  const { rows: days } = await sql<{ day: string }>`
    SELECT day::text AS day FROM report_day WHERE part = 'groups'`.execute(trx)
  for (const { day } of days) await sumPlaces(trx, day, places)
}

/** Of these places, or of all. */
async function sumPlaces(trx: Trx, day: string, places: RawBuilder<unknown> | null): Promise<void> {
  const ofPlaces = places ? sql`(operator_id, model_id, region_id) IN (${places})` : sql`true`
  await sql`DELETE FROM report_place_day WHERE day = ${day}::date AND ${ofPlaces}`.execute(trx)
  await sql`
    INSERT INTO report_place_day (day, operator_id, model_id, region_id, down_s, planned_s, unknown_s, failures, recovered_s)
    SELECT ${day}::date, operator_id, model_id, region_id, sum(down_s), sum(planned_s), sum(unknown_s), sum(failures),
      coalesce(string_agg(lengths, ''::bytea), ''::bytea)
    FROM (
      SELECT d.operator_id, d.model_id, d.region_id, f.down_s, f.planned_s, f.unknown_s, f.failures, (
        SELECT string_agg(int4send(seconds), ''::bytea) FROM unnest(f.recovered_s) AS seconds
      ) AS lengths
      FROM device d JOIN report_device_day f ON f.device_id = d.id AND f.day = ${day}::date
      WHERE ${places ? sql`(d.operator_id, d.model_id, d.region_id) IN (${places})` : sql`true`}
    ) AS placed GROUP BY operator_id, model_id, region_id`.execute(trx)
}

/** What is kept of a device's day in seconds or numbers. */
export const measures = ['down_s', 'planned_s', 'unknown_s', 'failures'] as const

/** Of these devices: what their day has now, less what was added up of it. */
async function sumDevices(trx: Trx, day: string, deviceIds: RawBuilder<unknown>): Promise<void> {
  const { month, number } = placeOf(day)
  const differences = measures.map(
    (measure) =>
      sql`coalesce(${sql.ref(`f.${measure}`)}, 0) - ${ofDay(`m.${measure}`, number)} AS ${sql.ref(measure)}`,
  )
  await sql`
    INSERT INTO report_device_month AS m (month, device_id, ${sql.join(measures.map((one) => sql.ref(one)))})
    SELECT ${month}::date, device_id, ${sql.join(
      measures.map((one) => sql`CASE WHEN ${sql.ref(one)} <> 0 THEN ${fromDay(one, number)} END`),
    )}
    FROM (
      SELECT i.device_id, ${sql.join(differences)}
      FROM (${deviceIds}) AS i
      LEFT JOIN report_device_day f ON f.device_id = i.device_id AND f.day = ${day}::date
      LEFT JOIN report_device_month m ON m.device_id = i.device_id AND m.month = ${month}::date
    ) AS differing WHERE ${sql.join(
      measures.map((one) => sql`${sql.ref(one)} <> 0`),
      sql` OR `,
    )} ORDER BY device_id
    ON CONFLICT (month, device_id) DO UPDATE SET ${sql.join(
      measures.map(
        (
          one,
        ) => sql`${sql.ref(one)} = CASE WHEN ${sql.ref(`excluded.${one}`)} IS NULL THEN ${sql.ref(`m.${one}`)}
          ELSE ${together(`m.${one}`, `excluded.${one}`)} END`,
      ),
    )}`.execute(trx)
}

/** Of the range's days, those that are added up. */
export async function listSummedDays(trx: Trx, { from, to }: TimeRange, zone: string): Promise<string[]> {
  const { rows } = await sql<{ day: string }>`
    SELECT day::text AS day FROM report_day
    WHERE part = 'groups' AND zone = ${zone} AND day >= ${dayOf(from)}::date AND day <= ${dayOf(to)}::date
    ORDER BY day`.execute(trx)
  return rows.map(({ day }) => day)
}

/** The sums of a day hold no longer. */
export async function forgetSums(trx: Trx, day: string): Promise<void> {
  await sql`DELETE FROM report_day WHERE part = 'groups' AND day = ${day}::date`.execute(trx)
}
