import { expect, test } from 'vitest'
import { freePosition } from './positions.ts'

test('a new bit gets the first free position of 53', () => {
  expect(freePosition('BIT', [])).toBe(0)
  expect(freePosition('BIT', [0, 1, 3, Number.NaN])).toBe(2)
  expect(
    freePosition(
      'BIT',
      Array.from({ length: 53 }, (_, bit) => bit),
    ),
  ).toBe('')
})

test('a new value is one more than the largest', () => {
  expect(freePosition('VALUE', [])).toBe(0)
  expect(freePosition('VALUE', [7, 2])).toBe(8)
  expect(freePosition('VALUE', [Number.NaN])).toBe(0)
})
