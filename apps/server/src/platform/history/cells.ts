import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database/database.ts'
import type { HistoryFilter } from './filter.ts'

/**
 * The counters are a cube with wildcards: a row of history_count holds, for the days of one month, how many
 * history rows have its operator, model, region and semaphore code, where 0 (or '') stands for any. A region
 * counts what lies below it too, and `#2` in place of a code counts the alarms of level 2. Whatever a list
 * filters by, its total is then a sum over exact keys of one index.
 *
 * Below: which columns a combination fixes (operator, model, region, code, level). With a code, regions are
 * counted at the level of provinces alone, and not by operator and model at once: the cells would be about
 * as many as the history rows. Rows by district and code are few enough to be counted by index.
 * A history of 55,000 rows a day (100,000 devices, 60 operators, 48 districts, 200 codes) has some 85,000
 * cells a day this way.
 */
const withoutRegion = ['', 'o', 'm', 'om', 'c', 'oc', 'mc', 'omc', 'l', 'ol', 'ml', 'oml']
const withRegion = ['r', 'or', 'mr', 'omr', 'rc', 'rl', 'orl', 'mrl', 'omrl']
const withProvince = ['orc', 'mrc']
const combinations: ReadonlySet<string> = new Set([...withoutRegion, ...withRegion, ...withProvince])

const columnOf: Record<string, string> = {
  o: 'operator_id',
  m: 'model_id',
  c: 'semaphore_code',
  l: 'level',
}

/** Sums of a relation by these combinations, with their region in the place of `region`. */
function sums(relation: RawBuilder<unknown>, region: RawBuilder<unknown>, keys: readonly string[]) {
  const sets = keys.map((key) => `(${[...key].flatMap((letter) => columnOf[letter] ?? []).join(', ')})`)
  // Columns that no combination fixes may not even stand in the relation.
  const column = (letter: string, name: string) =>
    keys.some((key) => key.includes(letter)) ? sql`coalesce(${sql.ref(name)}, 0)` : sql`0`
  const hasLevels = keys.some((key) => key.includes('l'))
  const semaphore = keys.some(hasCode)
    ? sql`coalesce(semaphore_code, '')`
    : hasLevels
      ? sql`coalesce('#' || level, '')`
      : sql`''`
  return sql`
    SELECT source, ${column('o', 'operator_id')} AS operator_id, ${column('m', 'model_id')} AS model_id,
      ${region} AS region_id, ${semaphore} AS semaphore_code, day, sum(n)::int AS n
    FROM ${relation}
    GROUP BY source, day, ${region}, GROUPING SETS (${sql.raw(sets.join(', '))})
    ${hasLevels ? sql`HAVING level IS NOT NULL OR GROUPING(level) = 1` : sql``}`
}

/**
 * `cells` out of a relation `summed` (source, day, operator_id, model_id, region_id, semaphore_code, level,
 * n): what each row adds to every combination that it belongs to, or only to those by level or by region. A
 * code without a level is counted by no level.
 *
 * What has no code is summed up from `by_level`, and regions by code from `by_region`: both are a small part
 * of `summed`, and a region stands for four or five once those above it are added. Straight from `summed`, a
 * day of 38,000 took three times as long.
 */
export function cells({ only }: { only?: 'levels' | 'regions' } = {}): RawBuilder<unknown> {
  const part = (relation: RawBuilder<unknown>, region: RawBuilder<unknown>, keys: readonly string[]) => {
    const wanted = only === 'levels' ? keys.filter((key) => key.includes('l')) : keys
    return wanted.length > 0 ? [sums(relation, region, wanted)] : []
  }
  const parts = [
    only === 'regions' ? [] : part(everywhere('summed'), sql`everywhere`, withoutRegion.filter(hasCode)),
    only === 'regions' ? [] : part(everywhere('by_level'), sql`everywhere`, withoutRegion.filter(hasNoCode)),
    part(regionsAbove('by_region'), sql`node`, withRegion.filter(hasCode)),
    part(regionsAbove('by_level'), sql`node`, withRegion.filter(hasNoCode)),
    part(provinces, sql`province`, withProvince),
  ].flat()
  return sql`
    by_level AS MATERIALIZED (
      SELECT source, day, operator_id, model_id, region_id, level, sum(n) AS n FROM summed
      GROUP BY source, day, operator_id, model_id, region_id, level
    ), by_region AS MATERIALIZED (
      SELECT source, day, region_id, semaphore_code, sum(n) AS n FROM summed
      GROUP BY source, day, region_id, semaphore_code
    ), cells AS (${sql.join(parts, sql` UNION ALL `)})`
}

const hasCode = (key: string) => key.includes('c')
const hasNoCode = (key: string) => !hasCode(key)

const everywhere = (relation: string) => sql`(SELECT *, 0 AS everywhere FROM ${sql.table(relation)}) AS s`

const regionsAbove = (relation: string) => sql`(
  SELECT s.*, node FROM ${sql.table(relation)} s
  JOIN region r ON r.id = s.region_id
  CROSS JOIN LATERAL unnest(string_to_array(btrim(r.path, '/'), '/')::int[]) AS node
) AS above`

/** A path is /country/province/…: whatever lies deeper counts for its province. That of "everywhere" is /. */
const provinces = sql`(
  SELECT s.*, coalesce(nullif(split_part(r.path, '/', 3), '')::int, r.id) AS province
  FROM summed s JOIN region r ON r.id = s.region_id
) AS placed`

/** An element for each day of a month that a row of history_count has room for. */
export const eachDay = (element: (dayOfMonth: number) => RawBuilder<unknown>) =>
  sql`ARRAY[${sql.join(Array.from({ length: 31 }, (_, index) => element(index + 1)))}]`

/** What names a cell, its month apart. */
export const cellKey = sql`source, operator_id, model_id, region_id, semaphore_code`

/** Adds `cells` to the counters: by day, and by month where the month is closed. */
export const addCells = sql`
  by_day AS (
    INSERT INTO history_count AS c (${cellKey}, month, days)
    SELECT ${cellKey}, month,
      ${eachDay((day) => sql`coalesce(sum(n) FILTER (WHERE day_of_month = ${sql.lit(day)}), 0)::int`)}
    FROM (
      SELECT ${cellKey}, date_trunc('month', day)::date AS month, n,
        day - date_trunc('month', day)::date + 1 AS day_of_month
      FROM cells WHERE n <> 0
      -- A fence: the day of the month is worked out once a cell and not 31 times.
      OFFSET 0
    ) AS dated
    GROUP BY ${cellKey}, month
    ORDER BY ${cellKey}, month
    ON CONFLICT (${cellKey}, month)
    DO UPDATE SET days = ${eachDay((day) => sql`c.days[${sql.lit(day)}] + excluded.days[${sql.lit(day)}]`)}
  ), by_month AS (
    INSERT INTO history_month_count AS c (${cellKey}, month, n)
    SELECT ${cellKey}, month, sum(n)
    FROM cells JOIN history_closed_month m ON m.month = date_trunc('month', cells.day)::date
    GROUP BY ${cellKey}, month
    HAVING sum(n) <> 0
    ORDER BY ${cellKey}, month
    ON CONFLICT (${cellKey}, month) DO UPDATE SET n = c.n + excluded.n
  )`

/** A filter's lists as keys of cells: 0 (or '') alone for a column that it does not narrow. */
export interface CellKeys {
  operatorIds: readonly number[]
  modelIds: readonly number[]
  regionIds: readonly number[]
  /** Codes, or levels as `#1`. */
  codes: readonly string[]
}

/** Where the cells stand that add up to a filter; null where there are none and rows must be counted. */
export async function cellsFor(db: Db, filter: HistoryFilter): Promise<CellKeys | null> {
  const { operatorIds, modelIds, topRegionIds, codes, levels } = filter
  const isByLevel = codes !== null && levels !== null && (await areLevelsOf(db, levels, codes))
  const combination = [
    operatorIds ? 'o' : '',
    modelIds ? 'm' : '',
    topRegionIds ? 'r' : '',
    codes ? (isByLevel ? 'l' : 'c') : '',
  ].join('')
  if (!combinations.has(combination)) return null
  const regionIds = withProvince.includes(combination)
    ? await provincesOf(db, topRegionIds ?? [])
    : (topRegionIds ?? [0])
  if (!regionIds) return null
  return {
    operatorIds: operatorIds ?? [0],
    modelIds: modelIds ?? [0],
    regionIds,
    codes: isByLevel ? levels.map((level) => `#${level}`) : (codes ?? ['']),
  }
}

/** Are these codes what the counters count by these levels? Not right after the dictionary was changed. */
async function areLevelsOf(db: Db, levels: readonly number[], codes: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ code: string }>`
    SELECT semaphore_code AS code FROM history_level WHERE level = ANY(${levels}::int[])`.execute(db)
  const counted = new Set(rows.map(({ code }) => code))
  return counted.size === codes.length && codes.every((code) => counted.has(code))
}

/**
 * The regions with a cell by code that these consist of; null where one is smaller than that. A country is
 * its provinces and, for devices that are in none, itself.
 */
async function provincesOf(db: Db, topRegionIds: readonly number[]): Promise<readonly number[] | null> {
  const { rows } = await sql<{ ids: number[] | null; isWhole: boolean | null }>`
    SELECT array_agg(r.id) AS ids, bool_and(r.level <= 2) AS "isWhole"
    FROM region top
    CROSS JOIN LATERAL (
      SELECT id, cardinality(string_to_array(btrim(path, '/'), '/')) AS level FROM region
      WHERE id = top.id OR parent_id = top.id AND top.parent_id IS NULL
    ) AS r
    WHERE top.id = ANY(${topRegionIds}::int[])
  `.execute(db)
  const [found] = rows
  return found?.isWhole ? found.ids : null
}
