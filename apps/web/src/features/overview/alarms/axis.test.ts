import fc from 'fast-check'
import { expect, test } from 'vitest'
import { axisMarks } from './axis.ts'

test('axis marks are few and round', () => {
  expect(axisMarks(124)).toEqual([0, 50, 100, 150])
  expect(axisMarks(3)).toEqual([0, 1, 2, 3])
  expect(axisMarks(0)).toEqual([0])
})

test('the last mark is never below the largest value, nor more than twice above it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000_000 }), (largest) => {
      const marks = axisMarks(largest)
      expect(marks.at(-1)).toBeGreaterThanOrEqual(largest)
      expect(marks.at(-1)).toBeLessThanOrEqual(largest * 2)
      expect(marks.length).toBeLessThanOrEqual(5)
    }),
  )
})
