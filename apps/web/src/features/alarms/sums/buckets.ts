// The days of a range, or its weeks or months where it has many days, each with its alarms.
import { formatDay } from '../../../lib/format.ts'

export interface DayCount {
  day: string
  count: number
  /** Of level 1 to 4; the rest is of no level. */
  levels: readonly number[]
}

export type Unit = 'day' | 'week' | 'month'

/** A stretch of days with its alarms: one bar. */
export interface Bucket {
  first: string
  last: string
  count: number
  levels: number[]
}

/** A bar is at least some six pixels wide on a phone. */
const mostDays = 62
const mostWeeks = 62
/** Fewer bars show no course of things. */
const leastShown = 14

const atDay = (day: string) => new Date(`${day}T00:00:00`)

const daysBetween = (from: string, until: string) =>
  Math.round((atDay(until).getTime() - atDay(from).getTime()) / 86_400_000) + 1

export function unitOf(startDay: string, endDay: string): Unit {
  const days = daysBetween(startDay, endDay)
  if (days <= mostDays) return 'day'
  return days <= mostWeeks * 7 ? 'week' : 'month'
}

/** The first day behind the stretch that this day begins; a week begins on Monday. */
function next(day: Date, unit: Unit): Date {
  const [year, month, date] = [day.getFullYear(), day.getMonth(), day.getDate()]
  if (unit === 'month') return new Date(year, month + 1, 1)
  return new Date(year, month, date + (unit === 'day' ? 1 : 7 - ((day.getDay() + 6) % 7)))
}

/** All stretches of the range, the first and the last cut by it; those before the first alarm are left out of a long one. */
export function bucketsOf(startDay: string, endDay: string, days: readonly DayCount[]): Bucket[] {
  const unit = unitOf(startDay, endDay)
  const counts = new Map(days.map((one) => [one.day, one]))
  const buckets: Bucket[] = []
  const end = atDay(endDay)
  for (let at = atDay(startDay); at <= end; at = next(at, unit)) {
    const behind = next(at, unit)
    const bucket: Bucket = { first: formatDay(at), last: endDay, count: 0, levels: [0, 0, 0, 0] }
    for (let day = at; day < behind && day <= end; day = next(day, 'day')) {
      bucket.last = formatDay(day)
      const own = counts.get(bucket.last)
      if (!own) continue
      bucket.count += own.count
      bucket.levels = bucket.levels.map((n, index) => n + (own.levels[index] ?? 0))
    }
    buckets.push(bucket)
  }
  const firstAny = buckets.findIndex(({ count }) => count > 0)
  return buckets.slice(Math.max(0, Math.min(firstAny, buckets.length - leastShown)))
}

/** From level 1 to 4, then those of no level. */
export const partsOf = ({ count, levels }: Pick<Bucket, 'count' | 'levels'>) =>
  [
    ...levels.map((n, index) => ({ level: index + 1, n })),
    { level: 0, n: count - levels.reduce((sum, n) => sum + n, 0) },
  ].filter(({ n }) => n > 0)
