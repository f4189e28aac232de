import type { Compartment } from '@voltkeep/contract'
import { describe, expect, test } from 'vitest'
import { changeOf, lookOf, remembered, sightingsIn, stockOf } from './arrangement.rules.ts'

const minuteMs = 60_000
const look = (minute: number, ...compartments: Compartment[]) => lookOf(minute * minuteMs, compartments)
const charging = (soc?: number): Compartment => ({
  no: 1,
  state: 'charging',
  batteryCode: 'A',
  ...(soc !== undefined && { soc }),
})
const nothing = { moved: [], isRestocked: false }

describe('what a report changes', () => {
  const cases: readonly [name: string, before: Compartment[], after: Compartment[], change: unknown][] = [
    ['nothing, where figures alone change', [charging(20)], [charging(21)], nothing],
    ['the first state of charge is kept', [charging()], [charging(21)], { moved: [1], isRestocked: true }],
    ['one that is not said any more is nothing', [charging(20)], [charging()], nothing],
    [
      'a state alone changes the stock',
      [charging(99)],
      [{ ...charging(100), state: 'full' }],
      { moved: [], isRestocked: true },
    ],
    [
      'another battery changes its compartment',
      [charging(20), { no: 2, state: 'empty' }],
      [
        { ...charging(20), batteryCode: 'B' },
        { no: 2, state: 'empty' },
      ],
      { moved: [1], isRestocked: true },
    ],
    [
      'a compartment that is left out is unknown from then on',
      [charging(20), { no: 2, state: 'empty' }],
      [charging(20)],
      { moved: [2], isRestocked: true },
    ],
  ]
  test.each(cases)('%s', (_, before, after, change) => {
    expect(changeOf(look(0, ...before), look(3, ...after))).toEqual(change)
  })

  test('all has to be written of an older report, and of one after a pause', () => {
    expect(changeOf(look(3, charging()), look(2, charging()))).toBeNull()
    expect(changeOf(look(0, charging()), look(7, charging()))).toBeNull()
    expect(changeOf(look(0, charging()), look(6, charging()))).toEqual(nothing)
  })
})

test('an empty compartment has no battery, whatever code stands beside it', () => {
  const looks = [look(0, { ...charging(20), state: 'empty' }), look(1, { no: 1, state: 'fault' }), look(2)]
  expect(sightingsIn(1, looks)).toEqual([{ code: '', atMs: 0, soc: null }])
})

test('the state of charge that a battery last said is remembered until another battery is seen', () => {
  const silent = remembered(look(0, charging(20)), look(1, charging()))
  expect(changeOf(silent, look(2, charging(22)))).toEqual(nothing)
  expect(sightingsIn(1, [silent])).toEqual([
    { code: 'A', atMs: 0, soc: 20 },
    { code: 'A', atMs: minuteMs, soc: null },
  ])
  const other = remembered(silent, look(2, { ...charging(), batteryCode: 'B' }))
  expect(sightingsIn(1, [other])).toEqual([{ code: 'B', atMs: 2 * minuteMs, soc: null }])
})

test('the stock counts the compartments that say their state', () => {
  expect(
    stockOf(look(0, charging(), { no: 2, state: 'full' }, { no: 3 }, { no: 4, state: 'disabled' })),
  ).toEqual({
    full: 1,
    charging: 1,
    idle: 0,
    empty: 0,
    fault: 0,
    disabled: 1,
  })
  expect(stockOf(look(0, { no: 3 }))).toBeNull()
})
