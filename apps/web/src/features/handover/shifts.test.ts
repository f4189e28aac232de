import { expect, test } from 'vitest'
import { presentShift } from './shifts.ts'

const at = (time: string) => new Date(time.replace(' ', 'T'))
const shift = (startTime: string, endTime: string) => ({ startTime, endTime })

test.each([
  ['2026-11-27 07:50:00', '2026-11-26 20:00:00', '2026-11-27 08:00:00'],
  ['2026-11-27 08:00:00', '2026-11-27 08:00:00', '2026-11-27 20:00:00'],
  ['2026-11-27 23:10:00', '2026-11-27 20:00:00', '2026-11-28 08:00:00'],
])('at %s the usual shift lasts from %s to %s', (now, startTime, endTime) => {
  expect(presentShift(at(now))).toEqual({ startTime, endTime })
})

test('follows the last shift, and is as long', () => {
  const last = shift('2026-11-27 00:00:00', '2026-11-27 08:00:00')
  expect(presentShift(at('2026-11-27 15:55:00'), last)).toEqual(
    shift('2026-11-27 08:00:00', '2026-11-27 16:00:00'),
  )
})

test.each([
  ['was days ago', shift('2026-11-20 00:00:00', '2026-11-20 08:00:00')],
  ['is not over', shift('2026-11-27 08:00:00', '2026-11-27 16:30:00')],
  ['was longer than a shift', shift('2026-11-25 14:00:00', '2026-11-27 14:00:00')],
])('is the usual one where the last %s', (_, last) => {
  expect(presentShift(at('2026-11-27 15:55:00'), last)).toEqual(
    shift('2026-11-27 08:00:00', '2026-11-27 20:00:00'),
  )
})
