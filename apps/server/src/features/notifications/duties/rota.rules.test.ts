import { describe, expect, test } from 'vitest'
import { wallOf } from '../../../platform/process/clocks/zone-clock.ts'
import { onDuty, type Rota, turnsBetween, wallAt, wallText } from './rota.rules.ts'

const weekly: Rota = {
  timeZone: 'Asia/Shanghai',
  startsOn: '2026-11-02',
  handoverAt: '09:00',
  lengthHours: 168,
  members: [1, 2, 3],
  exceptions: [],
}
const at = (text: string) => new Date(text)

describe('a rota', () => {
  test('hands over at its time in its zone', () => {
    expect(onDuty(weekly, at('2026-11-02T09:00:00+08:00'))).toBe(1)
    expect(onDuty(weekly, at('2026-11-09T08:59:59+08:00'))).toBe(1)
    expect(onDuty(weekly, at('2026-11-09T09:00:00+08:00'))).toBe(2)
    expect(onDuty(weekly, at('2026-11-23T09:00:00+08:00'))).toBe(1)
  })

  test('has nobody before it starts, without members, and where the account is gone', () => {
    expect(onDuty(weekly, at('2026-11-02T08:59:59+08:00'))).toBeNull()
    expect(onDuty({ ...weekly, members: [] }, at('2026-11-03T00:00:00+08:00'))).toBeNull()
    expect(onDuty({ ...weekly, members: [1, null, 3] }, at('2026-11-10T00:00:00+08:00'))).toBeNull()
    expect(onDuty({ ...weekly, members: [1, null, 3] }, at('2026-11-17T00:00:00+08:00'))).toBe(3)
  })

  test('gives the days of an exception to somebody else, and nothing more', () => {
    const rota = { ...weekly, exceptions: [{ fromDay: '2026-11-04', toDay: '2026-11-05', userId: 9 }] }
    expect(onDuty(rota, at('2026-11-04T08:59:59+08:00'))).toBe(1)
    expect(onDuty(rota, at('2026-11-04T09:00:00+08:00'))).toBe(9)
    expect(onDuty(rota, at('2026-11-06T08:59:59+08:00'))).toBe(9)
    expect(onDuty(rota, at('2026-11-06T09:00:00+08:00'))).toBe(1)
    const turns = turnsBetween(rota, wallAt('2026-11-02', '09:00'), wallAt('2026-11-09', '09:00'))
    expect(turns.map(({ fromWall, userId }) => [wallText(fromWall), userId])).toEqual([
      ['2026-11-02 09:00', 1],
      ['2026-11-04 09:00', 9],
      ['2026-11-06 09:00', 1],
    ])
  })

  test('keeps its hour where the clocks change', () => {
    const berlin = { ...weekly, timeZone: 'Europe/Berlin', startsOn: '2026-10-24', lengthHours: 24 }
    // The clocks go back in the night to the 25th.
    expect(onDuty(berlin, at('2026-10-25T07:59:59Z'))).toBe(1)
    expect(onDuty(berlin, at('2026-10-25T08:00:00Z'))).toBe(2)
    expect(onDuty(berlin, at('2026-10-26T08:00:00Z'))).toBe(3)
  })

  test('leaves no moment of a year to two people or to nobody', () => {
    const shifts = { ...weekly, lengthHours: 12, handoverAt: '08:00', startsOn: '2026-01-01' }
    const [from, to] = [wallAt('2026-01-01', '08:00'), wallAt('2027-01-01', '08:00')]
    const turns = turnsBetween(shifts, from, to)
    expect(turns).toHaveLength(730)
    for (const [index, turn] of turns.entries()) {
      expect(turn.fromWall).toBe(index === 0 ? from : turns[index - 1]?.toWall)
      expect(turn.userId).toBe((index % 3) + 1)
    }
  })
})

test('the clock on the wall is that of the zone', () => {
  expect(wallText(wallOf(at('2026-11-27T16:30:00Z'), 'Asia/Shanghai'))).toBe('2026-11-28 00:30')
  expect(wallText(wallOf(at('2026-11-27T00:00:00Z'), 'America/New_York'))).toBe('2026-11-26 19:00')
})
