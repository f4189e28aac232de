import { describe, expect, test } from 'vitest'
import { atDay, dayOf, endMoment, historyRange, rangeEdges, startOfMonth } from './clock.ts'
import { followClock } from './clocks/shared-clock.ts'

const local = (text: string) => new Date(text.replace(' ', 'T'))

describe('a range', () => {
  test('of bare dates runs from midnight to the end of the last day', () => {
    expect(rangeEdges({ startTime: '2026-02-27', endTime: '2026-02-28' })).toEqual({
      from: local('2026-02-27 00:00:00'),
      to: local('2026-03-01 00:00:00'),
    })
  })

  test('with times includes the whole second of its end', () => {
    expect(rangeEdges({ startTime: '2026-02-27 10:00:01', endTime: '2026-02-27T10:00:02' })).toEqual({
      from: local('2026-02-27 10:00:01'),
      to: local('2026-02-27 10:00:03'),
    })
  })

  test('that is missing is open on both sides', () => {
    expect(rangeEdges({})).toEqual({ from: null, to: null })
  })
})

describe('the range of a history list', () => {
  const now = local('2026-11-20 09:30:05')

  test('is the last 30 days, today included, when none is given', () => {
    expect(historyRange({}, now)).toEqual({
      from: local('2026-10-22 00:00:00'),
      to: local('2026-11-21 00:00:00'),
    })
  })

  test('without a start is the 30 days up to its end', () => {
    expect(historyRange({ endTime: '2026-03-30' }, now).from).toEqual(local('2026-03-01 00:00:00'))
  })

  test('without an end runs to the end of today', () => {
    expect(historyRange({ startTime: '2026-01-01' }, now).to).toEqual(local('2026-11-21 00:00:00'))
  })

  test('ends with the day of the database, whatever this machine takes for today', () => {
    const unfollow = followClock(() => local('2031-05-02 00:01:00').getTime())
    try {
      expect(historyRange({}).to).toEqual(local('2031-05-03 00:00:00'))
    } finally {
      unfollow()
    }
  })
})

test('days and months are those of the time zone', () => {
  expect(dayOf(local('2026-01-31 23:59:59'))).toBe('2026-01-31')
  expect(dayOf(startOfMonth(local('2026-01-31 12:00:00'), 1))).toBe('2026-02-01')
  expect(atDay('2026-12-31')).toEqual(local('2026-12-31 00:00:00'))
})

test('the end of a plan is the moment that is given, or the last second of a bare date', () => {
  expect(endMoment('2026-02-28')).toEqual(new Date(2026, 1, 28, 23, 59, 59))
  expect(endMoment('2026-02-28 10:00:02')).toEqual(new Date(2026, 1, 28, 10, 0, 2))
})
