import { expect, test } from 'vitest'
import { type DiskLevel, nextLevel } from './disk-levels.ts'

const gb = 1024 ** 3
const thresholds = {
  low: { usedPercent: 80, freeBytes: 100 * gb },
  full: { usedPercent: 95, freeBytes: 10 * gb },
}
const levelAt = (totalGb: number, freeGb: number, level: DiskLevel = 'roomy') =>
  nextLevel(level, { totalBytes: totalGb * gb, freeBytes: freeGb * gb }, thresholds)

test.each([
  [100, 21, 'roomy'],
  [100, 19, 'low'],
  [100, 10, 'low'],
  [100, 9, 'tight'],
  [100, 6, 'tight'],
  [100, 4, 'full'],
  [100, 0, 'full'],
  // By percentage alone, both would be full long before.
  [10_000, 101, 'roomy'],
  [10_000, 99, 'low'],
  [10_000, 21, 'low'],
  [10_000, 19, 'tight'],
  [10_000, 9, 'full'],
] as const)('of %i GB with %i free it is %s', (total, free, level) => {
  expect(levelAt(total, free)).toBe(level)
})

test('a level ends when a fifth more is free than where it began', () => {
  expect(levelAt(100, 5.9, 'full')).toBe('full')
  expect(levelAt(100, 6, 'full')).toBe('tight')
  expect(levelAt(100, 5.9, 'low')).toBe('tight')
  expect(levelAt(100, 11.9, 'tight')).toBe('tight')
  expect(levelAt(100, 11.9, 'full')).toBe('tight')
  expect(levelAt(100, 12, 'tight')).toBe('low')
  expect(levelAt(100, 23.9, 'low')).toBe('low')
  expect(levelAt(100, 24, 'low')).toBe('roomy')
  expect(levelAt(100, 50, 'full')).toBe('roomy')
})

test('at 100 percent there is no threshold', () => {
  const never = { usedPercent: 100, freeBytes: gb }
  expect(nextLevel('roomy', { totalBytes: gb, freeBytes: 0 }, { low: never, full: never })).toBe('roomy')
})
