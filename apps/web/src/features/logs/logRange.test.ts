import { expect, test } from 'vitest'
import { serverNow } from '../../lib/clock.ts'
import { problemsOf } from '../../lib/schemaInput.ts'
import { LogRange, lastDaysOf, logWindow } from './logRange.ts'

test('the window is today and the 15 days before, also across the end of a month', () => {
  expect(logWindow(new Date(2026, 2, 5, 23, 59))).toEqual({ first: '2026-02-18', last: '2026-03-05' })
})

test('a range of N days ends with the last second of today', () => {
  expect(lastDaysOf(3, new Date(2026, 2, 1, 9))).toEqual({
    startTime: '2026-02-27 00:00:00',
    endTime: '2026-03-01 23:59:59',
  })
})

test('a range outside the window, or with its ends reversed, has a message of its own', () => {
  const { first, last } = logWindow(serverNow())
  const said = (startTime: string, endTime: string) =>
    problemsOf(LogRange, { startTime, endTime }).map(({ message }) => message)
  expect(said(`${first} 00:00:00`, `${last} 23:59:59`)).toEqual([])
  expect(said('2020-01-01 00:00:00', `${last} 00:00:00`)).toEqual(['只能提取最近 15 天内的日志'])
  expect(said(`${first} 00:00:00`, '2099-01-01 00:00:00')).toEqual(['结束时间不能晚于今天'])
  expect(said(`${last} 00:00:01`, `${last} 00:00:00`)).toEqual(['结束时间应晚于开始时间'])
  expect(problemsOf(LogRange, {}).map(({ message }) => message)).toContain('请选择时间范围')
})
