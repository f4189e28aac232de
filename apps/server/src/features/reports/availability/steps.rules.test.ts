import { expect, test } from 'vitest'
import { rankOf, stepAt, stepBounds, valueAt } from './steps.rules.ts'

/** As percentile_disc: the first value at which that share of all is reached. */
const plainly = (values: readonly number[], share: number) => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted.find((_, index) => (index + 1) / sorted.length >= share)
}

test('steps begin at 0, ascend, and are short beside their length', () => {
  expect(stepBounds[0]).toBe(0)
  for (const [index, at] of stepBounds.slice(1).entries()) {
    const before = stepBounds[index] as number
    expect(at).toBeGreaterThan(before)
    expect(at - before).toBeLessThanOrEqual(Math.max(1, before / 16))
  }
})

test('a quantile by way of its step is the one of all values', () => {
  let seed = 5
  const next = (n: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor(seed / 65_536) % n
  }
  for (const length of [1, 2, 3, 10, 99, 100, 1_000]) {
    const values = Array.from({ length }, () => next(next(4) === 0 ? 20_000 : 300))
    const stepOf = (value: number) => stepBounds.findLastIndex((bound) => bound <= value) + 1
    const counted = (of: readonly number[]) =>
      new Map([...Map.groupBy(of, (one) => one)].map(([one, all]) => [one, all.length]))
    for (const share of [0.5, 0.9]) {
      const place = stepAt(counted(values.map(stepOf)), rankOf(share, length))
      const inside = counted(values.filter((value) => stepOf(value) === place?.step))
      expect(valueAt(inside, place?.rank ?? 0)).toBe(plainly(values, share))
    }
  }
})

test('of nothing there is no quantile', () => {
  expect(stepAt(new Map(), rankOf(0.5, 0))).toBeNull()
})
