import { describe, expect, test } from 'vitest'
import { issuesAround, type Schedule } from './schedule.rules.ts'

// The tests' own zone is Asia/Shanghai.
const at = (text: string) => new Date(text)
const around = (schedule: Schedule, now: string) => {
  const { newest, next } = issuesAround(schedule, at(now))
  const shown = (issue: typeof newest) => [issue.at.toISOString(), issue.startDay, issue.endDay]
  return { newest: shown(newest), next: shown(next) }
}
const shanghai = { hour: 8, timeZone: 'Asia/Shanghai' }

describe('a report by mail is about', () => {
  test('the day before, from its hour on', () => {
    const schedule = { ...shanghai, every: 'day' as const }
    expect(around(schedule, '2026-11-27T07:59:59+08:00')).toEqual({
      newest: ['2026-11-26T00:00:00.000Z', '2026-11-25', '2026-11-25'],
      next: ['2026-11-27T00:00:00.000Z', '2026-11-26', '2026-11-26'],
    })
    expect(around(schedule, '2026-11-27T08:00:00+08:00').newest).toEqual([
      '2026-11-27T00:00:00.000Z',
      '2026-11-26',
      '2026-11-26',
    ])
  })

  test('the week from Monday to Sunday before, on Mondays', () => {
    expect(around({ ...shanghai, every: 'week' }, '2026-11-27T12:00:00+08:00')).toEqual({
      newest: ['2026-11-23T00:00:00.000Z', '2026-11-16', '2026-11-22'],
      next: ['2026-11-30T00:00:00.000Z', '2026-11-23', '2026-11-29'],
    })
  })

  test('the month before, however long, on its first', () => {
    expect(around({ ...shanghai, every: 'month' }, '2027-02-27T12:00:00+08:00')).toEqual({
      newest: ['2027-02-01T00:00:00.000Z', '2027-01-01', '2027-01-31'],
      next: ['2027-03-01T00:00:00.000Z', '2027-02-01', '2027-02-28'],
    })
  })
})

describe('by the clock of a zone', () => {
  test('the hour moves with its summer time', () => {
    const berlin = { every: 'day' as const, hour: 8, timeZone: 'Europe/Berlin' }
    expect(around(berlin, '2026-03-28T12:00:00Z').next[0]).toBe('2026-03-29T06:00:00.000Z')
    expect(around(berlin, '2026-10-24T12:00:00Z').next[0]).toBe('2026-10-25T07:00:00.000Z')
  })

  test('an hour that is left out is as much later, and one that comes twice is the first', () => {
    const berlin = { every: 'day' as const, hour: 2, timeZone: 'Europe/Berlin' }
    expect(around(berlin, '2026-03-28T12:00:00Z').next[0]).toBe('2026-03-29T01:00:00.000Z')
    expect(around(berlin, '2026-10-24T12:00:00Z').next[0]).toBe('2026-10-25T00:00:00.000Z')
  })

  test('one that is ahead waits until the last day is over for the reports', () => {
    const kiritimati = { every: 'day' as const, hour: 0, timeZone: 'Pacific/Kiritimati' }
    // 27 November begins there at 18:00 of the 26th in Shanghai, where the 26th ends at midnight.
    expect(around(kiritimati, '2026-11-26T20:00:00+08:00').next).toEqual([
      '2026-11-26T16:00:00.000Z',
      '2026-11-26',
      '2026-11-26',
    ])
  })

  test('every moment has one newest issue, and each day of a year is in one of them', () => {
    for (const timeZone of [
      'Asia/Shanghai',
      'Europe/Berlin',
      'America/St_Johns',
      'Pacific/Kiritimati',
      'Pacific/Pago_Pago',
    ])
      for (const hour of [0, 2, 23]) {
        const days: string[] = []
        let now = at('2026-01-05T00:00:00Z')
        for (let n = 0; n < 365; n++) {
          const { next, newest } = issuesAround({ every: 'day', hour, timeZone }, now)
          expect(newest.at <= now && now < next.at).toBe(true)
          days.push(next.endDay)
          now = next.at
        }
        expect(new Set(days).size).toBe(365)
        expect(days).toEqual(days.toSorted())
      }
  })
})
