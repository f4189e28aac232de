import { sql, type Transaction } from 'kysely'
import { mayTakeLong } from '../../platform/database/connections/query-limit.ts'
import type { Database } from '../../platform/database/tables.ts'
import { addCells, cells } from './cells.ts'
import { levelOf, oneAtATime } from './counters.ts'
import { historySources, rowsOf, withLevels } from './sources.ts'

/**
 * Moves the counts of regions that get another parent. The rows of a region are also counted at every region above
 * it; so their counts are subtracted at the old place and added at the new one, in the transaction that moves the
 * regions: totals are exact before and after. `write` changes the paths.
 *
 * Costs a count of the rows of these regions, by index, and their cells: 1.4 s for a city with a million alarms in
 * 30 days. Folds wait for it; reports and lists go on.
 */
export async function moveRegions(
  trx: Transaction<Database>,
  { regionIds, write }: { regionIds: readonly number[]; write: () => Promise<void> },
): Promise<void> {
  await mayTakeLong(async () => {
    await oneAtATime(trx)
    await readCounted(trx, regionIds)
    await addCounted(trx, -1)
    await write()
    await addCounted(trx, 1)
  })
}

/**
 * Call it before a region is deleted that has no device and no row. Deltas of rows that were there may still wait
 * for a fold, and without the region no fold can find the regions above it.
 */
export async function forgetRegion(trx: Transaction<Database>, regionId: number): Promise<void> {
  await mayTakeLong(async () => {
    await oneAtATime(trx)
    await readCounted(trx, [regionId])
    await addCounted(trx, -1)
  })
}

/** The folded part of the rows of these regions: all rows less the deltas that still wait. */
async function readCounted(trx: Transaction<Database>, regionIds: readonly number[]): Promise<void> {
  const rows = Object.values(historySources).map(
    (source) => sql`
      SELECT ${sql.lit(source.id)}::smallint AS source, occurred_at::date AS day, operator_id, model_id, region_id,
        semaphore_code, count(*) AS n
      FROM ${rowsOf(source)} AS h WHERE region_id = ANY(${regionIds}::int[])
      GROUP BY occurred_at::date, operator_id, model_id, region_id, semaphore_code`,
  )
  // One statement: rows and deltas must come from one snapshot.
  await sql`
    CREATE TEMPORARY TABLE counted_in_region ON COMMIT DROP AS
    SELECT source, day, operator_id, model_id, region_id, row.semaphore_code,
      CASE WHEN source IN (${withLevels}) THEN ${levelOf(sql.ref('row.semaphore_code'))} END AS level,
      sum(n)::bigint AS n
    FROM (
      ${sql.join(rows, sql` UNION ALL `)}
      UNION ALL
      SELECT source, day, operator_id, model_id, region_id, semaphore_code, -n FROM history_delta
      WHERE region_id = ANY(${regionIds}::int[])
    ) AS row
    GROUP BY source, day, operator_id, model_id, region_id, row.semaphore_code
    HAVING sum(n) <> 0`.execute(trx)
}

/** Uses the paths as they are now, and only the combinations that have a region. */
async function addCounted(trx: Transaction<Database>, sign: 1 | -1): Promise<void> {
  await sql`
    WITH summed AS MATERIALIZED (
      SELECT source, day, operator_id, model_id, region_id, semaphore_code, level, ${sql.lit(sign)} * n AS n
      FROM counted_in_region
    ), ${cells({ only: 'regions' })}, ${addCells}
    SELECT`.execute(trx)
}
