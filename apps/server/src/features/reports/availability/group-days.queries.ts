// SQL of the days of groups: added up by the job, and read where a report needs no single device.
import type { AvailabilityGroup } from '@voltkeep/contract'
import { sql } from 'kysely'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { dayOf, type TimeRange } from '../../../platform/process/clock.ts'
import { stepBounds } from './steps.rules.ts'

/** A sum of days of groups that a report may take in place of its devices' days. */
export interface GroupDays {
  kind: Exclude<AvailabilityGroup, 'device'>
  days: readonly string[]
  /** The groups of the report; null: all of the kind. */
  keys: readonly string[] | null
}

/** Adds up a day whose devices' days are kept. */
export async function sumGroupDay(trx: Trx, day: Date): Promise<void> {
  const name = sql`${dayOf(day)}::date`
  await sql`DELETE FROM report_group_day WHERE day = ${name}`.execute(trx)
  await sql`
    WITH placed AS MATERIALIZED (
      SELECT d.operator_id, d.model_id, d.region_id, f.down_s, f.planned_s, f.unknown_s, f.failures, f.recovered_s
      FROM report_device_day f JOIN device d ON d.id = f.device_id WHERE f.day = ${name}
    ), grouped AS MATERIALIZED (
      SELECT 'operator' AS kind, operator_id::text AS key, down_s, planned_s, unknown_s, failures, recovered_s FROM placed
      UNION ALL SELECT 'model', model_id::text, down_s, planned_s, unknown_s, failures, recovered_s FROM placed
      UNION ALL SELECT 'region', node, down_s, planned_s, unknown_s, failures, recovered_s
      FROM placed p JOIN region r ON r.id = p.region_id
      CROSS JOIN LATERAL unnest(string_to_array(btrim(r.path, '/'), '/')) AS node
    ), lasting AS MATERIALIZED (
      SELECT kind, key, seconds, width_bucket(seconds::int8, ${stepBounds}::int8[]) AS step, count(*)::int AS n
      FROM grouped CROSS JOIN LATERAL unnest(recovered_s) AS seconds GROUP BY kind, key, seconds
    )
    INSERT INTO report_group_day (day, kind, key, down_s, planned_s, unknown_s, failures, recovered_s, steps, counts)
    SELECT ${name}, s.kind, s.key, s.down_s, s.planned_s, s.unknown_s, s.failures, coalesce(v.recovered_s, '{}'),
      coalesce(l.steps, '{}'), coalesce(l.counts, '{}')
    FROM (
      SELECT kind, key, sum(down_s) AS down_s, sum(planned_s) AS planned_s, sum(unknown_s) AS unknown_s,
        sum(failures) AS failures
      FROM grouped GROUP BY kind, key
    ) AS s
    LEFT JOIN (
      SELECT kind, key, array_agg(seconds ORDER BY seconds) AS recovered_s FROM (
        SELECT kind, key, seconds FROM lasting CROSS JOIN LATERAL generate_series(1, n)
      ) AS each GROUP BY kind, key
    ) AS v USING (kind, key)
    LEFT JOIN (
      SELECT kind, key, array_agg(step::smallint ORDER BY step) AS steps, array_agg(n ORDER BY step) AS counts
      FROM (SELECT kind, key, step, sum(n)::int AS n FROM lasting GROUP BY kind, key, step) AS c GROUP BY kind, key
    ) AS l USING (kind, key)`.execute(trx)
}

/** Forgets all sums where a device or a region has moved since: its group differs on every day. */
export async function forgetMovedGroups(db: Db): Promise<void> {
  await sql`
    WITH moved AS (DELETE FROM report_moved RETURNING 1)
    DELETE FROM report_day WHERE part = 'groups' AND EXISTS (SELECT FROM moved)`.execute(db)
}

export async function forgetGroupDay(trx: Trx, day: string): Promise<void> {
  await sql`DELETE FROM report_day WHERE part = 'groups' AND day = ${day}::date`.execute(trx)
}

/** Of the range's days, those whose sums are those of their devices' days. */
export async function listGroupDays(trx: Trx, { from, to }: TimeRange, zone: string): Promise<string[]> {
  const { rows } = await sql<{ day: string }>`
    SELECT day::text AS day FROM report_day
    WHERE part = 'groups' AND zone = ${zone} AND day >= ${dayOf(from)}::date AND day <= ${dayOf(to)}::date
      AND NOT EXISTS (SELECT FROM report_moved)
    ORDER BY day`.execute(trx)
  return rows.map(({ day }) => day)
}

export const ofGroups = ({ kind, days, keys }: GroupDays) => sql`
  g.kind = ${kind} AND g.day = ANY(${days}::date[]) ${keys ? sql`AND g.key = ANY(${keys}::text[])` : sql``}`
