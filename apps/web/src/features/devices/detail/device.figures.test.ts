import { expect, test } from 'vitest'
import { figureOf, mapAddress } from './device.figures.ts'

test.each([
  ['输入电压（V）', null, { name: '输入电压', unit: 'V' }],
  ['temperature (℃)', null, { name: 'temperature', unit: '℃' }],
  ['可换电池数', null, { name: '可换电池数', unit: '' }],
  ['输入电压（V）', 'mV', { name: '输入电压（V）', unit: 'mV' }],
])('a reading called %s with the unit %s is shown as %o', (name, unit, shown) => {
  expect(figureOf({ name, unit })).toEqual(shown)
})

test('a map search uses the address with its region, without the country', () => {
  const address = new URL(mapAddress('中国 / 广东省 / 深圳市 / 南山区', '科技路1号 A&B'))
  expect(address.host).toBe('uri.amap.com')
  expect(address.searchParams.get('keyword')).toBe('广东省深圳市南山区科技路1号 A&B')
})
