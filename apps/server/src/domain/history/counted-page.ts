// One page of a history with its exact total, and the walk over all rows for exports.

import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import type { Database } from '../../platform/database/tables.ts'
import type { TimeRange } from '../../platform/process/clock.ts'
import { passes, passesNothing } from './filter.ts'
import { rowsOf } from './sources.ts'
import { countStretches, type HistoryQuery, type HistoryRows, type Stretch, within } from './stretches.ts'

/** The key of one history row. */
export interface RowKey {
  /** As the database writes it, to the microsecond. */
  occurredAt: string
  id: string
}

export interface CountedKeys {
  /** The exact number of matching rows. */
  total: number
  /** The rows of the page, newest first, equal moments by id, also of a page that counts from the oldest. */
  keys: RowKey[]
}

/**
 * One page of a history and its exact total, without counting or skipping rows one by one: the total is a
 * sum of counters (whole days, deltas not folded yet) and of exact counts of the days cut by
 * the range; the page lies in the day where the sum passes the offset, and is read by index from that day's
 * nearer end. A page that counts from the oldest is the one as far from the other end.
 */
export async function readCountedKeys(
  query: HistoryQuery,
  { offset, limit, isOldestFirst = false }: { offset: number; limit: number; isOldestFirst?: boolean },
): Promise<CountedKeys> {
  if (isOfNothing(query)) return { total: 0, keys: [] }
  const stretches = await countStretches(query)
  const total = sumOf(stretches)
  const wanted = Math.min(limit, total - offset)
  if (wanted <= 0) return { total, keys: [] }
  return {
    total,
    keys: await readKeys(query, stretches, isOldestFirst ? total - offset - wanted : offset, wanted),
  }
}

/** The total alone. */
export async function countHistory(query: HistoryQuery): Promise<number> {
  return isOfNothing(query) ? 0 : sumOf(await countStretches(query))
}

const isOfNothing = ({ sources, filter, additions = [] }: HistoryRows) =>
  passesNothing(filter) || (sources.length === 0 && additions.length === 0)

const sumOf = (stretches: readonly Stretch[]) => stretches.reduce((sum, { n }) => sum + n, 0)

/** Total, page and rows must come from one snapshot: rows come in and deltas are folded all the time. */
export async function inOneSnapshot<T>(db: Db, read: (trx: Transaction<Database>) => Promise<T>): Promise<T> {
  return await db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read)
}

async function readKeys(
  query: HistoryQuery,
  stretches: readonly Stretch[],
  offset: number,
  wanted: number,
): Promise<RowKey[]> {
  let skipped = 0
  let index = 0
  while (skipped + (stretches[index] as Stretch).n <= offset) {
    skipped += (stretches[index] as Stretch).n
    index += 1
  }
  const first = stretches[index] as Stretch
  const skip = offset - skipped
  const inFirst = Math.min(wanted, first.n - skip)
  const older = wanted - inFirst
  // The stretch that the page ends in.
  let last = first
  for (let missing = older; missing > 0; missing -= last.n) {
    index += 1
    last = stretches[index] as Stretch
  }
  if (skip === 0) return await readNewest(query, { from: last.from, to: first.to }, 0, wanted)
  const fromEnd = first.n - skip - inFirst
  const keys =
    fromEnd < skip
      ? await readOldest(query, first, fromEnd, inFirst)
      : await readNewest(query, first, skip, inFirst)
  if (older === 0) return keys
  return [...keys, ...(await readNewest(query, { from: last.from, to: first.from }, 0, older))]
}

const readNewest = (query: HistoryQuery, range: TimeRange, skip: number, take: number) =>
  readSorted(query, range, { skip, take })

const readOldest = async (query: HistoryQuery, range: TimeRange, skip: number, take: number) =>
  (await readSorted(query, range, { skip, take, isOldestFirst: true })).reverse()

/** So many rows are looked up one by one in less time than those to leave out are found. */
const lookedUpAtMost = 5_000

async function readSorted(
  query: HistoryQuery,
  range: TimeRange,
  { skip, take, isOldestFirst = false }: { skip: number; take: number; isOldestFirst?: boolean },
) {
  const order = sql`ORDER BY ${isOldestFirst ? sql`occurred_at, id` : sql`occurred_at DESC, id DESC`}`
  // Each part is sorted by an index, and read as far as the page goes: their union would be read whole, and sorted.
  const parts = partsIn(query, range, skip <= lookedUpAtMost).map(
    (part) => sql`(SELECT occurred_at, id FROM (${part}) AS part ${order} LIMIT ${skip + take})`,
  )
  const moments = sql`SELECT occurred_at, id FROM (${sql.join(parts, sql` UNION ALL `)}) AS h`
  const { rows } = await sql<RowKey>`
    ${asKeys(sql`${moments} ${order} OFFSET ${skip} LIMIT ${take}`)}`.execute(query.trx)
  return rows
}

/** All of these rows, as a relation of occurred_at and id. */
export const keysOf = (rows: HistoryRows): RawBuilder<unknown> =>
  sql`SELECT occurred_at, id FROM (${sql.join(partsIn(rows, rows.filter.range, true), sql` UNION ALL `)}) AS h
    WHERE true`

/** Relations without a row in common. */
function partsIn(rows: HistoryRows, range: TimeRange, byLookup: boolean): RawBuilder<unknown>[] {
  const { sources, filter, only, additions = [] } = rows
  return [
    ...sources.map(
      (source) => sql`
        SELECT occurred_at, id FROM ${rowsOf(source)} AS h
        WHERE ${passes(filter)} AND ${within(range)} ${only ? sql`AND ${only}` : sql``}
          ${byLookup && rows.isListed ? sql`AND ${rows.isListed}` : without(rows, range)}`,
    ),
    ...additions.map((addition) => sql`SELECT occurred_at, id FROM (${addition(range)}) AS few`),
  ]
}

/** Converts moments to text outside the LIMIT: inside, skipped rows would be converted too, a third of the time. */
const asKeys = (page: RawBuilder<unknown>) =>
  sql`SELECT occurred_at::text AS "occurredAt", id FROM (${page}) AS page`

const without = ({ less = [], exclusion }: HistoryRows, range: TimeRange) =>
  sql.join(
    [
      ...less.map((source) => sql`${rowsOf(source)} AS x WHERE ${within(range)} AND`),
      ...(exclusion ? [sql`(${exclusion(range)}) AS x WHERE`] : []),
    ].map((left) => sql`AND NOT EXISTS (SELECT FROM ${left} x.occurred_at = h.occurred_at AND x.id = h.id)`),
    sql` `,
  )

/**
 * Yields every matching key, newest first, in batches. Each batch begins where the one before ended: the work is
 * one walk along an index however slow the client is, and no snapshot stays open.
 */
export async function* walkKeys(db: Db, rows: HistoryRows, batchSize: number): AsyncGenerator<RowKey[]> {
  if (isOfNothing(rows)) return
  let last: RowKey | undefined
  for (;;) {
    const { rows: keys } = await sql<RowKey>`
      ${asKeys(sql`
        ${keysOf(rows)}
          ${last ? sql`AND (occurred_at, id) < (${last.occurredAt}::timestamptz, ${last.id}::bigint)` : sql``}
        ORDER BY occurred_at DESC, id DESC LIMIT ${batchSize}`)}
    `.execute(db)
    if (keys.length > 0) yield keys
    if (keys.length < batchSize) return
    last = keys.at(-1)
  }
}
