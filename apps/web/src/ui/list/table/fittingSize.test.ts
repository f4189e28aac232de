import { expect, test } from 'vitest'
import { fittingSize } from './fittingSize.ts'

test.each([
  ['a small laptop', 640, 40, 10],
  ['a desk', 900, 40, 20],
  ['a desk with low rows', 1_000, 32, 30],
  ['a wall', 1440, 40, 30],
  ['a wall with low rows', 1440, 32, 50],
  ['a window that no size fills', 9_000, 32, 100],
])('%s has as many rows as fill it, 10 at the least', (_what, windowPx, rowPx, size) => {
  expect(fittingSize(windowPx, { rowPx, hasCards: false })).toBe(size)
})

test('a phone has as many cards as fill it', () => {
  expect(fittingSize(740, { rowPx: 40, hasCards: true })).toBe(10)
  expect(fittingSize(844, { rowPx: 40, hasCards: true })).toBe(20)
})
