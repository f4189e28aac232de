import { expect, test } from 'vitest'
import { figureOf, mapAddress } from './device.figures.ts'

test('the unit of a figure follows its value and is removed from its name', () => {
  expect(figureOf({ key: '输入电压（V）', value: '224.9' })).toEqual({
    name: '输入电压',
    value: '224.9',
    unit: 'V',
  })
  expect(figureOf({ key: 'temperature (℃)', value: '31' })).toEqual({
    name: 'temperature',
    value: '31',
    unit: '℃',
  })
  expect(figureOf({ key: '可换电池数', value: '1' })).toEqual({ name: '可换电池数', value: '1', unit: '' })
})

test('a map search uses the address with its region, without the country', () => {
  const address = new URL(mapAddress('中国 / 广东省 / 深圳市 / 南山区', '科技路1号 A&B'))
  expect(address.host).toBe('uri.amap.com')
  expect(address.searchParams.get('keyword')).toBe('广东省深圳市南山区科技路1号 A&B')
})
