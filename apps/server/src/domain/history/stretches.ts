// How many rows match, by stretches of time: sums of counters, plus exact counts of cut days, and of few rows.

import { type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely'
import type { Database } from '../../platform/database/tables.ts'
import { atDay, dayOf, startOfDay, startOfMonth, type TimeRange } from '../../platform/process/clock.ts'
import { type CellKeys, cellsFor, eachDay } from './cells.ts'
import { areCounted } from './counters.ts'
import { type HistoryFilter, passes, passesNothing } from './filter.ts'
import { type HistorySource, rowsOf } from './sources.ts'

/** A relation of occurred_at and id, of moments within a range. Few rows, all of which match the filter. */
export type FewRows = (range: TimeRange) => RawBuilder<unknown>

/** Which rows: those of counted sources, less those of others, and few rows that no source has as they are. */
export interface HistoryRows {
  /** No two of them have a row in common. */
  sources: readonly HistorySource[]
  /** Each row of these is one of `sources`, too, and in no list. */
  less?: readonly HistorySource[] | undefined
  filter: HistoryFilter
  /** A further condition on the rows of the sources, by which there are no counters. */
  only?: RawBuilder<SqlBool> | undefined
  /** Rows of the sources to leave out, e.g. active alarms in a list of recovered ones. */
  exclusion?: FewRows | undefined
  /**
   * The condition on a row `h` of the sources that is in none of `less` and `exclusion`. It looks up each row alone, so it is
   * for pages that walk past few rows: the planner takes the rows to leave out for few, and compares each row with all.
   */
  isListed?: RawBuilder<SqlBool> | undefined
  /** Rows beside those of the sources, e.g. alarms whose handling is not settled yet. */
  additions?: readonly FewRows[] | undefined
  /** How exclusion and additions are counted, where that is quicker than counting their rows; their difference is the same. */
  counted?: { exclusion: FewRows; additions: readonly FewRows[] } | undefined
}

/** What is counted and paged. The transaction reads one snapshot. */
export interface HistoryQuery extends HistoryRows {
  trx: Transaction<Database>
}

/** All of one source that matches. */
export interface SourceQuery {
  trx: Transaction<Database>
  source: HistorySource
  filter: HistoryFilter
}

/** A source whose rows are added, or subtracted. */
interface Part {
  source: HistorySource
  sign: 1 | -1
}

/** A stretch of time and the number of matching rows in it. */
export interface Stretch extends TimeRange {
  n: number
}

/** Days, and the cut parts of days, that are not empty, newest first. */
export async function countStretches(query: HistoryQuery): Promise<Stretch[]> {
  const { range } = query.filter
  const counts = await countByDay(query)
  for (const [day, n] of await countFew(query)) counts.set(day, (counts.get(day) ?? 0) + n)
  return [...counts]
    .filter(([, n]) => n > 0)
    .map(([day, n]) => bounded({ ...wholeDay(atDay(day)), n }, range))
    .sort((a, b) => b.from.getTime() - a.from.getTime())
}

/** `YYYY-MM-DD` → the rows of the sources. */
async function countByDay(query: HistoryQuery): Promise<Map<string, number>> {
  const { trx, sources, less = [], filter, only } = query
  const { range } = filter
  const parts: Part[] = [
    ...sources.map((source) => ({ source, sign: 1 as const })),
    ...less.map((source) => ({ source, sign: -1 as const })),
  ]
  if (parts.length === 0) return new Map()
  // A few devices have few rows: they have no counters, and their index is short.
  if (filter.deviceIds || only) return await countRows(query, parts)
  const { whole, cut } = daysOf(range)
  const complements = cut.filter(isMostOfItsDay)
  const counted = [whole, ...complements.map(({ day }) => wholeDay(day))].filter(({ from, to }) => from < to)
  const isByCells = counted.length > 0 && (await areCounted(trx, [...sources, ...less]))
  const cells = isByCells ? await cellsFor(trx, filter) : null
  if (!cells) return await countRows(query, parts)

  const rowCounts = (day: Date, times: readonly TimeRange[], sign: 1 | -1) =>
    parts.flatMap((part) =>
      times.map(
        (time) =>
          sql`UNION ALL SELECT ${dayOf(day)}::date, ${sql.lit(sign * part.sign)} * ${rowCount(part.source, filter, time)}`,
      ),
    )
  const edges = cut.flatMap((one) =>
    complements.includes(one) ? rowCounts(one.day, one.rest, -1) : rowCounts(one.day, [one.range], 1),
  )
  const ofParts = parts.map((part) => dayCells(part, cells, counted))
  return await readByDay(
    trx,
    sql`${sql.join(ofParts, sql` UNION ALL `)} UNION ALL ${deltas(parts, filter, counted)} ${sql.join(edges, sql` `)}`,
  )
}

/** Sums of a relation of day and n. */
async function readByDay(
  trx: HistoryQuery['trx'],
  relation: RawBuilder<unknown>,
): Promise<Map<string, number>> {
  const { rows } = await sql<{ day: string; n: string }>`
    SELECT day, sum(n) AS n FROM (${relation}) AS cell GROUP BY day`.execute(trx)
  return new Map(rows.map(({ day, n }) => [day, Number(n)]))
}

/** A day that lies partly in a range: that part, and the rest of the day before and after it. */
interface CutDay {
  day: Date
  range: TimeRange
  rest: TimeRange[]
}

/** The days that lie wholly in a range, and those that it cuts: its first, its last, or the only one. */
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

/** If it is most of the day, the rest is counted and subtracted from the day's counter. */
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

/** How many rows a day has, and how many of them by level 1 to 4; the rest have a code without a level. */
export interface DayCount {
  count: number
  levels: number[]
}

/**
 * `YYYY-MM-DD` → counts, for days that have rows. Only for whole days, and places alone: whatever they are, there are
 * cells that add up to them.
 */
export async function countDaysByLevel({ trx, source, filter }: SourceQuery): Promise<Map<string, DayCount>> {
  const days = new Map<string, DayCount>()
  if (passesNothing(filter)) return days
  const cells = await cellsFor(trx, filter)
  if (!cells || filter.codes) throw new Error('there are no counters for this filter')
  const keys = { ...cells, codes: ['', ...levelKeys] }
  const { rows } = await sql<{ day: string; key: string; n: string }>`
    SELECT day, key, sum(n) AS n FROM (
      SELECT month + day_of_month::int - 1 AS day, key, n FROM (
        SELECT month, semaphore_code AS key, ${eachDay((day) => sql`sum(days[${sql.lit(day)}])`)} AS days
        FROM history_count
        WHERE ${keysAre(source, keys)} AND month = ANY(${monthsOf([filter.range])}::date[])
        GROUP BY month, semaphore_code
      ) AS summed, unnest(days) WITH ORDINALITY AS one (n, day_of_month)
      UNION ALL
      SELECT d.day, key, d.n FROM (
        SELECT day, semaphore_code, sum(n) AS n FROM history_delta
        WHERE source = ${sql.lit(source.id)} AND ${passes(filter)} GROUP BY day, semaphore_code
      ) AS d
      LEFT JOIN history_level l ON l.semaphore_code = d.semaphore_code
      CROSS JOIN LATERAL unnest(ARRAY['', '#' || l.level]) AS key
      WHERE key IS NOT NULL
    ) AS cell WHERE n <> 0 AND ${daysWithin(sql.ref('day'), filter.range)} GROUP BY day, key
  `.execute(trx)
  for (const { day, key, n } of rows) {
    const counts = days.get(day) ?? { count: 0, levels: levelKeys.map(() => 0) }
    days.set(day, counts)
    if (key === '') counts.count = Number(n)
    else counts.levels[levelKeys.indexOf(key)] = Number(n)
  }
  return days
}

const levelKeys = ['#1', '#2', '#3', '#4']

/** By how much few rows change the counts of days. */
async function countFew({ trx, filter, counted, ...listed }: HistoryQuery): Promise<Map<string, number>> {
  const { range } = filter
  const { exclusion, additions = [] } = counted ?? listed
  const parts = [
    ...(exclusion ? [sql`SELECT occurred_at, -1 AS n FROM (${exclusion(range)}) AS x`] : []),
    ...additions.map((addition) => sql`SELECT occurred_at, 1 AS n FROM (${addition(range)}) AS x`),
  ]
  if (parts.length === 0) return new Map()
  return await readByDay(
    trx,
    sql`SELECT occurred_at::date AS day, n FROM (${sql.join(parts, sql` UNION ALL `)}) AS few WHERE ${within(range)}`,
  )
}

/** Counts by day from the rows themselves. */
async function countRows({ trx, filter, only }: HistoryQuery, parts: readonly Part[]) {
  const counts = parts.map(
    ({ source, sign }) => sql`
      SELECT occurred_at::date AS day, ${sql.lit(sign)} * count(*) AS n FROM ${rowsOf(source)} AS h
      WHERE ${passes(filter)} AND ${within(filter.range)} ${only ? sql`AND ${only}` : sql``}
      GROUP BY occurred_at::date`,
  )
  return await readByDay(trx, sql.join(counts, sql` UNION ALL `))
}

const keysAre = (source: HistorySource, { operatorIds, modelIds, regionIds, codes }: CellKeys) => sql`
  source = ${sql.lit(source.id)}
  AND operator_id = ANY(${operatorIds}::int[]) AND model_id = ANY(${modelIds}::int[])
  AND region_id = ANY(${regionIds}::int[]) AND semaphore_code = ANY(${codes}::text[])`

/**
 * The days of ranges that have rows, with their counts. Cells are summed by month first and unnested into days
 * after: there are thousands of cells, and a few months.
 */
function dayCells({ source, sign }: Part, cells: CellKeys, ranges: TimeRange[]) {
  const asked = ranges.filter(({ from, to }) => from < to)
  return sql`
    SELECT day, ${sql.lit(sign)} * n AS n FROM (
      SELECT month + day_of_month::int - 1 AS day, n FROM (
        SELECT month, ${eachDay((day) => sql`sum(days[${sql.lit(day)}])`)} AS days FROM history_count
        WHERE ${keysAre(source, cells)} AND month = ANY(${monthsOf(asked)}::date[])
        GROUP BY month
      ) AS summed, unnest(days) WITH ORDINALITY AS one (n, day_of_month)
    ) AS cell WHERE n <> 0 AND (${anyOf(asked.map((range) => daysWithin(sql.ref('day'), range)))})`
}

/** The first days of the months that ranges touch. */
function monthsOf(ranges: readonly TimeRange[]): string[] {
  const months = new Set<string>()
  for (const { from, to } of ranges) {
    for (let month = startOfMonth(from); month < to; month = startOfMonth(month, 1)) months.add(dayOf(month))
  }
  return [...months]
}

/** One look at the deltas for all parts: they are a heap without an index. */
const deltas = (parts: readonly Part[], filter: HistoryFilter, ranges: TimeRange[]) => sql`
  SELECT day, n * CASE source ${sql.join(
    parts.map(({ source, sign }) => sql`WHEN ${sql.lit(source.id)} THEN ${sql.lit(sign)}`),
    sql` `,
  )} END FROM history_delta
  WHERE source IN (${sql.join(parts.map(({ source }) => sql.lit(source.id)))}) AND ${passes(filter)}
    AND (${anyOf(ranges.map((range) => daysWithin(sql.ref('day'), range)))})`

const daysWithin = (day: RawBuilder<unknown>, { from, to }: TimeRange) =>
  sql`${day} >= ${dayOf(from)}::date AND ${day} < ${dayOf(to)}::date`

const anyOf = (conditions: RawBuilder<unknown>[]) =>
  conditions.length > 0 ? sql.join(conditions, sql` OR `) : sql`false`

const rowCount = (source: HistorySource, filter: HistoryFilter, range: TimeRange) =>
  sql`(SELECT count(*) FROM ${rowsOf(source)} AS h WHERE ${passes(filter)} AND ${within(range)})`

export const within = ({ from, to }: TimeRange): RawBuilder<SqlBool> =>
  sql`occurred_at >= ${from} AND occurred_at < ${to}`
