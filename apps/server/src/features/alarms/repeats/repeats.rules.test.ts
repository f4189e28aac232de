import { expect, test } from 'vitest'
import { chatterOf, foldOccurrences, type Occurrence, type Trouble } from './repeats.rules.ts'

const second = 1_000
const minute = 60 * second

/** Episodes of `[from, to]` in seconds, or of one that lasts, with a value each. */
const episodes = (...some: [from: number, to: number | null, value?: string][]): Occurrence[] =>
  some.map(([from, to, value = '1'], n) => ({
    id: String(n + 1),
    at: String(from),
    atMs: from * second,
    recoveredAtMs: to === null ? null : to * second,
    firstValue: value,
    value,
  }))
const shown = (troubles: readonly Trouble[]) =>
  troubles.map(({ first, last, count }) => [first.id, last.id, count])

test('what comes again within five minutes after its recovery is the same trouble, and what comes a moment later is not', () => {
  expect(shown(foldOccurrences([], episodes([0, 10], [310, 320], [600, null]), false))).toEqual([
    ['1', '3', 3],
  ])
  expect(foldOccurrences([], episodes([0, 10], [310.001, null]), false)).toEqual([])
})

test('the five minutes count from the recovery, however long the alarm lasted', () => {
  expect(shown(foldOccurrences([], episodes([0, 90_000], [90_200, null]), false))).toEqual([['1', '2', 2]])
})

test('another bit is another trouble, and one that shares a bit is the same', () => {
  expect(foldOccurrences([], episodes([0, 10, '1'], [20, null, '2']), false)).toEqual([])
  expect(shown(foldOccurrences([], episodes([0, 10, '1'], [20, 30, '3'], [40, null, '2']), false))).toEqual([
    ['1', '3', 3],
  ])
})

test('troubles of two bits that take turns are told apart', () => {
  const found = foldOccurrences(
    [],
    episodes([0, 10, '1'], [20, 30, '2'], [40, 50, '1'], [60, 70, '2']),
    false,
  )
  expect(shown(found)).toEqual([
    ['1', '3', 2],
    ['2', '4', 2],
  ])
})

test('of an alarm by value each value is a trouble of its own, also where they share bits', () => {
  expect(foldOccurrences([], episodes([0, 10, '1'], [20, null, '3']), true)).toEqual([])
  expect(shown(foldOccurrences([], episodes([0, 10, '3'], [20, null, '3']), true))).toEqual([['1', '2', 2]])
})

test('a trouble by value keeps the values that it had last, those of the newest episode among them', () => {
  let known: Trouble[] = foldOccurrences([], episodes([0, 1], [2, 3]), true)
  for (let n = 2; n <= 100; n += 1)
    known = foldOccurrences(
      known,
      [
        {
          id: String(n),
          at: '',
          atMs: 2 * n * second,
          recoveredAtMs: (2 * n + 1) * second,
          firstValue: '1',
          value: String(n),
        },
      ],
      true,
    )
  expect(known).toHaveLength(1)
  expect(known[0]).toMatchObject({ count: 101 })
  expect(known[0]?.seen).toEqual([...Array.from({ length: 62 }, (_, n) => String(38 + n)), '1', '100'])
})

test('a value of 62 bits is compared whole', () => {
  const high = String(2n ** 52n)
  expect(foldOccurrences([], episodes([0, 10, high], [20, null, '1']), false)).toEqual([])
  expect(shown(foldOccurrences([], episodes([0, 10, high], [20, null, high]), false))).toEqual([
    ['1', '2', 2],
  ])
})

test('episodes that come one by one make the same trouble as all at once, whatever they are', () => {
  let state = 81
  const below = (count: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * count)
  }
  for (let round = 0; round < 300; round += 1) {
    let at = 0
    const all = episodes(
      ...Array.from({ length: 2 + below(12) }, (): [number, number, string] => {
        const from = at + 1 + below(400)
        at = from + below(100)
        return [from, at, String(1 + 2 * below(4))]
      }),
    )
    const whole = foldOccurrences([], all, false)
    // What occurred once is not kept, so each look begins with all that came since the first of what is known.
    const cut = below(all.length)
    const first = foldOccurrences([], all.slice(0, cut), false)
    const lastMs = Math.max(0, ...first.map(({ last }) => last.atMs))
    const later = foldOccurrences(
      first,
      all.filter(({ atMs }) => atMs > lastMs),
      false,
    )
    const merged = new Map([...first, ...later].map((trouble) => [trouble.first.id, trouble]))
    const sorted = (troubles: Iterable<Trouble>) => shown([...troubles]).sort()
    expect(sorted(merged.values())).toEqual(sorted(whole))
  }
})

test('three within a minute chatter, five within half an hour flap, and neither is forgotten', () => {
  expect(chatterOf(null, [0, 30 * second, 60 * second])).toBe('chattering')
  expect(chatterOf(null, [0, 30 * second, 61 * second])).toBeNull()
  expect(
    chatterOf(
      null,
      [0, 7, 14, 21, 30].map((n) => n * minute),
    ),
  ).toBe('flapping')
  expect(
    chatterOf(
      null,
      [0, 7, 14, 21, 31].map((n) => n * minute),
    ),
  ).toBeNull()
  expect(chatterOf('flapping', [0, 40 * minute])).toBe('flapping')
  expect(chatterOf('flapping', [0, 1, 2])).toBe('chattering')
  expect(chatterOf('chattering', [0, 40 * minute])).toBe('chattering')
})
