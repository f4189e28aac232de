import { expect, test } from 'vitest'
import { assumedEnd, fromMoment, lastDays, toMoment } from './ranges.ts'

test('the last days end today, over the edge of a month', () => {
  const today = new Date(2026, 10, 3, 9, 30)
  expect(lastDays(1, today)).toEqual(['2026-11-03', '2026-11-03'])
  expect(lastDays(7, today)).toEqual(['2026-10-28', '2026-11-03'])
  expect(lastDays(30, today)).toEqual(['2026-10-05', '2026-11-03'])
})

test('a bare day is a moment at the end of the range that it stands for', () => {
  expect(toMoment('2026-11-20', 'from')).toBe('2026-11-20T00:00:00')
  expect(toMoment('2026-11-20', 'until')).toBe('2026-11-20T23:59:59')
  expect(toMoment('2026-11-20 09:30:05', 'until')).toBe('2026-11-20T09:30:05')
  expect(toMoment(undefined, 'from')).toBe('')
})

test('a moment travels with its seconds, where the control left them out too', () => {
  expect(fromMoment('2026-11-20T09:30')).toBe('2026-11-20 09:30:00')
  expect(fromMoment('2026-11-20T09:30:05')).toBe('2026-11-20 09:30:05')
  expect(fromMoment('')).toBeUndefined()
})

test('a range with one end given says which other end the server assumes', () => {
  const today = new Date(2026, 10, 3, 9, 30)
  expect(assumedEnd(undefined, undefined, today)).toBeUndefined()
  expect(assumedEnd('2026-10-01', '2026-10-02', today)).toBeUndefined()
  expect(assumedEnd('2026-10-01', undefined, today)).toEqual({ side: 'until', day: '2026-11-03' })
  expect(assumedEnd('2026-11-07 08:00:00', undefined, today)).toEqual({ side: 'until', day: '2026-11-07' })
  expect(assumedEnd(undefined, '2026-10-30', today)).toEqual({ side: 'from', day: '2026-10-01' })
})
