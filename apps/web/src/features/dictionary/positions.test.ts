import { expect, test } from 'vitest'
import { freePosition } from './positions.ts'

test('one more bit is the first free one, and there are 53', () => {
  expect(freePosition('BIT', [])).toBe(0)
  expect(freePosition('BIT', [0, 1, 3, Number.NaN])).toBe(2)
  expect(
    freePosition(
      'BIT',
      Array.from({ length: 53 }, (_, bit) => bit),
    ),
  ).toBe('')
})

test('one more value is past the greatest', () => {
  expect(freePosition('VALUE', [])).toBe(0)
  expect(freePosition('VALUE', [7, 2])).toBe(8)
  expect(freePosition('VALUE', [Number.NaN])).toBe(0)
})
