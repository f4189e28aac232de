// Sums of a device that run on through a month: an element for each of 31 days, which counts all from the first on.
import { type RawBuilder, sql } from 'kysely'
import { eachDay } from '../../../domain/history/index.ts'
import { atDay, dayOf, startOfMonth } from '../../../platform/process/clock.ts'

/** The first of the month that a day lies in, and its number there. */
export function placeOf(day: string): { month: string; number: number } {
  const at = atDay(day)
  return { month: dayOf(startOfMonth(at)), number: at.getDate() }
}

export const monthsOf = (days: readonly string[]): string[] => [
  ...new Set(days.map((day) => placeOf(day).month)),
]

/** What these days have of a column, of a row with its month: by stretches of days, a difference each. */
export function ofDays(column: string, days: readonly string[]): RawBuilder<unknown> {
  const byMonth = Map.groupBy(days.map(placeOf), ({ month }) => month)
  const element = (number: number) => sql`${sql.ref(column)}[${sql.lit(number)}]`
  const cases = [...byMonth].map(([month, places]) => {
    const parts = stretches(places.map(({ number }) => number)).map(({ first, last }) =>
      first === 1 ? element(last) : sql`${element(last)} - ${element(first - 1)}`,
    )
    return sql`WHEN ${month}::date THEN ${sql.join(parts, sql` + `)}`
  })
  return cases.length === 0 ? sql`0` : sql`coalesce(CASE month ${sql.join(cases, sql` `)} END, 0)`
}

function stretches(numbers: readonly number[]): { first: number; last: number }[] {
  const found: { first: number; last: number }[] = []
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const last = found.at(-1)
    if (last?.last === number - 1) last.last = number
    else found.push({ first: number, last: number })
  }
  return found
}

/** The running sums of rows that have the number of their day (`number`) and what it adds. */
export const running = (value: string) =>
  eachDay(
    (number) => sql`coalesce(sum(${sql.ref(value)}) FILTER (WHERE number <= ${sql.lit(number)}), 0)::int`,
  )

/** What one day adds to the sums. */
export const fromDay = (value: string, number: number) =>
  eachDay((other) => (other < number ? sql`0` : sql`${sql.ref(value)}::int`))

/** The sums of two rows together; what is null has nothing. */
export const together = (own: string, added: string) =>
  eachDay(
    (number) => sql`coalesce(${sql.ref(own)}[${sql.lit(number)}], 0) + ${sql.ref(added)}[${sql.lit(number)}]`,
  )

/** What one day has of a column. */
export const ofDay = (column: string, number: number) =>
  number === 1
    ? sql`coalesce(${sql.ref(column)}[1], 0)`
    : sql`coalesce(${sql.ref(column)}[${sql.lit(number)}] - ${sql.ref(column)}[${sql.lit(number - 1)}], 0)`
