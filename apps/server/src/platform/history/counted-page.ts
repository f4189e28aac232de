import { type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely'
import { atDay, dayOf, startOfDay, startOfMonth, type TimeRange } from '../clock.ts'
import type { Db } from '../database/database.ts'
import type { Database } from '../database/tables.ts'
import { isCounted } from './counters.ts'
import { type HistoryFilter, passes, passesNothing } from './filter.ts'
import type { HistorySource } from './sources.ts'

/** Names one history row. */
export interface RowKey {
  /** As the database writes it, to the microsecond. */
  occurredAt: string
  id: string
}

export interface CountedKeys {
  /** Rows that pass over all pages, exact. */
  total: number
  /** Those of the page, newest first, equal moments by id. */
  keys: RowKey[]
}

/** Rows to leave out that the counters do not know of, e.g. alarms that are not over yet. Few. */
export interface Exception {
  /** A relation of occurred_at and id. Everything in it passes the filter. */
  rows: RawBuilder<unknown>
}

/** A stretch of time with the number of passing rows in it. */
interface Stretch extends TimeRange {
  n: number
  isMonth: boolean
}

/**
 * One page of a history and its exact total, without counting or skipping rows one by one: the total is a
 * sum of counters (whole months, whole days, deltas not folded yet) and of exact counts of the days cut by
 * the range; the page lies in the day where the sum passes the offset, and is read by index from that day's
 * nearer end. Wants a transaction that sees one snapshot (`inOneSnapshot`).
 */
export async function readCountedKeys(
  trx: Transaction<Database>,
  source: HistorySource,
  filter: HistoryFilter,
  { offset, limit, except }: { offset: number; limit: number; except?: Exception | undefined },
): Promise<CountedKeys> {
  if (passesNothing(filter)) return { total: 0, keys: [] }
  const stretches = await countStretches(trx, source, filter, except)
  const total = stretches.reduce((sum, { n }) => sum + n, 0)
  const wanted = Math.min(limit, total - offset)
  if (wanted <= 0) return { total, keys: [] }

  const finer = await withDaysWhereNeeded(trx, source, filter, except, stretches, offset, wanted)
  return { total, keys: await readKeys(trx, source, filter, except, finer, offset, wanted) }
}

/** The total alone. */
export async function countHistory(
  trx: Transaction<Database>,
  source: HistorySource,
  filter: HistoryFilter,
  except?: Exception,
): Promise<number> {
  if (passesNothing(filter)) return 0
  const stretches = await countStretches(trx, source, filter, except)
  return stretches.reduce((sum, { n }) => sum + n, 0)
}

/** `YYYY-MM-DD` -> how many, of the days that have any. The range is of whole days. */
export async function countDays(
  trx: Transaction<Database>,
  source: HistorySource,
  filter: HistoryFilter,
): Promise<Map<string, number>> {
  if (passesNothing(filter)) return new Map()
  const { rows } = await sql<{ bucket: string; n: string }>`
    SELECT bucket, sum(n) AS n FROM (
      ${dayCells(source, filter, [filter.range])} UNION ALL ${deltas(source, filter, filter.range)}
    ) AS cell GROUP BY bucket
  `.execute(trx)
  return new Map(rows.map(({ bucket, n }) => [bucket, Number(n)]))
}

/** Total, page and rows must be of one moment: rows come in and deltas are folded all the time. */
export async function inOneSnapshot<T>(db: Db, read: (trx: Transaction<Database>) => Promise<T>): Promise<T> {
  return await db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read)
}

// ── Counting ───────────────────────────────────────────────────────────────────────────────────

/** Stretches that are not empty, newest first. */
async function countStretches(
  trx: Transaction<Database>,
  source: HistorySource,
  filter: HistoryFilter,
  except: Exception | undefined,
): Promise<Stretch[]> {
  const { range } = filter
  // Few devices have few rows: no counter is kept for one, its index is short.
  if (filter.deviceIds) return await countRows(trx, source, filter, except, range)

  const firstDay = range.from > startOfDay(range.from) ? startOfDay(range.from, 1) : range.from
  const endDay = startOfDay(range.to)
  const key = fixedColumns(filter)
  if (!isCounted(key) || firstDay >= endDay) return await countRows(trx, source, filter, except, range)

  const months = await closedMonths(trx, firstDay, endDay)
  const { rows } = await sql<{ kind: 'day' | 'month' | 'head' | 'tail'; bucket: string | null; n: string }>`
    SELECT 'day' AS kind, bucket, sum(n) AS n FROM (
      ${dayCells(source, filter, [
        { from: firstDay, to: months?.from ?? endDay },
        { from: months?.to ?? endDay, to: endDay },
      ])}
      UNION ALL ${deltas(source, filter, { from: firstDay, to: endDay })}
    ) AS cell GROUP BY bucket
    ${months ? sql`UNION ALL ${monthCells(source, filter, months)}` : sql``}
    UNION ALL SELECT 'head', NULL, ${edgeCount(source, filter, { from: endDay, to: range.to })}
    UNION ALL SELECT 'tail', NULL, ${edgeCount(source, filter, { from: range.from, to: firstDay })}
  `.execute(trx)

  const known = new Map<number, Stretch>()
  const add = (stretch: Stretch) => {
    const already = known.get(stretch.from.getTime())
    if (already) already.n += stretch.n
    else known.set(stretch.from.getTime(), stretch)
  }
  for (const { kind, bucket, n } of rows) {
    if (kind === 'head') add({ from: endDay, to: range.to, n: Number(n), isMonth: false })
    else if (kind === 'tail') add({ from: range.from, to: firstDay, n: Number(n), isMonth: false })
    else {
      const day = atDay(bucket as string)
      // A delta of a day in a closed month belongs to the month's stretch.
      const isMonth = kind === 'month' || (months !== null && day >= months.from && day < months.to)
      add(isMonth ? monthStretch(day, Number(n)) : dayStretch(day, Number(n)))
    }
  }
  return await settled(trx, [...known.values()], except)
}

const dayStretch = (day: Date, n: number): Stretch => ({
  from: day,
  to: startOfDay(day, 1),
  n,
  isMonth: false,
})
const monthStretch = (day: Date, n: number): Stretch => ({
  from: startOfMonth(day),
  to: startOfMonth(day, 1),
  n,
  isMonth: true,
})

/** Newest first, without what is left out and without what is then empty. */
async function settled(
  trx: Transaction<Database>,
  stretches: Stretch[],
  except: Exception | undefined,
): Promise<Stretch[]> {
  stretches.sort((a, b) => b.from.getTime() - a.from.getTime())
  const [first, last] = [stretches.at(-1), stretches[0]]
  if (except && first && last) {
    const { rows } = await sql<{ at: Date }>`
      SELECT occurred_at AS at FROM (${except.rows}) AS x
      WHERE occurred_at >= ${first.from} AND occurred_at < ${last.to} ORDER BY occurred_at DESC
    `.execute(trx)
    let index = 0
    for (const { at } of rows) {
      while (index < stretches.length && at < (stretches[index] as Stretch).from) index += 1
      const stretch = stretches[index]
      if (stretch) stretch.n -= 1
    }
  }
  return stretches.filter(({ n }) => n > 0)
}

/** By day from the rows themselves, over the best index there is. */
async function countRows(
  trx: Transaction<Database>,
  source: HistorySource,
  filter: HistoryFilter,
  except: Exception | undefined,
  range: TimeRange,
): Promise<Stretch[]> {
  const { rows } = await sql<{ day: string; n: string }>`
    SELECT occurred_at::date AS day, count(*) AS n FROM ${sql.table(source.table)}
    WHERE ${passes(filter)} AND ${within(range)}
    GROUP BY occurred_at::date
  `.execute(trx)
  const stretches = rows.map(({ day, n }) => dayStretch(atDay(day), Number(n)))
  for (const stretch of stretches) {
    if (stretch.from < range.from) stretch.from = range.from
    if (stretch.to > range.to) stretch.to = range.to
  }
  return await settled(trx, stretches, except)
}

const fixedColumns = (filter: HistoryFilter) => ({
  o: filter.operatorIds !== null,
  m: filter.modelIds !== null,
  r: filter.topRegionIds !== null,
  c: filter.codes !== null,
})

/** The cells of the filter's combination: exact keys, `any` where the filter does not narrow. */
const cellKeys = (source: HistorySource, filter: HistoryFilter) => sql`
  source = ${sql.lit(source.id)}
  AND operator_id ${filter.operatorIds ? sql`= ANY(${filter.operatorIds}::int[])` : sql`= 0`}
  AND model_id ${filter.modelIds ? sql`= ANY(${filter.modelIds}::int[])` : sql`= 0`}
  AND region_id ${filter.topRegionIds ? sql`= ANY(${filter.topRegionIds}::int[])` : sql`= 0`}
  AND semaphore_code ${filter.codes ? sql`= ANY(${filter.codes}::text[])` : sql`= ''`}`

function dayCells(source: HistorySource, filter: HistoryFilter, ranges: TimeRange[]) {
  const parts = ranges
    .filter(({ from, to }) => from < to)
    .map(
      ({ from, to }) => sql`
        SELECT day AS bucket, n FROM history_count
        WHERE ${cellKeys(source, filter)} AND day >= ${dayOf(from)}::date AND day < ${dayOf(to)}::date`,
    )
  return parts.length > 0
    ? sql.join(parts, sql` UNION ALL `)
    : sql`SELECT NULL::date AS bucket, 0 AS n WHERE false`
}

const monthCells = (source: HistorySource, filter: HistoryFilter, { from, to }: TimeRange) => sql`
  SELECT 'month', month, sum(n) FROM history_month_count
  WHERE ${cellKeys(source, filter)} AND month >= ${dayOf(from)}::date AND month < ${dayOf(to)}::date
  GROUP BY month`

const deltas = (source: HistorySource, filter: HistoryFilter, { from, to }: TimeRange) => sql`
  SELECT day, n FROM history_delta
  WHERE source = ${sql.lit(source.id)} AND day >= ${dayOf(from)}::date AND day < ${dayOf(to)}::date
    AND ${passes(filter)}`

const edgeCount = (source: HistorySource, filter: HistoryFilter, range: TimeRange) =>
  range.from < range.to
    ? sql`(SELECT count(*) FROM ${sql.table(source.table)} WHERE ${passes(filter)} AND ${within(range)})`
    : sql`0`

const within = ({ from, to }: TimeRange): RawBuilder<SqlBool> =>
  sql`occurred_at >= ${from} AND occurred_at < ${to}`

const without = (except: Exception | undefined) =>
  except
    ? sql`AND NOT EXISTS (
        SELECT FROM (${except.rows}) AS x WHERE x.occurred_at = h.occurred_at AND x.id = h.id)`
    : sql``

/** The first run of closed months that lies wholly in the days given; null where there is none. */
async function closedMonths(trx: Transaction<Database>, from: Date, to: Date): Promise<TimeRange | null> {
  const first = from > startOfMonth(from) ? startOfMonth(from, 1) : from
  const end = startOfMonth(to)
  if (first >= end) return null
  const { rows } = await sql<{ month: string }>`
    SELECT month FROM history_closed_month
    WHERE month >= ${dayOf(first)}::date AND month < ${dayOf(end)}::date ORDER BY month
  `.execute(trx)
  let run = null as TimeRange | null
  for (const { month } of rows) {
    const at = atDay(month)
    if (run && run.to.getTime() !== at.getTime()) break
    run = { from: run?.from ?? at, to: startOfMonth(at, 1) }
  }
  return run
}

// ── Finding the page ───────────────────────────────────────────────────────────────────────────

/** A month that the page begins or ends in is taken apart into its days. */
async function withDaysWhereNeeded(
  trx: Transaction<Database>,
  source: HistorySource,
  filter: HistoryFilter,
  except: Exception | undefined,
  stretches: Stretch[],
  offset: number,
  wanted: number,
): Promise<Stretch[]> {
  const finer: Stretch[] = []
  let before = 0
  for (const stretch of stretches) {
    const touches = before < offset + wanted && before + stretch.n > offset
    before += stretch.n
    if (!touches || !stretch.isMonth) {
      finer.push(stretch)
      continue
    }
    const { rows } = await sql<{ bucket: string; n: string }>`
      SELECT bucket, sum(n) AS n FROM (
        ${dayCells(source, filter, [stretch])} UNION ALL ${deltas(source, filter, stretch)}
      ) AS cell GROUP BY bucket
    `.execute(trx)
    const days = rows.map(({ bucket, n }) => dayStretch(atDay(bucket), Number(n)))
    finer.push(...(await settled(trx, days, except)))
  }
  return finer
}

async function readKeys(
  trx: Transaction<Database>,
  source: HistorySource,
  filter: HistoryFilter,
  except: Exception | undefined,
  stretches: Stretch[],
  offset: number,
  wanted: number,
): Promise<RowKey[]> {
  let skipped = 0
  let index = 0
  while (skipped + (stretches[index] as Stretch).n <= offset) {
    skipped += (stretches[index] as Stretch).n
    index += 1
  }
  const read = async (range: TimeRange, from: 'newest' | 'oldest', skip: number, take: number) => {
    const direction = from === 'newest' ? sql`DESC` : sql`ASC`
    const { rows } = await sql<RowKey>`
      SELECT occurred_at::text AS "occurredAt", id FROM ${sql.table(source.table)} AS h
      WHERE ${passes(filter)} AND ${within(range)}
        ${without(except)}
      ORDER BY occurred_at ${direction}, id ${direction} OFFSET ${skip} LIMIT ${take}
    `.execute(trx)
    return from === 'newest' ? rows : rows.reverse()
  }

  const first = stretches[index] as Stretch
  const skip = offset - skipped
  const inFirst = Math.min(wanted, first.n - skip)
  const older = wanted - inFirst
  // The stretch in which the page ends.
  let last = first
  for (let missing = older; missing > 0; missing -= last.n) {
    index += 1
    last = stretches[index] as Stretch
  }
  if (skip === 0) return await read({ from: last.from, to: first.to }, 'newest', 0, wanted)
  const fromEnd = first.n - skip - inFirst
  const keys =
    fromEnd < skip
      ? await read(first, 'oldest', fromEnd, inFirst)
      : await read(first, 'newest', skip, inFirst)
  if (older === 0) return keys
  return [...keys, ...(await read({ from: last.from, to: first.from }, 'newest', 0, older))]
}

// ── All of it ──────────────────────────────────────────────────────────────────────────────────

/**
 * Every key that passes, newest first, some at a time: each batch begins where the one before ended, so
 * the work is one walk along an index however long the reader takes, and no snapshot is held meanwhile.
 */
export async function* walkKeys(
  db: Db,
  source: HistorySource,
  filter: HistoryFilter,
  { batchSize, except }: { batchSize: number; except?: Exception | undefined },
): AsyncGenerator<RowKey[]> {
  if (passesNothing(filter)) return
  let last: RowKey | undefined
  for (;;) {
    const { rows } = await sql<RowKey>`
      SELECT occurred_at::text AS "occurredAt", id FROM ${sql.table(source.table)} AS h
      WHERE ${passes(filter)} AND ${within(filter.range)} ${without(except)}
        ${last ? sql`AND (occurred_at, id) < (${last.occurredAt}::timestamptz, ${last.id}::bigint)` : sql``}
      ORDER BY occurred_at DESC, id DESC LIMIT ${batchSize}
    `.execute(db)
    if (rows.length > 0) yield rows
    if (rows.length < batchSize) return
    last = rows.at(-1)
  }
}
