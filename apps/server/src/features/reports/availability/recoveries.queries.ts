// SQL that finds how long failures lasted by way of their steps of length.
import { sql } from 'kysely'
import type { Trx } from '../../../platform/database/database.ts'
import { type Asked, recoveredIn } from './availability.queries.ts'
import { type GroupDays, ofGroups } from './group-days.queries.ts'
import { stepBounds } from './steps.rules.ts'

/** How many failures ended in each step of length, by group: of the sums, and of days that are read device by device. */
export async function countSteps(
  trx: Trx,
  asked: Asked,
  groups: GroupDays,
): Promise<{ key: string; step: number; n: number }[]> {
  const { rows } = await sql<{ key: string; step: number; n: number }>`
    SELECT key, step::int AS step, sum(n)::int AS n FROM (
      SELECT g.key, u.step, u.n FROM report_group_day g CROSS JOIN LATERAL unnest(g.steps, g.counts) AS u (step, n)
      WHERE ${ofGroups(groups)}
      UNION ALL
      SELECT key, width_bucket(seconds::int8, ${stepBounds}::int8[]), 1 FROM (${recoveredIn(asked)}) AS o
    ) AS part GROUP BY key, step`.execute(trx)
  return rows
}

/** The lengths within these steps, of these groups together under one name each. */
export async function readSteps(
  trx: Trx,
  asked: Asked,
  groups: GroupDays,
  wanted: readonly { name: string; key: string; step: number }[],
): Promise<{ name: string; seconds: number; n: number }[]> {
  const { rows } = await sql<{ name: string; seconds: number; n: number }>`
    WITH wanted AS MATERIALIZED (
      SELECT name, key, step FROM unnest(
        ${wanted.map(({ name }) => name)}::text[], ${wanted.map(({ key }) => key)}::text[],
        ${wanted.map(({ step }) => step)}::int[]) AS w (name, key, step)
    )
    SELECT name, seconds, count(*)::int AS n FROM (
      SELECT w.name, seconds
      FROM wanted w JOIN report_group_day g ON g.key = w.key AND ${ofGroups(groups)}
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(n) FILTER (WHERE u.step < w.step), 0)::int AS before,
          coalesce(sum(n) FILTER (WHERE u.step = w.step), 0)::int AS own
        FROM unnest(g.steps, g.counts) AS u (step, n)
      ) AS place
      CROSS JOIN LATERAL unnest(g.recovered_s[place.before + 1 : place.before + place.own]) AS seconds
      UNION ALL
      SELECT w.name, o.seconds FROM (${recoveredIn(asked)}) AS o
      JOIN wanted w ON w.key = o.key AND w.step = width_bucket(o.seconds::int8, ${stepBounds}::int8[])
    ) AS part GROUP BY name, seconds`.execute(trx)
  return rows
}
