// How curves are made of what is kept: how long a stretch is, what stands in it, and where nothing is known. Pure.
import type { SeriesLevel } from '@voltkeep/contract'
import { combined, type ReadingValue, roundedMean, type Statistics, statisticsOf } from '../packing/index.ts'

const hourMs = 3_600_000
const dayMs = 86_400_000

/** Stretches that a person reads: in seconds. */
const rawSteps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 300, 600, 900, 1_200, 1_800]
const hourSteps = [1, 2, 3, 4, 6, 8, 12].map((hours) => hours * 3_600)
const daySteps = [1, 2, 3, 7, 14, 28, 56, 112].map((days) => days * 86_400)

export interface Resolution {
  level: SeriesLevel
  stepMs: number
}

/** The shortest stretches of which the range has no more than `points`, and that are kept so far back. */
export function resolutionFor(
  range: { fromMs: number; toMs: number },
  points: number,
  kept: { rawFromMs: number; hoursFromMs: number },
): Resolution {
  const leastS = (range.toMs - range.fromMs) / 1_000 / points
  const found = (steps: readonly number[]) => steps.find((step) => step >= leastS)
  const raw = range.fromMs >= kept.rawFromMs ? found(rawSteps) : undefined
  if (raw !== undefined) return { level: 'raw', stepMs: raw * 1_000 }
  const hour = range.fromMs >= kept.hoursFromMs ? found(hourSteps) : undefined
  if (hour !== undefined) return { level: 'hour', stepMs: hour * 1_000 }
  return { level: 'day', stepMs: (found(daySteps) ?? (daySteps.at(-1) as number)) * 1_000 }
}

/** Of a stretch: when it begins, and what was in it; null where nothing is known until the next one. */
export type Bucket = readonly [fromMs: number, values: Statistics] | null

/** Moments of a device by which the usual distance is known. */
export const momentsForUsual = 5_000

/** The middle one of the distances of neighbours; 0 where there are none. */
export function usualDistance(times: readonly number[]): number {
  const distances = times.slice(1, momentsForUsual).map((time, at) => time - (times[at] as number))
  return distances.sort((a, b) => a - b)[Math.floor(distances.length / 2)] ?? 0
}

/**
 * Kept values in stretches of `stepMs` that begin at `originMs` and its multiples.
 *
 * A value that does not change goes unkept for up to `longestMs`, and a report may be missing: what is farther apart
 * than that and two of the device's usual distances is a gap. Within it a value holds until shortly before the next one:
 * where they differ and whole stretches are between them, it is repeated in the last one in which it held.
 */
export function bucketsOfValues(
  times: readonly number[],
  values: readonly ReadingValue[],
  steps: ValueSteps,
): Bucket[] {
  const making = valueBuckets(steps)
  for (const [at, time] of times.entries()) making.add(time, values[at] as ReadingValue)
  return making.end()
}

export interface ValueSteps {
  stepMs: number
  originMs: number
  longestMs: number
  usualMs: number
}

/** The same of values that come one after the other, by time: only those of the last stretch are kept. */
export function valueBuckets({ stepMs, originMs, longestMs, usualMs }: ValueSteps) {
  const buckets: Bucket[] = []
  const startOf = (time: number) => Math.floor((time - originMs) / stepMs) * stepMs + originMs
  const gapMs = longestMs + 2 * usualMs
  let from: number | undefined
  let times: number[] = []
  let values: ReadingValue[] = []
  const close = () => {
    const inside = from === undefined ? null : statisticsOf(times, values, from + stepMs)
    if (inside) buckets.push([from as number, inside])
  }
  return {
    add(time: number, value: ReadingValue): void {
      if (from !== undefined && time < from + stepMs) {
        times.push(time)
        values.push(value)
        return
      }
      close()
      const own = startOf(time)
      const before = times.at(-1)
      const former = values.at(-1)
      if (before !== undefined && former !== undefined) {
        const heldFrom = startOf(time - usualMs)
        if (time - before > gapMs) buckets.push(null)
        else if (value !== former && heldFrom > startOf(before) && heldFrom < own)
          buckets.push([heldFrom, heldAt(former)])
      }
      from = own
      times = [time]
      values = [value]
    },
    end(): Bucket[] {
      close()
      return buckets
    },
  }
}

function heldAt(value: ReadingValue): Statistics {
  const number = Number(value)
  return { min: number, max: number, mean: number, last: number, quarters: 1 }
}

/**
 * Statistics of hours or days in stretches of several. `times` are those of all that the device has: where it was silent
 * for more than its usual distance and a half, there is a gap.
 */
export function bucketsOfStatistics(
  parts: readonly (readonly [atMs: number, values: Statistics])[],
  { startOf, usualMs }: { startOf: (atMs: number) => number; usualMs: number },
): Bucket[] {
  const buckets: Bucket[] = []
  let before: number | undefined
  let at = 0
  while (at < parts.length) {
    const [time] = parts[at] as (typeof parts)[number]
    const from = startOf(time)
    const inside: Statistics[] = []
    let last = time
    for (; at < parts.length; at += 1) {
      const [next, values] = parts[at] as (typeof parts)[number]
      if (startOf(next) !== from) break
      inside.push(values)
      last = next
    }
    if (before !== undefined && time - before > usualMs * 1.5) buckets.push(null)
    before = last
    const whole = combined(inside)
    if (whole) buckets.push([from, whole])
  }
  return buckets
}

/** Where a stretch of days begins; the days are those of the server's zone, counted from 1970 on. */
export const startOfDays =
  (stepMs: number) =>
  (atMs: number): number => {
    const at = new Date(atMs)
    const count = Math.round(stepMs / dayMs)
    const number = Math.round(Date.UTC(at.getFullYear(), at.getMonth(), at.getDate()) / dayMs)
    const first = new Date((number - (number % count)) * dayMs)
    return new Date(first.getUTCFullYear(), first.getUTCMonth(), first.getUTCDate()).getTime()
  }

/** Where stretches begin: at midnight of the server's zone, as it is at that moment. */
export function originOf(atMs: number): number {
  const at = new Date(atMs)
  return new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime()
}

export const startOfHours =
  (stepMs: number, originMs: number) =>
  (atMs: number): number =>
    Math.floor((atMs - originMs) / stepMs) * stepMs + originMs

export const floorHour = (atMs: number): number => Math.floor(atMs / hourMs) * hourMs

/** As a call answers it: a mean has no more digits than say something. */
export function pointOf(
  [fromMs, { min, max, mean, last }]: readonly [number, Statistics],
  shownTime: (atMs: number) => string,
): [string, number, number, number, number] {
  return [shownTime(fromMs), min, max, roundedMean(mean, [min, max, last]), last]
}
