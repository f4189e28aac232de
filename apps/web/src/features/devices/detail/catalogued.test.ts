import { expect, test } from 'vitest'
import { bandOf, type CataloguedReading, figureText } from './catalogued.ts'

const reading = (of: Partial<CataloguedReading>): CataloguedReading => ({
  key: 'a',
  name: 'a',
  unit: null,
  value: 1,
  time: '2026-11-24 08:00:00',
  hasHistory: true,
  decimals: null,
  group: null,
  isOutside: false,
  isImplausible: false,
  ...of,
})

test('a value stands within its band, out of it, or out of what can be', () => {
  expect(bandOf(reading({}))).toBe('normal')
  expect(bandOf(reading({ isOutside: true }))).toBe('outside')
  expect(bandOf(reading({ isOutside: true, isImplausible: true }))).toBe('implausible')
})

test.each([
  [1.25, 1, '1.3'],
  [20, 2, '20.00'],
  [20, null, '20'],
  ['A1', 2, 'A1'],
])('%s with %s decimals is written %s', (value, decimals, text) => {
  expect(figureText({ value, decimals })).toBe(text)
})
