// Which sums of the history are kept as counters, how rows become cells, and which cells add up to a filter.

import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import type { HistoryFilter } from './filter.ts'

/**
 * The counters are a cube with wildcards. A row of history_count (a cell) counts, for each day of one month, the
 * history rows with its operator, model, region and semaphore code, where 0 (or '') stands for any. A region
 * includes the regions below it, -7 in place of an operator counts those of the organization 7 and of the ones under
 * it, and `#2` in place of a code counts the alarms of level 2. So the total of a list is a sum over exact keys of one
 * index, whatever the list filters by.
 *
 * The lists below say which columns a combination fixes: o = operator, m = model, r = region, c = code, l = level.
 * With a code, regions are counted at the level of provinces only, and not by operator and model together: there
 * would be about as many cells as history rows. Rows by district and code are few enough to be counted by index.
 * A history of 55,000 rows a day (100,000 devices, 60 operators, 48 districts, 200 codes) has some 85,000 cells a
 * day this way.
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

/** Sums of a relation by these combinations; `region` is the expression for their region. */
function sums(relation: RawBuilder<unknown>, region: RawBuilder<unknown>, keys: readonly string[]) {
  const sets = keys.map((key) => `(${[...key].flatMap((letter) => columnOf[letter] ?? []).join(', ')})`)
  // The relation may lack columns that no combination fixes.
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
 * Makes the relation `cells` out of a relation `summed` (source, day, operator_id, model_id, region_id,
 * semaphore_code, level, n): what each row adds to every combination that it belongs to; with `only`, to those by
 * level or by region. A code without a level is counted by no level.
 *
 * Combinations without a code are summed from `by_level`, and regions by code from `by_region`: both are a small
 * part of `summed`, and each region becomes four or five rows when the regions above it are added. Directly from
 * `summed`, a day of 38,000 rows took three times as long.
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
    ), own_cells AS (${sql.join(parts, sql` UNION ALL `)}
    ), cells AS (
      SELECT * FROM own_cells
      UNION ALL
      SELECT c.source, -g.organization_id, c.model_id, c.region_id, c.semaphore_code, c.day, c.n
      FROM own_cells c JOIN history_group g ON g.operator_id = c.operator_id
    )`
}

const hasCode = (key: string) => key.includes('c')
const hasNoCode = (key: string) => !hasCode(key)

const everywhere = (relation: string) => sql`(SELECT *, 0 AS everywhere FROM ${sql.table(relation)}) AS s`

const regionsAbove = (relation: string) => sql`(
  SELECT s.*, node FROM ${sql.table(relation)} s
  JOIN region r ON r.id = s.region_id
  CROSS JOIN LATERAL unnest(string_to_array(btrim(r.path, '/'), '/')::int[]) AS node
) AS above`

/** A path is /country/province/…: a deeper region counts for its province. */
const provinces = sql`(
  SELECT s.*, coalesce(nullif(split_part(r.path, '/', 3), '')::int, r.id) AS province
  FROM summed s JOIN region r ON r.id = s.region_id
) AS placed`

/** An array with an element for each of the 31 days in a row of history_count. */
export const eachDay = (element: (dayOfMonth: number) => RawBuilder<unknown>) =>
  sql`ARRAY[${sql.join(Array.from({ length: 31 }, (_, index) => element(index + 1)))}]`

/** The key of a cell, without its month. */
const cellKey = sql`source, operator_id, model_id, region_id, semaphore_code`

/** Adds `cells` to the counters. */
export const addCells = sql`
  added_cells AS (
    INSERT INTO history_count AS c (${cellKey}, month, days)
    SELECT ${cellKey}, month,
      ${eachDay((day) => sql`coalesce(sum(n) FILTER (WHERE day_of_month = ${sql.lit(day)}), 0)::int`)}
    FROM (
      SELECT ${cellKey}, date_trunc('month', day)::date AS month, n,
        day - date_trunc('month', day)::date + 1 AS day_of_month
      FROM cells WHERE n <> 0
      -- A fence: the day of the month is computed once for a cell and not 31 times.
      OFFSET 0
    ) AS dated
    GROUP BY ${cellKey}, month
    ORDER BY ${cellKey}, month
    ON CONFLICT (${cellKey}, month)
    DO UPDATE SET days = ${eachDay((day) => sql`c.days[${sql.lit(day)}] + excluded.days[${sql.lit(day)}]`)}
  )`

/** The lists of a filter as keys of cells: only 0 (or '') for a column that the filter does not narrow. */
export interface CellKeys {
  /** Operators, or organizations as negative ids. */
  operatorIds: readonly number[]
  modelIds: readonly number[]
  regionIds: readonly number[]
  /** Codes, or levels as `#1`. */
  codes: readonly string[]
}

/** The keys of the cells that add up to a filter; null when no cells do, and rows must be counted. */
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
    operatorIds: operatorIds ? await groupsOf(db, operatorIds) : [0],
    modelIds: modelIds ?? [0],
    regionIds,
    codes: isByLevel ? levels.map((level) => `#${level}`) : (codes ?? ['']),
  }
}

/**
 * The same operators with organizations, as negative ids, for all of whom the counters count together: a scope of 25
 * operators and a text that matches 27 codes are 27 cells a month and not 675. An organization whose operators are
 * others than the list's is not taken, so it does not matter whether the counts have followed its changes.
 */
async function groupsOf(db: Db, operatorIds: readonly number[]): Promise<readonly number[]> {
  if (operatorIds.length < 2) return operatorIds
  const { rows } = await sql<{ id: number; members: number[] }>`
    SELECT organization_id AS id, array_agg(operator_id) AS members FROM history_group
    WHERE organization_id IN (
      SELECT organization_id FROM history_group WHERE operator_id = ANY(${operatorIds}::int[]))
    GROUP BY organization_id HAVING bool_and(operator_id = ANY(${operatorIds}::int[]))
    ORDER BY count(*) DESC, organization_id`.execute(db)
  const left = new Set(operatorIds)
  const groups: number[] = []
  for (const { id, members } of rows) {
    if (!members.every((member) => left.has(member))) continue
    for (const member of members) left.delete(member)
    groups.push(-id)
  }
  return [...groups, ...left]
}

/** True when the counters count these codes by these levels. False for a while after the dictionary was changed. */
async function areLevelsOf(db: Db, levels: readonly number[], codes: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ code: string }>`
    SELECT semaphore_code AS code FROM history_level WHERE level = ANY(${levels}::int[])`.execute(db)
  const counted = new Set(rows.map(({ code }) => code))
  return counted.size === codes.length && codes.every((code) => counted.has(code))
}

/**
 * The regions with cells by code that add up to these regions; null when one is smaller than a province. A country
 * is its provinces and, for devices that are in none of them, itself.
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
