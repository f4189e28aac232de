import { describe, expect, test } from 'vitest'
import type { CompartmentRow } from './cabinet.calls.ts'
import { arrangementOf, countsOf, figureText, lookOf, placeAfter, troublesOf } from './cabinet.model.ts'

const row = (no: number, rest: Partial<CompartmentRow> = {}): CompartmentRow => ({ no, alarms: [], ...rest })
const alarm = (code: string, level: number | null) => ({
  id: `${code}1`,
  code,
  name: `告警${code}`,
  level,
  startTime: '2026-11-24 08:00:00',
})
const binsOf = (...rows: CompartmentRow[]) =>
  arrangementOf({ columns: null, count: null, compartments: rows }).bins

describe('the arrangement of a cabinet', () => {
  test('is the model’s, with compartments that did not report', () => {
    const { columns, bins } = arrangementOf({ columns: 3, count: 4, compartments: [row(2, { soc: 50 })] })
    expect(columns).toBe(3)
    expect(bins.map(({ no, isReported }) => [no, isReported])).toEqual([
      [1, false],
      [2, true],
      [3, false],
      [4, false],
    ])
  })

  test('contains what is reported beyond the model, at the end and once', () => {
    const { bins } = arrangementOf({ columns: 2, count: 2, compartments: [row(7), row(1)] })
    expect(bins.map(({ no }) => no)).toEqual([1, 2, 7])
  })

  test.each([
    [1, 1],
    [12, 3],
    [40, 6],
    [64, 7],
  ])('of %i compartments without a model’s columns has %i', (count, columns) => {
    expect(arrangementOf({ columns: null, count, compartments: [] }).columns).toBe(columns)
  })

  test('without compartments has none, and never more columns than compartments', () => {
    expect(arrangementOf({ columns: 4, count: 0, compartments: [] })).toEqual({ columns: 1, bins: [] })
    expect(arrangementOf({ columns: 8, count: 3, compartments: [] }).columns).toBe(3)
  })
})

test('a compartment without a state is known by its battery, or unknown', () => {
  const [withBattery, withCharge, bare] = binsOf(row(1, { batteryCode: 'B1' }), row(2, { soc: 0 }), row(3))
  expect([withBattery, withCharge, bare].map((bin) => bin && lookOf(bin))).toEqual(['idle', 'idle', 'unknown'])
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
    expect(troublesOf(binsOf(row(1, { state: 'disabled' }), row(2, { state: 'empty', isDoorOpen: false })))).toEqual(
      [],
    )
  })

  test('names a compartment once where one alarm is reported twice', () => {
    expect(troublesOf(binsOf(row(3, { alarms: [alarm('A', 1), alarm('A', 1)] })))[0]?.numbers).toEqual([3])
  })
})

test('counts name the looks that there are', () => {
  expect(countsOf(binsOf(row(1, { state: 'full' }), row(2, { state: 'empty' }), row(3, { state: 'full' })))).toEqual([
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
