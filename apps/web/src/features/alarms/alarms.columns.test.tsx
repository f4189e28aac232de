// @vitest-environment node
import { expect, test } from 'vitest'
import { durationOf, placeOf } from './alarms.columns.tsx'

const now = new Date('2026-11-01T12:00:00+08:00')

test('an active alarm lasts until now, a recovered one until its recovery', () => {
  const occurrenceTime = '2026-11-01 10:00:00'
  const active = durationOf({ occurrenceTime, recoveryTime: null }, now)
  const recovered = durationOf({ occurrenceTime, recoveryTime: '2026-11-01 10:05:00' }, now)
  expect(active).toMatch(/2 ?小时/)
  expect(recovered).toMatch(/5 ?分/)
})

test('an alarm whose time cannot be read has no duration', () => {
  expect(durationOf({ occurrenceTime: '', recoveryTime: null }, now)).toBe('—')
})

test('the place of an alarm leaves out what the device does not have', () => {
  const of = (equipName: string | null, regionName: string) =>
    placeOf({ code: 'EC01', equipName, regionName } as never)
  expect(of('一号柜', '')).toBe('EC01 · 一号柜')
  expect(of(null, '')).toBe('EC01')
  expect(of(null, '中国 / 广东省 / 深圳市 / 南山区')).toMatch(/^EC01 · .*南山区$/)
})
