import { expect, test } from 'vitest'
import { formatAgo, formatBytes, formatDuration, formatShare, readWireTime } from './format.ts'

const at = (time: string) => readWireTime(time) as Date

test('how long ago is said in one unit, and beyond a month not at all', () => {
  const now = at('2026-11-20 09:30:05')
  expect(formatAgo(at('2026-11-20 09:29:30'), now)).toBe('刚刚')
  expect(formatAgo(at('2026-11-20 09:27:00'), now)).toBe('3 分钟前')
  expect(formatAgo(at('2026-11-20 04:00:00'), now)).toBe('5 小时前')
  expect(formatAgo(at('2026-11-18 04:00:00'), now)).toBe('2 天前')
  expect(formatAgo(at('2026-09-18 04:00:00'), now)).toBe('')
  expect(formatAgo(at('2026-11-20 09:30:20'), now)).toBe('刚刚')
  expect(formatAgo(at('2026-11-20 10:30:00'), now)).toBe('')
})

test('a length of time keeps its two largest units, and below a minute its seconds', () => {
  expect(formatDuration(-3_000)).toBe('0 秒')
  expect(formatDuration(21_900)).toBe('21 秒')
  expect(formatDuration(59_999)).toBe('59 秒')
  expect(formatDuration(60_000)).toBe('1 分钟')
  expect(formatDuration(5 * 60_000)).toBe('5 分钟')
  expect(formatDuration(125 * 60_000)).toBe('2 小时 5 分钟')
  expect(formatDuration(51 * 3_600_000)).toBe('2 天 3 小时')
})

test('a share never rounds a missing device away', () => {
  expect(formatShare(9999, 10_000)).toBe('99.9%')
  expect(formatShare(10, 10)).toBe('100%')
  expect(formatShare(0, 0)).toBe('—')
  expect(formatShare(1239, 1284)).toBe('96.5%')
})

test('only a wire time is a time', () => {
  expect(readWireTime('2026-11-20')?.getHours()).toBe(0)
  expect(readWireTime('yesterday')).toBeUndefined()
})

test('sizes are said in their largest unit, with at most one decimal', () => {
  expect([0, 1023, 1536, 10_485_760, 164_000_000, 5_000_000_000].map(formatBytes)).toEqual([
    '0 B',
    '1023 B',
    '1.5 KB',
    '10 MB',
    '156 MB',
    '4.7 GB',
  ])
})
