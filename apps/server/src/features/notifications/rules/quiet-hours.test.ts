import { expect, test } from 'vitest'
import { dueAt, quietUntil } from './quiet-hours.ts'

const at = (time: string) => new Date(`2026-11-24T${time}:00+08:00`)
const night = { from: '22:00', to: '07:30' }
const noon = { from: '12:00', to: '13:00' }

test.each([
  [night, '21:59', null],
  [night, '22:00', '2026-11-25T07:30:00+08:00'],
  [night, '23:59', '2026-11-25T07:30:00+08:00'],
  [night, '00:00', '2026-11-24T07:30:00+08:00'],
  [night, '07:29', '2026-11-24T07:30:00+08:00'],
  [night, '07:30', null],
  [noon, '12:30', '2026-11-24T13:00:00+08:00'],
  [noon, '13:00', null],
  [null, '12:30', null],
])('of %o at %s it is quiet until %s', (quiet, time, end) => {
  expect(quietUntil(quiet, at(time))).toEqual(end && new Date(end))
})

test('an alarm of level 1 is told at once; others after the wait, and after quiet hours that it ends in', () => {
  const rule = { groupWaitS: 600, quiet: night }
  expect(dueAt(rule, true, at('23:00'))).toEqual(at('23:00'))
  expect(dueAt(rule, false, at('20:00'))).toEqual(at('20:10'))
  expect(dueAt(rule, false, at('21:55'))).toEqual(new Date('2026-11-25T07:30:00+08:00'))
})
