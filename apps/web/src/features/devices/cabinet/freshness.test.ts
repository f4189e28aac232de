import { expect, test } from 'vitest'
import { freshnessOf } from './freshness.ts'

const now = new Date(2026, 10, 24, 12, 0, 0)
const online = { isOnline: 1, onlineChangedTime: '2026-11-24 08:00:00' } as const

test.each([
  [online, '2026-11-24 11:59:00', 'fresh'],
  [online, '2026-11-24 11:29:00', 'old'],
  [online, null, 'fresh'],
  [{ ...online, isOnline: 0 as const }, '2026-11-24 11:59:00', 'away'],
  [{ isOnline: 0 as const, onlineChangedTime: null }, null, 'never'],
])('of %o with a report of %s is %s', (device, reportTime, is) => {
  expect(freshnessOf({ device, reportTime, now })).toBe(is)
})
