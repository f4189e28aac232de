import { expect, test } from 'vitest'
import { isDue, keepers, nameOf, timeOf } from './keeping.rules.ts'

const dayMs = 86_400_000

test('the name of a backup says when it was begun, in the zone of the installation', () => {
  const at = new Date(2026, 2, 9, 3, 0, 7)
  expect(nameOf(at)).toBe('voltkeep-20260309-030007.tar.zst')
  expect(timeOf(nameOf(at))).toEqual(at)
  for (const other of ['voltkeep.tar.zst', `${nameOf(at)}.unverified`, 'mine-20260309-030007.tar.zst'])
    expect(timeOf(other)).toBeNull()
})

test('of two years of nights, seven days, four weeks and twelve months are kept', () => {
  const last = new Date(2026, 10, 27, 3)
  const nights = Array.from({ length: 730 }, (_, n) => new Date(last.getTime() - n * dayMs))
  const kept = [...keepers(nights)].map((at) => nameOf(at).slice(9, 17)).sort()
  expect(kept).toEqual([
    // The last night of each month,
    ...['20251231', '20260131', '20260228', '20260331', '20260430', '20260531', '20260630', '20260731'],
    ...['20260831', '20260930', '20261031'],
    // of each week,
    ...['20261108', '20261115'],
    // and seven nights, the first of which ends a week and the last of which is the newest of its week and month.
    ...['20261121', '20261122', '20261123', '20261124', '20261125', '20261126', '20261127'],
  ])
})

test('a few backups are all kept, however old', () => {
  const few = [new Date(2020, 0, 1), new Date(2024, 5, 5), new Date(2026, 0, 1)]
  expect(keepers(few)).toEqual(new Set(few))
})

test('a backup is due at its hour, once a day, and as soon as the server is back where it was missed', () => {
  const at = (day: number, hour: number, minute = 0) => new Date(2026, 10, day, hour, minute)
  const due = (now: Date, last: Date | null) => isDue({ now, hour: 3, last })
  expect(due(at(27, 2, 59), at(26, 3))).toBe(false)
  expect(due(at(27, 3), at(26, 3))).toBe(true)
  expect(due(at(27, 3, 10), at(27, 3))).toBe(false)
  expect(due(at(27, 1), at(25, 3))).toBe(true)
  expect(due(at(27, 12), null)).toBe(true)
})
