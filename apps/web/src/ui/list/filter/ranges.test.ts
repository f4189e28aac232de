import { expect, test } from 'vitest'
import { assumedEnd, fromMoment, lastDays, presetsAt, toMoment } from './ranges.ts'

test('the last days end today, over the edge of a month', () => {
  const today = new Date(2026, 10, 3, 9, 30)
  expect(lastDays(1, today)).toEqual(['2026-11-03', '2026-11-03'])
  expect(lastDays(7, today)).toEqual(['2026-10-28', '2026-11-03'])
  expect(lastDays(30, today)).toEqual(['2026-10-05', '2026-11-03'])
})

test.each([
  [
    'a Sunday is the last day of its week',
    new Date(2026, 10, 1),
    '2026-10-26',
    '2026-11-01',
    '2026-10-19',
    '2026-10-25',
  ],
  ['a Monday is the first', new Date(2026, 10, 2), '2026-11-02', '2026-11-08', '2026-10-26', '2026-11-01'],
  [
    'a week goes over the edge of a year',
    new Date(2027, 0, 1),
    '2026-12-28',
    '2027-01-03',
    '2026-12-21',
    '2026-12-27',
  ],
])('of the ranges that one press gives, %s', (_what, today, first, last, firstBefore, lastBefore) => {
  const [, week, lastWeek] = presetsAt(today)
  expect(week).toMatchObject({ first, last })
  expect(lastWeek).toMatchObject({ first: firstBefore, last: lastBefore })
})

test('months have their own lengths, over the edge of a year', () => {
  const [today, , , month, lastMonth] = presetsAt(new Date(2027, 0, 31, 23, 59))
  expect(today).toMatchObject({ first: '2027-01-31', last: '2027-01-31' })
  expect(month).toMatchObject({ first: '2027-01-01', last: '2027-01-31' })
  expect(lastMonth).toMatchObject({ first: '2026-12-01', last: '2026-12-31' })
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
