import { type RawBuilder, sql, type Transaction } from 'kysely'
import { dayOf, startOfMonth } from '../clock.ts'
import type { Db } from '../database/database.ts'
import type { Database } from '../database/tables.ts'
import type { HistoryFilter } from './filter.ts'
import { type HistorySource, historySources } from './sources.ts'

/**
 * The counters are a cube with wildcards: a row of history_count holds, for one day, how many history rows
 * have its operator, model, region and semaphore code, where 0 (or '') stands for any. A region counts what
 * lies below it too. Whatever a list filters by, its total is then a sum over exact keys of one index.
 *
 * Which of the four columns a combination fixes. Left out is what would have about as many cells as there
 * are history rows: (model, region, code) with or without operator, and (operator, region, code) but for
 * regions of one level, the provinces. Rows by district and code are few enough to be counted by index.
 * A history of 55,000 rows a day (100,000 devices, 60 operators, 48 districts, 200 codes) has 64,000 cells
 * a day this way, 119,000 with (operator, region, code) at every level.
 */
const withoutRegion = ['', 'o', 'm', 'om', 'c', 'oc', 'mc', 'omc'] as const
const withRegion = ['r', 'or', 'mr', 'omr', 'rc'] as const
const withProvince = ['orc'] as const
const combinations: ReadonlySet<string> = new Set([...withoutRegion, ...withRegion, ...withProvince])

/** The filter's lists as keys of cells: 0 (or '') alone for a column that it does not narrow. */
export interface CellKeys {
  operatorIds: readonly number[]
  modelIds: readonly number[]
  regionIds: readonly number[]
  codes: readonly string[]
}

/** Where the cells stand that add up to a filter; null where there are none and rows must be counted. */
export async function cellsFor(db: Db, filter: HistoryFilter): Promise<CellKeys | null> {
  const { operatorIds, modelIds, topRegionIds, codes } = filter
  const combination = [
    operatorIds ? 'o' : '',
    modelIds ? 'm' : '',
    topRegionIds ? 'r' : '',
    codes ? 'c' : '',
  ].join('')
  if (!combinations.has(combination)) return null
  const regionIds = combination === 'orc' ? await provincesOf(db, topRegionIds ?? []) : (topRegionIds ?? [0])
  if (!regionIds) return null
  return { operatorIds: operatorIds ?? [0], modelIds: modelIds ?? [0], regionIds, codes: codes ?? [''] }
}

/**
 * The regions with a cell by operator and code that these consist of; null where one is smaller than that.
 * A country is its provinces and, for devices that are in none, itself.
 */
async function provincesOf(db: Db, topRegionIds: readonly number[]): Promise<readonly number[] | null> {
  const { rows } = await sql<{ ids: number[] | null; isWhole: boolean | null }>`
    SELECT array_agg(r.id) AS ids, bool_and(r.level <= 2) AS "isWhole"
    FROM region top
    JOIN LATERAL (
      SELECT id, cardinality(string_to_array(btrim(path, '/'), '/')) AS level FROM region
      WHERE id = top.id OR parent_id = top.id AND top.parent_id IS NULL
    ) AS r ON true
    WHERE top.id = ANY(${topRegionIds}::int[])
  `.execute(db)
  const [found] = rows
  return found?.isWhole ? found.ids : null
}

const columnOf = { o: 'operator_id', m: 'model_id', c: 'semaphore_code' } as const

/** `(operator_id, model_id), (operator_id), …` for GROUPING SETS, the region left to the caller. */
function groupingSets(keys: readonly string[]): RawBuilder<unknown> {
  const sets = keys.map((key) => {
    const columns = [...key]
      .filter((letter) => letter !== 'r')
      .map((letter) => columnOf[letter as 'o' | 'm' | 'c'])
    return `(${columns.join(', ')})`
  })
  return sql.raw(sets.join(', '))
}

/**
 * Cells out of a relation `summed` (source, day, operator_id, model_id, region_id, semaphore_code, n). Only
 * those that are not zero: what a move takes and gives back at once needs no cell.
 */
const cells = sql`
  cells AS (
    SELECT source, coalesce(operator_id, 0) AS operator_id, coalesce(model_id, 0) AS model_id,
      0 AS region_id, coalesce(semaphore_code, '') AS semaphore_code, day, sum(n)::int AS n
    FROM summed
    GROUP BY source, day, GROUPING SETS (${groupingSets(withoutRegion)})
    UNION ALL
    SELECT source, coalesce(operator_id, 0), coalesce(model_id, 0),
      node, coalesce(semaphore_code, ''), day, sum(n)::int
    FROM summed
    JOIN LATERAL (
      SELECT unnest(string_to_array(btrim(r.path, '/'), '/')::int[]) AS node
      FROM region r WHERE r.id = summed.region_id
    ) AS above ON true
    GROUP BY source, day, node, GROUPING SETS (${groupingSets(withRegion)})
    UNION ALL
    -- A path is /country/province/…: whatever lies deeper counts for its province.
    SELECT source, coalesce(operator_id, 0), 0, node, coalesce(semaphore_code, ''), day, sum(n)::int
    FROM summed
    JOIN LATERAL (
      SELECT coalesce(nullif(split_part(r.path, '/', 3), ''), split_part(r.path, '/', 2))::int AS node
      FROM region r WHERE r.id = summed.region_id
    ) AS province ON true
    GROUP BY source, day, node, GROUPING SETS (${groupingSets(withProvince)})
  )`

/** Whoever writes counters waits for whoever does. */
const lockKey = 7_286_110_453n
const oneAtATime = (trx: Transaction<Database>) => sql`SELECT pg_advisory_xact_lock(${lockKey})`.execute(trx)

/** Deltas a fold takes at once: bounds its memory after a pause. */
const foldLimit = 200_000

/**
 * Moves unfolded deltas into the counters, in one transaction: whoever reads sees each row counted once,
 * in the deltas before and in the cells after. Answers how many deltas it took.
 */
export async function foldDeltas(db: Db): Promise<number> {
  return await db.transaction().execute(async (trx) => {
    await oneAtATime(trx)
    const { rows } = await sql<{ taken: number }>`
      WITH taken AS (
        DELETE FROM history_delta
        WHERE ctid = ANY(ARRAY(SELECT ctid FROM history_delta LIMIT ${foldLimit}))
        RETURNING *
      ), summed AS MATERIALIZED (
        SELECT source, day, operator_id, model_id, region_id, semaphore_code, sum(n) AS n
        FROM taken
        GROUP BY source, day, operator_id, model_id, region_id, semaphore_code
        HAVING sum(n) <> 0
      ), ${cells}, by_day AS (
        INSERT INTO history_count AS c (source, operator_id, model_id, region_id, semaphore_code, day, n)
        SELECT source, operator_id, model_id, region_id, semaphore_code, day, n FROM cells WHERE n <> 0
        ORDER BY source, operator_id, model_id, region_id, semaphore_code, day
        ON CONFLICT (source, operator_id, model_id, region_id, semaphore_code, day)
        DO UPDATE SET n = c.n + excluded.n
      ), by_month AS (
        INSERT INTO history_month_count AS c (source, operator_id, model_id, region_id, semaphore_code, month, n)
        SELECT source, operator_id, model_id, region_id, semaphore_code, month, sum(n)
        FROM cells JOIN history_closed_month m ON m.month = date_trunc('month', cells.day)::date
        GROUP BY source, operator_id, model_id, region_id, semaphore_code, month
        HAVING sum(n) <> 0
        ORDER BY source, operator_id, model_id, region_id, semaphore_code, month
        ON CONFLICT (source, operator_id, model_id, region_id, semaphore_code, month)
        DO UPDATE SET n = c.n + excluded.n
      )
      SELECT count(*)::int AS taken FROM taken
    `.execute(trx)
    return rows[0]?.taken ?? 0
  })
}

/**
 * Sums up months that are over, so that a long range adds up a few cells a month and not one a day. From
 * then on a late row's delta is folded into day and month alike.
 */
export async function closeMonths(db: Db, now = new Date()): Promise<string[]> {
  const { rows: open } = await sql<{ month: string }>`
    SELECT DISTINCT date_trunc('month', day)::date AS month
    FROM history_count
    WHERE source IN (1, 2) AND operator_id = 0 AND model_id = 0 AND region_id = 0 AND semaphore_code = ''
      AND day < ${dayOf(startOfMonth(now))}::date
    EXCEPT SELECT month FROM history_closed_month
    ORDER BY month
  `.execute(db)
  for (const { month } of open) {
    await db.transaction().execute(async (trx) => {
      // No fold between the sum and the mark: it would not be in the month.
      await oneAtATime(trx)
      await sumMonth(trx, month)
      await sql`INSERT INTO history_closed_month (month) VALUES (${month}::date)`.execute(trx)
    })
  }
  return open.map(({ month }) => month)
}

async function sumMonth(trx: Transaction<Database>, month: string): Promise<void> {
  await sql`
    INSERT INTO history_month_count (source, operator_id, model_id, region_id, semaphore_code, month, n)
    SELECT source, operator_id, model_id, region_id, semaphore_code, ${month}::date, sum(n)
    FROM history_count
    WHERE day >= ${month}::date AND day < ${month}::date + interval '1 month'
    GROUP BY source, operator_id, model_id, region_id, semaphore_code
    HAVING sum(n) <> 0
  `.execute(trx)
}

/**
 * Counts everything anew from the history itself: after a change of zone, or of the region tree. Writers
 * wait meanwhile.
 */
export async function recount(db: Db): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await oneAtATime(trx)
    await sql`LOCK TABLE history_delta, history_closed_month IN ACCESS EXCLUSIVE MODE`.execute(trx)
    await sql`TRUNCATE history_delta, history_count, history_month_count, history_closed_month`.execute(trx)
    for (const source of Object.values(historySources)) await countHistory(trx, source)
  })
}

async function countHistory(trx: Transaction<Database>, { id, table }: HistorySource): Promise<void> {
  await sql`
    WITH summed AS MATERIALIZED (
      SELECT ${sql.lit(id)}::smallint AS source, occurred_at::date AS day,
        operator_id, model_id, region_id, semaphore_code, count(*) AS n
      FROM ${sql.table(table)}
      GROUP BY occurred_at::date, operator_id, model_id, region_id, semaphore_code
    ), ${cells}
    INSERT INTO history_count (source, operator_id, model_id, region_id, semaphore_code, day, n)
    SELECT source, operator_id, model_id, region_id, semaphore_code, day, n FROM cells
  `.execute(trx)
}

/** Counts anew when the days of the counters are those of another zone. Answers whether it had to. */
export async function keepZone(db: Db, zone: string): Promise<boolean> {
  const { rows } = await sql<{ zone: string }>`SELECT zone FROM history_zone`.execute(db)
  if (rows[0]?.zone === zone) return false
  if (rows[0]) await recount(db)
  await sql`
    INSERT INTO history_zone (zone) VALUES (${zone}) ON CONFLICT (is_only) DO UPDATE SET zone = excluded.zone
  `.execute(db)
  return rows[0] !== undefined
}
