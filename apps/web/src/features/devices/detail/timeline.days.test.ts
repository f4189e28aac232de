import type { TimelineEntry } from '@voltkeep/contract/deviceTimeline'
import { expect, test } from 'vitest'
import { daysOf, weekdayOf } from './timeline.days.ts'

const entry = (id: string, time: string) => ({ id, time }) as TimelineEntry

test('entries stand under their days, in their order', () => {
  const days = daysOf([
    entry('4', '2026-11-24 00:00:00'),
    entry('3', '2026-11-23 23:59:59'),
    entry('2', '2026-11-23 08:00:00'),
    entry('1', '2026-11-20 08:00:00'),
  ])
  expect(days.map(({ day, entries }) => [day, entries.map(({ id }) => id)])).toEqual([
    ['2026-11-24', ['4']],
    ['2026-11-23', ['3', '2']],
    ['2026-11-20', ['1']],
  ])
  expect(daysOf([])).toEqual([])
})

test('a day has its weekday', () => {
  expect(weekdayOf('2026-11-24')).toBe('周二')
  expect(weekdayOf('2026-11-22')).toBe('周日')
})
