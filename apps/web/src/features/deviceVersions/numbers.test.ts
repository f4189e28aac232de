import { expect, test } from 'vitest'
import { shortNumbers } from './numbers.ts'

test('numbers in a row are told by the first and the last', () => {
  expect(shortNumbers(['1', '2', '3', '7'])).toBe('1–3、7')
  expect(shortNumbers(['1', '2', '4', '5', '6'])).toBe('1、2、4–6')
  expect(shortNumbers(['9'])).toBe('9')
  expect(shortNumbers([])).toBe('')
})

test('names of parts stand as they are', () => {
  expect(shortNumbers(['A', 'B', '1', '2', '3'])).toBe('A、B、1–3')
})
