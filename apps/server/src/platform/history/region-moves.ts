import { sql, type Transaction } from 'kysely'
import { mayTakeLong } from '../database/query-limit.ts'
import type { Database } from '../database/tables.ts'
import { addCells, cells } from './cells.ts'
import { levelOf, oneAtATime } from './counters.ts'
import { historySources } from './sources.ts'

/**
 * The counters count a region's rows at every region above it as well. So when regions get another place in
 * the tree, what the counters hold of their rows is taken out where they stood and put in where they stand
 * then, in the transaction that moves them: totals are exact before and after. `write` changes the paths.
 *
 * Costs a count of these regions' rows, by index, and their cells: 1.4 s for a city with a million alarms in 30
 * days. Folding waits meanwhile; reports and lists go on.
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
 * Before a region is deleted at which no device stands and no row is left: deltas of what stood there may
 * still wait to be folded, and once the region is gone no fold will know which regions were above it.
 */
export async function forgetRegion(trx: Transaction<Database>, regionId: number): Promise<void> {
  await mayTakeLong(async () => {
    await oneAtATime(trx)
    await readCounted(trx, [regionId])
    await addCounted(trx, -1)
  })
}

/** What is folded of these regions' rows: all of them without those whose deltas still wait. */
async function readCounted(trx: Transaction<Database>, regionIds: readonly number[]): Promise<void> {
  const rows = Object.values(historySources).map(
    ({ id, table }) => sql`
      SELECT ${sql.lit(id)}::smallint AS source, occurred_at::date AS day, operator_id, model_id, region_id,
        semaphore_code, count(*) AS n
      FROM ${sql.table(table)} WHERE region_id = ANY(${regionIds}::int[])
      GROUP BY occurred_at::date, operator_id, model_id, region_id, semaphore_code`,
  )
  // In one statement: rows and their deltas must be of one moment.
  await sql`
    CREATE TEMPORARY TABLE counted_in_region ON COMMIT DROP AS
    SELECT source, day, operator_id, model_id, region_id, row.semaphore_code,
      CASE WHEN source = ${sql.lit(historySources.alarm.id)} THEN ${levelOf(sql.ref('row.semaphore_code'))} END AS level,
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

/** By the paths as they are now; only where a region is counted. */
async function addCounted(trx: Transaction<Database>, sign: 1 | -1): Promise<void> {
  await sql`
    WITH summed AS MATERIALIZED (
      SELECT source, day, operator_id, model_id, region_id, semaphore_code, level, ${sql.lit(sign)} * n AS n
      FROM counted_in_region
    ), ${cells({ only: 'regions' })}, ${addCells}
    SELECT`.execute(trx)
}
