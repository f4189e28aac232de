import type { CompartmentRow } from '@voltkeep/contract/compartments'
import { describe, expect, test } from 'vitest'
import { countsOf, figureText, isReported, lookOf, placeAfter, troublesOf } from './cabinet.model.ts'

const row = (no: number, rest: Partial<CompartmentRow> = {}): CompartmentRow => ({
  no,
  alarms: [],
  outside: [],
  implausible: [],
  ...rest,
})
const alarm = (code: string, level: number | null) => ({
  id: `${code}1`,
  code,
  name: `告警${code}`,
  level,
  startTime: '2026-11-24 08:00:00',
})
const binsOf = (...rows: CompartmentRow[]) => rows

test('a compartment that the report left out has nothing but its number and its alarms', () => {
  expect(isReported(row(3, { alarms: [alarm('A', 1)] }))).toBe(false)
  expect(isReported(row(3, { isDoorOpen: false }))).toBe(true)
})

test('a compartment without a state is known by its battery, or unknown', () => {
  const [withBattery, withCharge, bare] = binsOf(row(1, { batteryCode: 'B1' }), row(2, { soc: 0 }), row(3))
  expect([withBattery, withCharge, bare].map((bin) => bin && lookOf(bin))).toEqual([
    'idle',
    'idle',
    'unknown',
  ])
})

describe('what is wrong', () => {
  test('is told by kind, worst first, with the compartments that have it', () => {
    const troubles = troublesOf(
      binsOf(
        row(1, { alarms: [alarm('B', 3)] }),
        row(2, { alarms: [alarm('A', 1), alarm('B', 3)], state: 'fault' }),
        row(3, { state: 'fault' }),
        row(4, { isDoorOpen: true }),
        row(5, { alarms: [alarm('C', null)] }),
      ),
    )
    expect(troubles.map(({ key, numbers }) => [key, numbers])).toEqual([
      ['A', [2]],
      ['B', [1, 2]],
      ['C', [5]],
      ['fault', [3]],
      ['door', [4]],
    ])
  })

  test('is nothing where a compartment is disabled, empty or shut', () => {
    expect(
      troublesOf(binsOf(row(1, { state: 'disabled' }), row(2, { state: 'empty', isDoorOpen: false }))),
    ).toEqual([])
  })

  test('names a compartment once where one alarm is reported twice', () => {
    expect(troublesOf(binsOf(row(3, { alarms: [alarm('A', 1), alarm('A', 1)] })))[0]?.numbers).toEqual([3])
  })
})

test('counts name the looks that there are', () => {
  expect(
    countsOf(binsOf(row(1, { state: 'full' }), row(2, { state: 'empty' }), row(3, { state: 'full' }))),
  ).toEqual([
    { look: 'full', count: 2 },
    { look: 'empty', count: 1 },
  ])
})

describe('keys', () => {
  const eleven = { columns: 4, count: 11 }
  test.each([
    ['ArrowRight', 0, 1],
    ['ArrowRight', 10, 10],
    ['ArrowLeft', 0, 0],
    ['ArrowDown', 1, 5],
    ['ArrowDown', 7, 10],
    ['ArrowDown', 9, 9],
    ['ArrowUp', 2, 2],
    ['ArrowUp', 9, 5],
    ['Home', 6, 0],
    ['End', 6, 10],
    ['j', 6, undefined],
  ])('%s from place %i leads to %s', (key, at, to) => {
    expect(placeAfter(key, at, eleven)).toBe(to)
  })
})

test('shares are whole, other figures have one decimal', () => {
  expect(figureText('soc', 61.6)).toBe('62')
  expect(figureText('temperature', 30)).toBe('30.0')
})
