import { expect, test } from 'vitest'
import { deedOf, leastSpanS, zoomed } from './chart.keys.ts'
import { axisTime, givenRange, namedRange } from './chart.ranges.ts'

const times = Array.from({ length: 30 }, (_, at) => at * 100)
const range = { start: 0, end: 3_000 }
const deed = (key: string, at?: number, shiftKey = false) => deedOf({ key, shiftKey }, { at, times, range })

test('arrows walk the points, Shift ten at once, and stay at the ends', () => {
  expect(deed('ArrowRight')).toEqual({ at: 0 })
  expect(deed('ArrowLeft')).toEqual({ at: 29 })
  expect(deed('ArrowRight', 3)).toEqual({ at: 4 })
  expect(deed('ArrowLeft', 3, true)).toEqual({ at: 0 })
  expect(deed('ArrowRight', 29)).toEqual({ at: 29 })
  expect(deed('Home', 9)).toEqual({ at: 0 })
  expect(deed('End', 9)).toEqual({ at: 29 })
})

test('without points arrows do nothing, zooming does', () => {
  expect(deedOf({ key: 'ArrowRight', shiftKey: false }, { at: undefined, times: [], range })).toBeUndefined()
  expect(deedOf({ key: '-', shiftKey: false }, { at: undefined, times: [], range })).toEqual({
    range: { start: -1_500, end: 4_500 },
  })
})

test('zooming keeps the pointed moment at its place', () => {
  expect(deed('+', 10)).toEqual({ range: { start: 500, end: 2_000 } })
  expect(deed('+')).toEqual({ range: { start: 750, end: 2_250 } })
})

test('zooming ends where nothing is measured more often', () => {
  const { start, end } = zoomed({ start: 0, end: 130 }, 65, 0.5)
  expect(end - start).toBe(leastSpanS)
})

test('pages move by half, 0 and Esc lead back, other keys are the page’s', () => {
  expect(deed('PageUp')).toEqual({ range: { start: -1_500, end: 1_500 } })
  expect(deed('0')).toBe('reset')
  expect(deed('Escape')).toBe('reset')
  expect(deed('j')).toBeUndefined()
})

test('a named range ends with the present minute', () => {
  const { start, end } = namedRange('24h', new Date(2026, 10, 24, 12, 0, 30))
  expect(end).toBe(new Date(2026, 10, 24, 12, 1, 0).getTime() / 1_000)
  expect(namedRange('24h', new Date(2026, 10, 24, 12, 0, 0)).end).toBe(end)
  expect(end - start).toBe(86_400)
})

test('a range of an address is taken where it is one', () => {
  expect(givenRange('2026-11-24 00:00:00', '2026-11-24 01:00:00')).toMatchObject({
    start: new Date(2026, 10, 24).getTime() / 1_000,
  })
  expect(givenRange('2026-11-24 01:00:00', '2026-11-24 00:00:00')).toBeUndefined()
  expect(givenRange('yesterday', '2026-11-24 00:00:00')).toBeUndefined()
})

test.each([
  [10, '09:30:10'],
  [600, '09:30'],
  [86_400, '11-24'],
  [30 * 86_400, '2026-11'],
  [365 * 86_400, '2026'],
])('a label of the axis with %i s to the next is as exact as that', (distance, text) => {
  expect(axisTime(new Date(2026, 10, 24, 9, 30, 10).getTime() / 1_000, distance)).toBe(text)
})
