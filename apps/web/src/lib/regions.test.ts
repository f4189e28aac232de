import { expect, it } from 'vitest'
import { shortRegion } from './regions.ts'

it.each([
  ['中国 / 广东省 / 深圳市 / 南山区', '深圳市 南山区'],
  ['中国 / 上海市 / 杨浦区', '上海市 杨浦区'],
  ['中国 / 广东省', '广东省'],
  ['中国', '中国'],
])('%s is told in a row as %s', (regionName, short) => {
  expect(shortRegion(regionName)).toBe(short)
})
