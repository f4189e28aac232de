import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  chargesOf,
  lastSeen,
  mostStretches,
  noBattery,
  type Sighting,
  type Stay,
  setBack,
  startOf,
  withSightings,
} from './stays.rules.ts'

const minuteMs = 60_000
const empty = noBattery

/** `minute`, what was seen, its state of charge. */
type Seen = readonly [minute: number, code: string, soc?: number]
const sightingsOf = (seen: readonly Seen[]): Sighting[] =>
  seen.map(([minute, code, soc = null]) => ({ code, atMs: minute * minuteMs, soc }))
const minutes = (ms: number | null) => (ms === null ? null : ms / minuteMs)
const told = (stays: readonly Stay[]) =>
  stays
    .filter(({ code }) => code !== noBattery)
    .map((stay) => {
      const { socIn, socOut } = chargesOf(stay)
      return [stay.code, minutes(startOf(stay)), minutes(stay.endMs), socIn?.soc ?? null, socOut?.soc ?? null]
    })

const cases: readonly [name: string, seen: readonly Seen[], stays: readonly unknown[]][] = [
  ['one report begins a stay', [[0, 'A', 20]], [['A', 0, null, 20, 20]]],
  [
    'a battery charges and leaves',
    [
      [0, 'A', 20],
      [5, 'A', 60],
      [10, 'A', 100],
      [15, empty],
    ],
    [['A', 0, 15, 20, 100]],
  ],
  [
    'another battery ends the stay, too',
    [
      [0, 'A', 20],
      [5, 'B', 90],
    ],
    [
      ['A', 0, 5, 20, 20],
      ['B', 5, null, 90, 90],
    ],
  ],
  [
    'a compartment of which nothing is said goes on',
    [
      [0, 'A', 20],
      [60, 'A', 70],
    ],
    [['A', 0, null, 20, 70]],
  ],
  [
    'a battery that comes back is a second stay',
    [
      [0, 'A', 20],
      [10, empty],
      [20, 'A', 15],
    ],
    [
      ['A', 0, 10, 20, 20],
      ['A', 20, null, 15, 15],
    ],
  ],
  [
    'a battery that is back within minutes has not left',
    [
      [0, 'A', 20],
      [2, empty],
      [5, 'A', 25],
    ],
    [['A', 0, null, 20, 25]],
  ],
  [
    'a battery that another one interrupts for minutes has not left, and the other was there',
    [
      [0, 'A'],
      [2, 'B', 50],
      [5, 'A'],
    ],
    [
      ['A', 0, null, null, null],
      ['B', 2, 2, 50, 50],
    ],
  ],
  [
    'a state of charge that is said later counts from then',
    [
      [0, 'A'],
      [3, 'A', 40],
      [6, 'A'],
    ],
    [['A', 0, null, 40, 40]],
  ],
  [
    'a late report tells that the battery was away in between',
    [
      [0, 'A', 20],
      [60, 'A', 90],
      [30, empty],
    ],
    [
      ['A', 0, 30, 20, 20],
      ['A', 60, null, 90, 90],
    ],
  ],
  [
    'a late report of the battery itself lets its stay begin earlier',
    [
      [0, empty],
      [60, 'A', 90],
      [30, 'A', 40],
    ],
    [['A', 30, null, 40, 90]],
  ],
  [
    'a late report of another battery finds its place between two stays',
    [
      [0, 'A'],
      [60, 'C'],
      [30, 'B', 10],
    ],
    [
      ['A', 0, 30, null, null],
      ['B', 30, 60, 10, 10],
      ['C', 60, null, null, null],
    ],
  ],
  [
    'of two batteries at the same moment the one with the greater code stays',
    [
      [0, 'B'],
      [0, 'A'],
      [0, empty],
    ],
    [
      ['A', 0, 0, null, null],
      ['B', 0, null, null, null],
    ],
  ],
]

describe('the stays in one compartment', () => {
  test.each(cases)('%s', (_, seen, stays) => {
    expect(told(withSightings([], sightingsOf(seen)))).toEqual(stays)
    const oneByOne = sightingsOf(seen).reduce<Stay[]>((known, one) => withSightings(known, [one]), [])
    expect(told(oneByOne)).toEqual(stays)
  })

  /** Times within an hour and a half, so that some are near each other and some apart. */
  const seen = fc.array(
    fc.record({
      code: fc.constantFrom(empty, 'A', 'B', 'C'),
      atMs: fc.integer({ min: 0, max: 60 }).map((n) => n * 90_000),
      soc: fc.option(fc.integer({ min: 0, max: 100 })),
    }),
    { maxLength: 14 },
  )

  test('the same reports give the same stays in any order, late, repeated and in any batches', () => {
    fc.assert(
      fc.property(
        seen.chain((all) =>
          fc.tuple(
            fc.constant(all),
            fc.shuffledSubarray([...all, ...all], { minLength: all.length * 2 }),
            fc.array(fc.integer({ min: 1, max: 4 }), { minLength: all.length * 2 }),
          ),
        ),
        ([all, arrived, sizes]) => {
          const inOrder = withSightings(
            [],
            all.toSorted((a, b) => a.atMs - b.atMs),
          )
          let known: Stay[] = []
          for (let at = 0, n = 0; at < arrived.length; at += sizes[n] as number, n += 1)
            known = withSightings(known, arrived.slice(at, at + (sizes[n] as number)))
          expect(known).toEqual(inOrder)
        },
      ),
      { numRuns: 2_000 },
    )
  })

  test('an unchanged report that is left out between two others changes nothing', () => {
    fc.assert(
      fc.property(seen, fc.nat(60), fc.integer({ min: 0, max: 3 }), (all, n, inside) => {
        const fromMs = n * 90_000
        const around = [fromMs, fromMs + 270_000].map((atMs) => ({ code: 'A', atMs, soc: 50 }))
        const between = { code: 'A', atMs: fromMs + inside * 90_000, soc: 50 }
        // A state of charge of its own would be the first or the last one, where others are unknown.
        const without = withSightings([], [...all, ...around])
        expect(shape(withSightings([], [...all, ...around, between]))).toEqual(shape(without))
      }),
      { numRuns: 1_000 },
    )
  })

  const shape = (stays: readonly Stay[]) =>
    stays.map((stay) => [stay.code, startOf(stay), lastSeen(stay), stay.endMs, stay.stretches.length])

  test('at every moment after the first report at most one stay goes on, the one seen last', () => {
    fc.assert(
      fc.property(seen, (all) => {
        const stays = withSightings([], all)
        const open = stays.filter(({ endMs }) => endMs === null)
        expect(open.length).toBe(all.length > 0 ? 1 : 0)
        for (const stay of stays) {
          expect(stay.endMs ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(lastSeen(stay))
          expect(lastSeen(open[0] as Stay)).toBeGreaterThanOrEqual(lastSeen(stay))
        }
      }),
    )
  })

  test('a battery that is seen rarely for long keeps a bounded number of stretches', () => {
    let known: Stay[] = []
    for (let n = 0; n < 100; n += 1) known = withSightings(known, sightingsOf([[n * 15, 'A', n]]))
    expect(told(known)).toEqual([['A', 0, null, 0, 99]])
    expect(known[0]?.stretches).toHaveLength(mostStretches)
  })

  test('a clock that is set back takes the stays with it', () => {
    const ahead = withSightings([], sightingsOf([[600, 'A', 20]]))
    const [stay] = setBack(ahead, 100 * minuteMs, 10 * minuteMs)
    expect(told(stay ? [stay] : [])).toEqual([['A', 10, null, 20, 20]])
    const then = withSightings(setBack(ahead, 100 * minuteMs, 10 * minuteMs), sightingsOf([[10, empty]]))
    expect(told(then)).toEqual([['A', 10, null, 20, 20]])
    expect(told(withSightings(then, sightingsOf([[12, empty]])))).toEqual([['A', 10, 10, 20, 20]])
  })
})
