// Operators that the counters count together: those of an organization and of the organizations under it.

import { sql, type Transaction } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import type { Database } from '../../platform/database/tables.ts'
import { eachDay } from './cells.ts'
import { oneAtATime } from './counters.ts'
import { historySources } from './sources.ts'

/**
 * Without organizations that have one operator or all, or the same ones as an organization under them: other cells
 * count these already.
 */
const wantedGroups = sql`
  WITH RECURSIVE under AS (
    SELECT id AS organization_id, id AS member FROM organization
    UNION
    SELECT u.organization_id, o.id FROM under u JOIN organization o ON o.parent_id = u.member
  ), sized AS (
    SELECT u.organization_id, count(*) AS n FROM under u JOIN operator p ON p.organization_id = u.member GROUP BY 1
  )
  SELECT u.organization_id, p.id AS operator_id
  FROM sized s JOIN under u USING (organization_id) JOIN operator p ON p.organization_id = u.member
  WHERE s.n > 1 AND s.n < (SELECT count(*) FROM operator) AND NOT EXISTS (
    SELECT FROM organization below JOIN sized b ON b.organization_id = below.id
    WHERE below.parent_id = s.organization_id AND b.n = s.n
  )`

/** Who has to be added to an organization (sign 1), and who to be subtracted from it (sign -1). */
const changedGroups = sql`
  SELECT organization_id, operator_id, CASE WHEN is_wanted THEN 1 ELSE -1 END AS sign
  FROM (SELECT *, true AS is_wanted FROM (${wantedGroups}) AS one) AS w
  FULL JOIN (SELECT *, true AS is_counted FROM history_group) AS g USING (organization_id, operator_id)
  WHERE is_wanted IS NULL OR is_counted IS NULL`

/**
 * Adds operators to the organizations that they have come to, and subtracts them from those that they have left; until
 * then lists use the cells of such operators, which is slower and as exact. A transaction for each organization, so
 * that a fold waits for one of them at most. Returns how many organizations.
 */
export async function recountGroups(db: Db, signal?: AbortSignal): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    SELECT DISTINCT organization_id AS id FROM (${changedGroups}) AS changed ORDER BY id`.execute(db)
  for (const { id } of rows) {
    if (signal?.aborted) break
    await db.transaction().execute((trx) => recountGroup(trx, id))
  }
  return rows.length
}

async function recountGroup(trx: Transaction<Database>, organizationId: number): Promise<void> {
  await oneAtATime(trx)
  const { rows: changes } = await sql<{ id: number; sign: number }>`
    SELECT operator_id AS id, sign FROM (${changedGroups}) AS changed WHERE organization_id = ${organizationId}
  `.execute(trx)
  const ids = changes.map(({ id }) => id)
  const left = changes.filter(({ sign }) => sign < 0).map(({ id }) => id)
  const joined = changes.filter(({ sign }) => sign > 0).map(({ id }) => id)
  await sql`
    DELETE FROM history_group WHERE organization_id = ${organizationId} AND operator_id = ANY(${left}::int[])
  `.execute(trx)
  await sql`
    INSERT INTO history_group SELECT ${organizationId}::int, unnest(${joined}::int[])`.execute(trx)
  const { rows: members } = await sql`
    SELECT FROM history_group WHERE organization_id = ${organizationId} LIMIT 1`.execute(trx)
  const sources = Object.values(historySources).map(({ id }) => id)
  if (members.length === 0) {
    await sql`
      DELETE FROM history_count WHERE source = ANY(${sources}::int[]) AND operator_id = ${-organizationId}
    `.execute(trx)
    return
  }
  // Rows whose deltas are not folded are in no cell: the fold counts them by the new groups.
  await sql`
    INSERT INTO history_count AS c (source, operator_id, model_id, region_id, semaphore_code, month, days)
    SELECT source, ${-organizationId}::int, model_id, region_id, semaphore_code, month,
      ${eachDay((day) => sql`sum(sign * days[${sql.lit(day)}])::int`)}
    FROM unnest(${ids}::int[], ${changes.map(({ sign }) => sign)}::int[]) AS changed (operator_id, sign)
    JOIN history_count USING (operator_id)
    WHERE source = ANY(${sources}::int[])
    GROUP BY source, model_id, region_id, semaphore_code, month
    ORDER BY source, model_id, region_id, semaphore_code, month
    ON CONFLICT (source, operator_id, model_id, region_id, semaphore_code, month)
    DO UPDATE SET days = ${eachDay((day) => sql`c.days[${sql.lit(day)}] + excluded.days[${sql.lit(day)}]`)}
  `.execute(trx)
}
