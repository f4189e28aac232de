import { expect, test } from 'vitest'
import { bucketsOfStatistics, bucketsOfValues, resolutionFor, startOfDays } from './series.rules.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const now = 1_800_000_000_000
const kept = { rawFromMs: now - 30 * day, hoursFromMs: now - 400 * day }
const ago = (ms: number) => ({ fromMs: now - ms, toMs: now })

test('the shortest stretches are chosen of which the range has no more than the points', () => {
  expect(resolutionFor(ago(day), 600, kept)).toEqual({ level: 'raw', stepMs: 3 * minute })
  expect(resolutionFor(ago(7 * day), 600, kept)).toEqual({ level: 'raw', stepMs: 20 * minute })
  expect(resolutionFor(ago(30 * day), 600, kept)).toEqual({ level: 'hour', stepMs: 2 * hour })
  expect(resolutionFor(ago(365 * day), 600, kept)).toEqual({ level: 'day', stepMs: day })
  expect(resolutionFor(ago(7 * day), 10, kept)).toEqual({ level: 'day', stepMs: day })
})

test('where values, or hours, are no longer kept, the next level answers', () => {
  const old = { fromMs: now - 40 * day, toMs: now - 39 * day }
  expect(resolutionFor(old, 600, kept)).toEqual({ level: 'hour', stepMs: hour })
  const older = { fromMs: now - 500 * day, toMs: now - 499 * day }
  expect(resolutionFor(older, 600, kept)).toEqual({ level: 'day', stepMs: day })
})

const raw = { stepMs: minute, originMs: 0, longestMs: 15 * minute, usualMs: 5 * minute }
const least = (buckets: ReturnType<typeof bucketsOfValues>) =>
  buckets.map((bucket) => bucket && [bucket[0] / minute, bucket[1].min, bucket[1].max])

test('a stretch has the least and the greatest of its values', () => {
  const times = [0, 10_000, 20_000, 5 * minute]
  expect(least(bucketsOfValues(times, [3, 9, 1, 1], raw))).toEqual([
    [0, 1, 9],
    [5, 1, 1],
  ])
})

test('what is farther apart than an unchanged value may go unkept is a gap, and nothing else is', () => {
  expect(least(bucketsOfValues([0, 25 * minute], [1, 1], raw))).toEqual([
    [0, 1, 1],
    [25, 1, 1],
  ])
  expect(least(bucketsOfValues([0, 25 * minute + 1], [1, 1], raw))).toEqual([[0, 1, 1], null, [25, 1, 1]])
})

test('a value is repeated in the last stretch in which it held before another one', () => {
  expect(least(bucketsOfValues([0, 20 * minute], [1, 2], raw))).toEqual([
    [0, 1, 1],
    [15, 1, 1],
    [20, 2, 2],
  ])
})

test('an hour without a value among hours that have one is a gap', () => {
  const one = { min: 1, max: 2, mean: 1.5, last: 2, quarters: 4 }
  const parts = [0, 1, 3, 4].map((at) => [at * hour, one] as const)
  const startOf = (at: number) => Math.floor(at / hour) * hour
  expect(
    bucketsOfStatistics(parts, { startOf, usualMs: hour }).map((bucket) => bucket && bucket[0] / hour),
  ).toEqual([0, 1, null, 3, 4])
})

test('stretches of days begin at midnight, whatever the range', () => {
  const at = new Date(2026, 10, 24, 13, 5).getTime()
  const week = startOfDays(7 * day)
  expect(new Date(week(at)).getHours()).toBe(0)
  expect(week(week(at))).toBe(week(at))
  expect(week(week(at) - 1)).toBe(
    new Date(new Date(week(at)).setDate(new Date(week(at)).getDate() - 7)).getTime(),
  )
})
