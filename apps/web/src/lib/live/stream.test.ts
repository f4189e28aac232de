// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { waitBeforeTry } from './stream.ts'

test('the wait doubles, is capped at 30 seconds, and is spread over its upper half', () => {
  const longest = (failures: number) => waitBeforeTry(failures, () => 1)
  const shortest = (failures: number) => waitBeforeTry(failures, () => 0)
  expect([1, 2, 3, 4, 5, 6, 60].map(longest)).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  expect([1, 6].map(shortest)).toEqual([500, 15_000])
})
