import { type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely'
import { atDay, dayOf, startOfDay, startOfMonth, type TimeRange } from '../clock.ts'
import type { Database } from '../database/tables.ts'
import { type CellKeys, cellsFor, eachDay } from './cells.ts'
import { type HistoryFilter, passes, passesNothing } from './filter.ts'
import type { HistorySource } from './sources.ts'

/** Rows to leave out that the counters do not know of, e.g. alarms that are not over yet. Few. */
export interface Exception {
  /** A relation of occurred_at and id. Everything in it passes the filter. */
  rows: RawBuilder<unknown>
}

/** What is counted and paged. The transaction sees one snapshot. */
export interface Question {
  trx: Transaction<Database>
  source: HistorySource
  filter: HistoryFilter
  except?: Exception | undefined
}

/** A stretch of time and how many rows of the question lie in it. */
export interface Stretch extends TimeRange {
  n: number
  isMonth: boolean
}

/** Stretches that are not empty, newest first, as coarse as the counters allow. */
export async function countStretches(question: Question): Promise<Stretch[]> {
  const { trx, source, filter } = question
  const { range } = filter
  // Few devices have few rows: no counter is kept for one, and its index is short.
  if (filter.deviceIds) return await countRows(question, range)
  const { whole, cut } = daysOf(range)
  const complements = cut.filter(isMostOfItsDay)
  const counted = [whole, ...complements.map(({ day }) => wholeDay(day))].filter(({ from, to }) => from < to)
  const cells = counted.length > 0 ? await cellsFor(trx, filter) : null
  if (!cells) return await countRows(question, range)

  const months = await closedMonths(trx, whole.from, whole.to)
  const byDay = counted.flatMap((days) =>
    months && days === whole
      ? [
          { from: days.from, to: months.from },
          { from: months.to, to: days.to },
        ]
      : [days],
  )
  const rowsOf = (day: Date, times: readonly TimeRange[], sign: 1 | -1) =>
    times.map(
      (time) =>
        sql`UNION ALL SELECT 'day', ${dayOf(day)}::date, ${sql.lit(sign)} * ${rowCount(source, filter, time)}`,
    )
  const edges = cut.flatMap((one) =>
    complements.includes(one) ? rowsOf(one.day, one.rest, -1) : rowsOf(one.day, [one.range], 1),
  )
  const { rows } = await sql<{ kind: 'day' | 'month'; bucket: string; n: string }>`
    SELECT 'day' AS kind, bucket, sum(n) AS n FROM (
      ${dayCells(source, cells, byDay)} UNION ALL ${deltas(source, filter, counted)}
    ) AS cell GROUP BY bucket
    ${months ? sql`UNION ALL ${monthCells(source, cells, months)}` : sql``}
    ${sql.join(edges, sql` `)}
  `.execute(trx)

  const known = new Map<number, Stretch>()
  for (const { kind, bucket, n } of rows) {
    const day = atDay(bucket)
    // A delta of a day in a closed month belongs to the month's stretch.
    const isMonth = kind === 'month' || (months !== null && day >= months.from && day < months.to)
    const stretch = isMonth ? monthStretch(day, Number(n)) : dayStretch(day, Number(n))
    const already = known.get(stretch.from.getTime())
    if (already) already.n += stretch.n
    else known.set(stretch.from.getTime(), stretch)
  }
  return await settled(
    question,
    [...known.values()].map((stretch) => bounded(stretch, range)),
  )
}

/** A day of which a range has a part: the part, and what is left of the day before and after it. */
interface CutDay {
  day: Date
  range: TimeRange
  rest: TimeRange[]
}

/** The days that lie wholly in a range, and those that it cuts: its first, its last, or the one it is within. */
function daysOf(range: TimeRange): { whole: TimeRange; cut: CutDay[] } {
  const firstDay = startOfDay(range.from)
  const endDay = startOfDay(range.to)
  const cut: CutDay[] = []
  const cutAt = (day: Date) => {
    const { from, to } = wholeDay(day)
    const part = bounded({ from, to }, range)
    const rest = [
      { from, to: part.from },
      { from: part.to, to },
    ].filter((stretch) => stretch.from < stretch.to)
    cut.push({ day, range: part, rest })
  }
  if (range.from > firstDay) cutAt(firstDay)
  if (range.to > endDay && (cut.length === 0 || endDay > firstDay)) cutAt(endDay)
  return { whole: { from: range.from > firstDay ? startOfDay(firstDay, 1) : firstDay, to: endDay }, cut }
}

/** Then the rest is counted, and taken from the day's counter. */
const isMostOfItsDay = ({ range, rest }: CutDay) =>
  lengthOf(range) > rest.reduce((sum, stretch) => sum + lengthOf(stretch), 0)

const lengthOf = ({ from, to }: TimeRange) => to.getTime() - from.getTime()

const wholeDay = (day: Date): TimeRange => ({ from: day, to: startOfDay(day, 1) })

function bounded<T extends TimeRange>(stretch: T, range: TimeRange): T {
  return {
    ...stretch,
    from: new Date(Math.max(stretch.from.getTime(), range.from.getTime())),
    to: new Date(Math.min(stretch.to.getTime(), range.to.getTime())),
  }
}

/** A month's stretch taken apart. */
export async function countDaysOf(question: Question, month: Stretch): Promise<Stretch[]> {
  const { trx, source, filter } = question
  const cells = await cellsFor(trx, filter)
  if (!cells) throw new Error('only counters make stretches of months')
  const days = await sumDays(trx, source, filter, cells, month)
  return await settled(
    question,
    days.map(({ bucket, n }) => dayStretch(atDay(bucket), Number(n))),
  )
}

/** `YYYY-MM-DD` -> how many, of the days that have any. For whole days and a filter that cells add up to. */
export async function countDays(question: Question): Promise<Map<string, number>> {
  const { trx, source, filter } = question
  if (passesNothing(filter)) return new Map()
  const cells = await cellsFor(trx, filter)
  if (!cells) throw new Error('there are no counters for this filter')
  const days = await sumDays(trx, source, filter, cells, filter.range)
  return new Map(days.map(({ bucket, n }) => [bucket, Number(n)]))
}

async function sumDays(
  trx: Transaction<Database>,
  source: HistorySource,
  filter: HistoryFilter,
  cells: CellKeys,
  range: TimeRange,
) {
  const { rows } = await sql<{ bucket: string; n: string }>`
    SELECT bucket, sum(n) AS n FROM (
      ${dayCells(source, cells, [range])} UNION ALL ${deltas(source, filter, [range])}
    ) AS cell GROUP BY bucket
  `.execute(trx)
  return rows
}

const dayStretch = (day: Date, n: number): Stretch => ({ ...wholeDay(day), n, isMonth: false })
const monthStretch = (day: Date, n: number): Stretch => ({
  from: startOfMonth(day),
  to: startOfMonth(day, 1),
  n,
  isMonth: true,
})

/** Newest first, without what is left out and without what is then empty. */
async function settled({ trx, except }: Question, stretches: Stretch[]): Promise<Stretch[]> {
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
async function countRows(question: Question, range: TimeRange): Promise<Stretch[]> {
  const { trx, source, filter } = question
  const { rows } = await sql<{ day: string; n: string }>`
    SELECT occurred_at::date AS day, count(*) AS n FROM ${sql.table(source.table)}
    WHERE ${passes(filter)} AND ${within(range)}
    GROUP BY occurred_at::date
  `.execute(trx)
  return await settled(
    question,
    rows.map(({ day, n }) => bounded(dayStretch(atDay(day), Number(n)), range)),
  )
}

const keysAre = (source: HistorySource, { operatorIds, modelIds, regionIds, codes }: CellKeys) => sql`
  source = ${sql.lit(source.id)}
  AND operator_id = ANY(${operatorIds}::int[]) AND model_id = ANY(${modelIds}::int[])
  AND region_id = ANY(${regionIds}::int[]) AND semaphore_code = ANY(${codes}::text[])`

/**
 * The days of ranges, a row each that has any. Summed up by a month's row of cells, and taken apart then:
 * there are thousands of cells, and a few months.
 */
function dayCells(source: HistorySource, cells: CellKeys, ranges: TimeRange[]) {
  const asked = ranges.filter(({ from, to }) => from < to)
  return sql`
    SELECT bucket, n FROM (
      SELECT month + day::int - 1 AS bucket, n FROM (
        SELECT month, ${eachDay((day) => sql`sum(days[${sql.lit(day)}])`)} AS days FROM history_count
        WHERE ${keysAre(source, cells)} AND month = ANY(${monthsOf(asked)}::date[])
        GROUP BY month
      ) AS summed, unnest(days) WITH ORDINALITY AS one (n, day)
    ) AS cell WHERE n <> 0 AND (${anyOf(asked.map((range) => daysWithin(sql.ref('bucket'), range)))})`
}

/** The first days of the months that ranges touch. */
function monthsOf(ranges: readonly TimeRange[]): string[] {
  const months = new Set<string>()
  for (const { from, to } of ranges) {
    for (let month = startOfMonth(from); month < to; month = startOfMonth(month, 1)) months.add(dayOf(month))
  }
  return [...months]
}

const monthCells = (source: HistorySource, cells: CellKeys, { from, to }: TimeRange) => sql`
  SELECT 'month', month, sum(n) FROM history_month_count
  WHERE ${keysAre(source, cells)} AND month >= ${dayOf(from)}::date AND month < ${dayOf(to)}::date
  GROUP BY month`

const deltas = (source: HistorySource, filter: HistoryFilter, ranges: TimeRange[]) => sql`
  SELECT day, n FROM history_delta
  WHERE source = ${sql.lit(source.id)} AND ${passes(filter)}
    AND (${anyOf(ranges.map((range) => daysWithin(sql.ref('day'), range)))})`

const daysWithin = (day: RawBuilder<unknown>, { from, to }: TimeRange) =>
  sql`${day} >= ${dayOf(from)}::date AND ${day} < ${dayOf(to)}::date`

const anyOf = (conditions: RawBuilder<unknown>[]) =>
  conditions.length > 0 ? sql.join(conditions, sql` OR `) : sql`false`

const rowCount = (source: HistorySource, filter: HistoryFilter, range: TimeRange) =>
  sql`(SELECT count(*) FROM ${sql.table(source.table)} WHERE ${passes(filter)} AND ${within(range)})`

export const within = ({ from, to }: TimeRange): RawBuilder<SqlBool> =>
  sql`occurred_at >= ${from} AND occurred_at < ${to}`

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
