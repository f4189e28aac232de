import { expect, test } from 'vitest'
import { mapAddress } from './device.figures.ts'

test('a map search uses the address with its region, without the country', () => {
  const address = new URL(mapAddress('中国 / 广东省 / 深圳市 / 南山区', '科技路1号 A&B'))
  expect(address.host).toBe('uri.amap.com')
  expect(address.searchParams.get('keyword')).toBe('广东省深圳市南山区科技路1号 A&B')
})
