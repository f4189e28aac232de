import { expect, test } from 'vitest'
import { availabilityText, between, decimal, percent } from './reports.format.ts'

test('a share that is above nothing never reads as nothing', () => {
  expect([0, 0.0004, 0.012, 1].map(percent)).toEqual(['0%', '< 0.1%', '1.2%', '100%'])
})

test('an availability below all never reads as all', () => {
  expect([null, 0.9999999, 1, 0.5].map(availabilityText)).toEqual(['—', '99.999%', '100.000%', '50.000%'])
})

test('numbers have the decimals that say something', () => {
  expect([0.126, 3, 16.89, 99.96, 1234.56].map(decimal)).toEqual(['0.13', '3', '16.9', '100', '1,235'])
})

test('the time between two failures is never nothing of a unit', () => {
  expect([null, 0, 0.004, 0.5, 1.99, 2, 45.678].map(between)).toEqual([
    '—',
    '—',
    '5 分钟',
    '12 小时',
    '47.8 小时',
    '2 天',
    '45.7 天',
  ])
})
