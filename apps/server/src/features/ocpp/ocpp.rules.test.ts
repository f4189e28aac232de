import { expect, test } from 'vitest'
import { growthOf, mostGrowth } from '../../../test/growth.ts'
import { timeOf } from './ocpp.rules.ts'

test.each([
  ['2026-01-05T10:00:00Z', '2026-01-05T10:00:00.000Z'],
  ['2026-01-05T10:00:00', '2026-01-05T10:00:00.000Z'],
  ['2026-01-05T10:00:00+02', '2026-01-05T08:00:00.000Z'],
  ['2026-01-05T10:00:00-0230', '2026-01-05T12:30:00.000Z'],
  ['2026-01-05T10:00:00.123456789+02:00', '2026-01-05T08:00:00.123Z'],
])('a station’s %s is a time', (text, time) => {
  expect(new Date(timeOf(text) ?? 0).toISOString()).toBe(time)
})

test('what is no time, or from before clocks, is none', () => {
  for (const text of [null, 'nonsense', '1970-01-01T00:00:12Z', 'T+02']) expect(timeOf(text)).toBeNull()
})

test('a time of many letters is read as quickly as one of few', () => {
  expect(growthOf(timeOf, (length) => 'T'.repeat(length))).toBeLessThan(mostGrowth)
})
