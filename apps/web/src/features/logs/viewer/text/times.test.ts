import { expect, test } from 'vitest'
import { formatMoment, readMoment, timeOf } from './times.ts'

const base = { year: 2026, month: 11, day: 20 }
const read = (head: string) => {
  const ms = timeOf(head, base)
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}

test.each([
  ['2026-11-22 09:30:05.123 [INFO ] x', '2026-11-22T09:30:05.123Z'],
  ['[2026/11/22 09:30:05] x', '2026-11-22T09:30:05.000Z'],
  ['2026-11-22T09:30:05,5 x', '2026-11-22T09:30:05.500Z'],
  ['2026年11月22日 09:30:05 x', '2026-11-22T09:30:05.000Z'],
  ['20261122 093005 x', '2026-11-22T09:30:05.000Z'],
  ['Nov 22 09:30:05 cabinet kernel: x', '2026-11-22T09:30:05.000Z'],
  ['11-22 09:30:05.123  812 W x', '2026-11-22T09:30:05.123Z'],
  ['09:30:05 x', '2026-11-20T09:30:05.000Z'],
  ['[09:30:05.250] x', '2026-11-20T09:30:05.250Z'],
])('the time of a line: %s', (head, time) => {
  expect(read(head)).toBe(time)
})

test('a time with a zone, and one in seconds since 1970, are converted to the user’s local time', () => {
  const local = (utc: number) => new Date(utc - new Date(utc).getTimezoneOffset() * 60_000).toISOString()
  const utc = Date.UTC(2026, 10, 22, 1, 30, 5)
  expect(read('2026-11-22T01:30:05Z x')).toBe(local(utc))
  expect(read('2026-11-22T09:30:05+08:00 x')).toBe(local(utc))
  expect(read(`{"time":${utc},"level":"info"}`)).toBe(local(utc))
  expect(read(`${utc / 1_000} x`)).toBe(local(utc))
})

test.each(['door 3 closed', '', 'version 2.10.3 build 1199', 'ratio 25:61:99'])('not a time: %s', (head) => {
  expect(read(head)).toBeUndefined()
})

test.each([
  ['2026-11-22 09:30:05', '2026-11-22 09:30:05'],
  ['11-22 9:30', '2026-11-22 09:30:00'],
  ['9:30', '2026-11-20 09:30:00'],
  ['09：30：05', '2026-11-20 09:30:05'],
])('what is typed: %s', (typed, moment) => {
  expect(formatMoment(readMoment(typed, base))).toBe(moment)
})

test.each(['tomorrow', '25:00', '9', '13-40 09:00', ''])('not a typed time: %s', (typed) => {
  expect(readMoment(typed, base)).toBeNaN()
})
