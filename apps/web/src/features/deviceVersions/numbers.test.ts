import { expect, test } from 'vitest'
import { shortNumbers } from './numbers.ts'

test('consecutive numbers are written as a range', () => {
  expect(shortNumbers(['1', '2', '3', '7'])).toBe('1–3、7')
  expect(shortNumbers(['1', '2', '4', '5', '6'])).toBe('1、2、4–6')
  expect(shortNumbers(['9'])).toBe('9')
  expect(shortNumbers([])).toBe('')
})

test('names that are not numbers are unchanged', () => {
  expect(shortNumbers(['A', 'B', '1', '2', '3'])).toBe('A、B、1–3')
})
