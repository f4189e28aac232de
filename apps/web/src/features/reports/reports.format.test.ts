import { expect, test } from 'vitest'
import { availabilityText, decimal, percent } from './reports.format.ts'

test('a share that is above nothing never reads as nothing', () => {
  expect([0, 0.0004, 0.012, 1].map(percent)).toEqual(['0%', '< 0.1%', '1.2%', '100%'])
})

test('an availability below all never reads as all', () => {
  expect([null, 0.9999999, 1, 0.5].map(availabilityText)).toEqual(['—', '99.999%', '100.000%', '50.000%'])
})

test('numbers have the decimals that say something', () => {
  expect([0.126, 3, 1234.56].map(decimal)).toEqual(['0.13', '3', '1,235'])
})
