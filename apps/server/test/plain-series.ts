// Curves as a plain computation makes them of a list of points: by the words of decision 44, and by none of its code.
// Tests and bench:readings compare the history's answers with it.
import type { SeriesLevel } from '@voltkeep/contract'

export interface PlainPoint {
  atMs: number
  value: number
}
export type PlainBucket = [startMs: number, min: number, max: number, mean: number, last: number] | null

const hourMs = 3_600_000
const longestMs = 900_000

const midnight = (ms: number, days = 0) => {
  const at = new Date(ms)
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() + days).getTime()
}
const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const distances = (times: readonly number[]) =>
  times.slice(1, 5_000).map((time, at) => time - (times[at] as number))

/** Least, greatest, mean by the time that each value held, and last. */
function summed(points: readonly PlainPoint[], endMs: number) {
  const values = points.map(({ value }) => value)
  const held = points.map(({ atMs }, at) => (points[at + 1]?.atMs ?? endMs) - atMs)
  const whole = held.reduce((sum, ms) => sum + ms, 0)
  const last = values.at(-1) as number
  const quarters = new Set(points.map(({ atMs }) => Math.floor(atMs / longestMs))).size
  const mean =
    whole > 0 ? values.reduce((sum, value, at) => sum + value * (held[at] as number), 0) / whole : last
  return { min: Math.min(...values), max: Math.max(...values), mean, last, quarters }
}

function grouped<One>(all: readonly One[], keyOf: (one: One) => number): [number, One[]][] {
  const groups = new Map<number, One[]>()
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one])
  return [...groups]
}

/**
 * `points`: all kept values of the reading, each time once, by time; `deviceTimes`: the times of all reports of the
 * device of which anything was kept.
 */
export function plainSeries(
  points: readonly PlainPoint[],
  deviceTimes: readonly number[],
  { fromMs, toMs }: { fromMs: number; toMs: number },
  { level, stepMs }: { level: SeriesLevel; stepMs: number },
): PlainBucket[] {
  const origin = midnight(fromMs)
  const aligned = (ms: number) => Math.floor((ms - origin) / stepMs) * stepMs + origin
  if (level === 'raw') {
    const inside = points.filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
    const usual = median(distances(deviceTimes.filter((ms) => ms >= fromMs && ms < toMs)))
    const buckets: PlainBucket[] = []
    let before: PlainPoint | undefined
    for (const [start, some] of grouped(inside, ({ atMs }) => aligned(atMs))) {
      const [first] = some as [PlainPoint]
      if (before && first.atMs - before.atMs > longestMs + 2 * usual) {
        buckets.push(null)
      } else if (before && first.value !== before.value) {
        const held = aligned(first.atMs - usual)
        const { value } = before
        if (held > aligned(before.atMs) && held < start) buckets.push([held, value, value, value, value])
      }
      const { min, max, mean, last } = summed(some, start + stepMs)
      buckets.push([start, min, max, mean, last])
      before = some.at(-1)
    }
    return buckets
  }
  // Whole hours, or whole days: those that begin in the range and the one in which it begins.
  const startMs = level === 'hour' ? Math.floor(fromMs / hourMs) * hourMs : midnight(fromMs)
  const endMs = level === 'hour' ? toMs : midnight(toMs - 1, 1)
  const hourOf = (ms: number) => Math.floor(ms / hourMs) * hourMs
  const isIn = (ms: number) => hourOf(ms) >= startMs && hourOf(ms) < endMs
  const hours = grouped(
    points.filter(({ atMs }) => isIn(atMs)),
    ({ atMs }) => hourOf(atMs),
  ).map(([ms, some]) => ({ ms, ...summed(some, ms + hourMs) }))
  const unitOf = level === 'hour' ? (ms: number) => ms : (ms: number) => midnight(ms)
  const days = Math.round(stepMs / 86_400_000)
  const dayNumber = (ms: number) => Math.round((midnight(ms) - new Date(1970, 0, 1).getTime()) / 86_400_000)
  const startOf = level === 'hour' ? aligned : (ms: number) => midnight(ms, -(dayNumber(ms) % days))
  const deviceUnits = [...new Set(deviceTimes.filter(isIn).map((ms) => unitOf(hourOf(ms))))]
  const usual = median(distances(deviceUnits.toSorted((a, b) => a - b)))
  const buckets: PlainBucket[] = []
  let before: number | undefined
  for (const [start, some] of grouped(hours, ({ ms }) => startOf(ms))) {
    const [first] = some as [(typeof some)[number]]
    if (before !== undefined && unitOf(first.ms) - before > usual * 1.5) buckets.push(null)
    buckets.push([
      start,
      Math.min(...some.map(({ min }) => min)),
      Math.max(...some.map(({ max }) => max)),
      some.reduce((sum, { mean, quarters }) => sum + mean * quarters, 0) /
        some.reduce((sum, { quarters }) => sum + quarters, 0),
      (some.at(-1) as (typeof some)[number]).last,
    ])
    before = unitOf((some.at(-1) as (typeof some)[number]).ms)
  }
  return buckets
}

/**
 * What differs between a curve as it is answered and the plain one; null where nothing does. A mean may differ by what
 * rounding to `meanWithin` twice leaves.
 */
export function differenceOf(
  answered: readonly ([string, number, number, number, number] | null)[],
  plain: readonly PlainBucket[],
  meanWithin: number,
): string | null {
  if (answered.length !== plain.length) return `${answered.length} stretches, plainly ${plain.length}`
  for (const [at, one] of answered.entries()) {
    const other = plain[at] as PlainBucket
    if (one === null || other === null) {
      if (one !== other) return `stretch ${at}: ${one}, plainly ${other}`
      continue
    }
    const [time, min, max, mean, last] = one
    const isSame =
      new Date(time.replace(' ', 'T')).getTime() === other[0] &&
      min === other[1] &&
      max === other[2] &&
      Math.abs(mean - other[3]) <= meanWithin &&
      last === other[4]
    if (!isSame) return `stretch ${at}: ${one}, plainly ${new Date(other[0]).toISOString()} ${other.slice(1)}`
  }
  return null
}
