// How many rows of whole days each group has, from the counters: the sum of all groups is what the list counts.

import { type RawBuilder, sql } from 'kysely'
import { dayOf, startOfDay, startOfMonth } from '../../platform/process/clock.ts'
import { type CellKeys, cellsFor } from './cells.ts'
import { passes, passesNothing } from './filter.ts'
import { type SourceQuery, within } from './stretches.ts'

export type GroupedBy = 'operator' | 'model' | 'region' | 'code' | 'device'

const columns = {
  operator: 'operator_id',
  model: 'model_id',
  region: 'region_id',
  code: 'semaphore_code',
} as const

/**
 * The rows of each group, by its key: an id or a code. Of regions, those of `keys` are counted with
 * all below them, and none of them lies within another. A filter of places alone, and whole days.
 */
export async function countGroups(
  query: SourceQuery,
  by: GroupedBy,
  keys: readonly number[] = [],
): Promise<Map<string, number>> {
  const { filter } = query
  if (passesNothing(filter)) return new Map()
  const cells = by === 'device' || filter.deviceIds ? null : await cellsOf(query, by, keys)
  const { rows } = await sql<{ key: string; n: string }>`
    SELECT key::text AS key, sum(n) AS n FROM (
      ${cells && by !== 'device' ? fromCells(query, by, cells, keys) : fromRows(query, by, keys)}
    ) AS part GROUP BY key HAVING sum(n) <> 0`.execute(query.trx)
  return new Map(rows.map(({ key, n }) => [key, Number(n)]))
}

/**
 * The rows of each level of the dictionary, of the rows of each code. The counters by level are not asked: they follow a
 * change of the dictionary later.
 */
export async function sumByLevel(
  trx: SourceQuery['trx'],
  byCode: ReadonlyMap<string, number>,
): Promise<Map<number, number>> {
  const { rows } = await sql<{ code: string; level: number | null }>`
    SELECT code, alarm_level AS level FROM dictionary_entry
    WHERE type = 'ALARM' AND alarm_level IS NOT NULL AND code = ANY(${[...byCode.keys()]}::text[])`.execute(
    trx,
  )
  const sums = new Map<number, number>()
  for (const { code, level } of rows)
    if (level !== null) sums.set(level, (sums.get(level) ?? 0) + (byCode.get(code) ?? 0))
  return sums
}

/** The cells that are to be summed by their group's column; null where the counters do not have the combination. */
async function cellsOf(
  { trx, filter }: SourceQuery,
  by: Exclude<GroupedBy, 'device'>,
  keys: readonly number[],
): Promise<CellKeys | null> {
  // Organizations stand for operators nowhere here: a group is one operator.
  const single = (cells: CellKeys | null) =>
    cells && { ...cells, operatorIds: filter.operatorIds ?? cells.operatorIds }
  if (by === 'region') return single(await cellsFor(trx, { ...filter, topRegionIds: keys }))
  if (by === 'code') return single(await cellsFor(trx, { ...filter, codes: [], levels: null }))
  if (by === 'operator') {
    const operatorIds = filter.operatorIds ?? (await allIds(trx, 'operator'))
    const cells = await cellsFor(trx, { ...filter, operatorIds })
    return cells && { ...cells, operatorIds }
  }
  return single(
    await cellsFor(trx, { ...filter, modelIds: filter.modelIds ?? (await allIds(trx, 'equip_model')) }),
  )
}

async function allIds(trx: SourceQuery['trx'], table: 'operator' | 'equip_model'): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`SELECT id FROM ${sql.table(table)}`.execute(trx)
  return rows.map(({ id }) => id)
}

function fromCells(
  { source, filter }: SourceQuery,
  by: Exclude<GroupedBy, 'device'>,
  cells: CellKeys,
  keys: readonly number[],
): RawBuilder<unknown> {
  const { from, to } = filter.range
  // Of each month, which of its days lie in the range.
  const months: RawBuilder<unknown>[] = []
  for (let month = startOfMonth(from); month < to; month = startOfMonth(month, 1)) {
    const first = from > month ? from.getDate() : 1
    const end = startOfMonth(month, 1)
    const last = startOfDay(new Date(Math.min(to.getTime(), end.getTime())), -1).getDate()
    months.push(sql`(${dayOf(month)}::date, ${first}::int, ${last}::int)`)
  }
  const codes =
    by === 'code'
      ? sql`c.semaphore_code <> '' AND c.semaphore_code NOT LIKE '#%'`
      : sql`c.semaphore_code = ANY(${cells.codes}::text[])`
  return sql`
    SELECT ${sql.ref(`c.${columns[by]}`)}::text AS key, (SELECT sum(day) FROM unnest(c.days[m.first:m.last]) AS day) AS n
    FROM history_count c JOIN (VALUES ${sql.join(months)}) AS m (month, first, last) ON m.month = c.month
    WHERE c.source = ${sql.lit(source.id)} AND ${codes}
      AND c.operator_id = ANY(${cells.operatorIds}::int[]) AND c.model_id = ANY(${cells.modelIds}::int[])
      AND c.region_id = ANY(${cells.regionIds}::int[])
    UNION ALL
    SELECT ${keyOf(by)}::text, d.n FROM (
      SELECT * FROM history_delta
      WHERE source = ${sql.lit(source.id)} AND ${passes(filter)}
        AND day >= ${dayOf(from)}::date AND day < ${dayOf(to)}::date
    ) AS d ${joinsOf(by, keys)}`
}

const fromRows = ({ source, filter }: SourceQuery, by: GroupedBy, keys: readonly number[]) => sql`
  SELECT ${keyOf(by)}::text AS key, d.n FROM (
    SELECT ${sql.ref(by === 'device' ? 'device_id' : columns[by])}, count(*) AS n FROM ${sql.table(source.table)}
    WHERE ${passes(filter)} AND ${within(filter.range)}
    GROUP BY ${sql.ref(by === 'device' ? 'device_id' : columns[by])}
  ) AS d ${joinsOf(by, keys)}`

const keyOf = (by: GroupedBy) => {
  if (by === 'region') return sql`node`
  return sql.ref(`d.${by === 'device' ? 'device_id' : columns[by]}`)
}

/** What finds the region of `keys` above that of a row. */
function joinsOf(by: GroupedBy, keys: readonly number[]): RawBuilder<unknown> {
  if (by !== 'region') return sql``
  return sql`
    JOIN region r ON r.id = d.region_id
    JOIN LATERAL unnest(string_to_array(btrim(r.path, '/'), '/')::int[]) AS node ON node = ANY(${keys}::int[])`
}
