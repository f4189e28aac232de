import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { TimeRange } from '../clock.ts'
import type { Db } from '../database/database.ts'
import type { Database } from '../database/tables.ts'
import { type HistoryFilter, passes, passesNothing } from './filter.ts'
import type { HistorySource } from './sources.ts'
import {
  countDaysOf,
  countStretches,
  type Exception,
  type Question,
  type Stretch,
  within,
} from './stretches.ts'

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

/**
 * One page of a history and its exact total, without counting or skipping rows one by one: the total is a
 * sum of counters (whole months, whole days, deltas not folded yet) and of exact counts of the days cut by
 * the range; the page lies in the day where the sum passes the offset, and is read by index from that day's
 * nearer end.
 */
export async function readCountedKeys(
  question: Question,
  { offset, limit }: { offset: number; limit: number },
): Promise<CountedKeys> {
  if (passesNothing(question.filter)) return { total: 0, keys: [] }
  const stretches = await countStretches(question)
  const total = sumOf(stretches)
  const wanted = Math.min(limit, total - offset)
  if (wanted <= 0) return { total, keys: [] }
  const finer = await withDaysWhereNeeded(question, stretches, offset, wanted)
  return { total, keys: await readKeys(question, finer, offset, wanted) }
}

/** The total alone. */
export async function countHistory(question: Question): Promise<number> {
  return passesNothing(question.filter) ? 0 : sumOf(await countStretches(question))
}

const sumOf = (stretches: readonly Stretch[]) => stretches.reduce((sum, { n }) => sum + n, 0)

/** Total, page and rows must be of one moment: rows come in and deltas are folded all the time. */
export async function inOneSnapshot<T>(db: Db, read: (trx: Transaction<Database>) => Promise<T>): Promise<T> {
  return await db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read)
}

/** A month that the page begins, ends or lies in is taken apart into its days. */
async function withDaysWhereNeeded(
  question: Question,
  stretches: readonly Stretch[],
  offset: number,
  wanted: number,
): Promise<Stretch[]> {
  const finer: Stretch[] = []
  let before = 0
  for (const stretch of stretches) {
    const isTouched = before < offset + wanted && before + stretch.n > offset
    before += stretch.n
    if (isTouched && stretch.isMonth) finer.push(...(await countDaysOf(question, stretch)))
    else finer.push(stretch)
  }
  return finer
}

async function readKeys(
  question: Question,
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
  // The stretch in which the page ends.
  let last = first
  for (let missing = older; missing > 0; missing -= last.n) {
    index += 1
    last = stretches[index] as Stretch
  }
  if (skip === 0) return await readNewest(question, { from: last.from, to: first.to }, 0, wanted)
  const fromEnd = first.n - skip - inFirst
  const keys =
    fromEnd < skip
      ? await readOldest(question, first, fromEnd, inFirst)
      : await readNewest(question, first, skip, inFirst)
  if (older === 0) return keys
  return [...keys, ...(await readNewest(question, { from: last.from, to: first.from }, 0, older))]
}

const readNewest = (question: Question, range: TimeRange, skip: number, take: number) =>
  readSorted(question, range, sql`ORDER BY occurred_at DESC, id DESC OFFSET ${skip} LIMIT ${take}`)

const readOldest = async (question: Question, range: TimeRange, skip: number, take: number) =>
  (await readSorted(question, range, sql`ORDER BY occurred_at, id OFFSET ${skip} LIMIT ${take}`)).reverse()

async function readSorted(question: Question, range: TimeRange, order: RawBuilder<unknown>) {
  const { rows } = await sql<RowKey>`${asKeys(sql`${momentsIn(question, range)} ${order}`)}`.execute(
    question.trx,
  )
  return rows
}

const momentsIn = ({ source, filter, except }: Omit<Question, 'trx'>, range: TimeRange) => sql`
  SELECT occurred_at, id FROM ${sql.table(source.table)} AS h
  WHERE ${passes(filter)} AND ${within(range)} ${without(except)}`

/** Moments become text above the limit: below it, those that are skipped would as well, a third of the time. */
const asKeys = (page: RawBuilder<unknown>) =>
  sql`SELECT occurred_at::text AS "occurredAt", id FROM (${page}) AS page`

const without = (except: Exception | undefined) =>
  except
    ? sql`AND NOT EXISTS (
        SELECT FROM (${except.rows}) AS x WHERE x.occurred_at = h.occurred_at AND x.id = h.id)`
    : sql``

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
      ${asKeys(sql`
        ${momentsIn({ source, filter, except }, filter.range)}
          ${last ? sql`AND (occurred_at, id) < (${last.occurredAt}::timestamptz, ${last.id}::bigint)` : sql``}
        ORDER BY occurred_at DESC, id DESC LIMIT ${batchSize}`)}
    `.execute(db)
    if (rows.length > 0) yield rows
    if (rows.length < batchSize) return
    last = rows.at(-1)
  }
}
