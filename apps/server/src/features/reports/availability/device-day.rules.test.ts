import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type DaySpans, type DeviceDay, divideDay, type Span, unite } from './device-day.rules.ts'

const daySeconds = 40
const days = 5
const end = daySeconds * days

const span = fc
  .tuple(fc.integer({ min: 0, max: end - 1 }), fc.integer({ min: 1, max: 60 }))
  .map(([from, length]): Span => ({ from, to: from + length }))
const spans = fc.record({
  down: fc.array(span, { maxLength: 6 }),
  planned: fc.array(span, { maxLength: 3 }),
  unknown: fc.array(span, { maxLength: 3 }),
})

const daysOf = (of: DaySpans): DeviceDay[] => {
  const divided: DeviceDay[] = []
  for (let n = 0; n < days; n += 1) {
    const day = { from: n * daySeconds, to: (n + 1) * daySeconds }
    // As the queries read them: what overlaps the day, and what is planned from its last moment on.
    const own = {
      down: of.down.filter(({ from, to }) => from < day.to && to > day.from),
      planned: of.planned.filter(({ from, to }) => from <= day.to && to > day.from),
      unknown: of.unknown.filter(({ from, to }) => from < day.to && to > day.from),
    }
    divided.push(divideDay(day, own, n === 0 ? undefined : divided[n - 1]?.downSince))
  }
  return divided
}

/** Second by second, with no idea of days. */
function plainly({ down, planned, unknown }: DaySpans) {
  const covers = (list: readonly Span[], second: number) =>
    list.some(({ from, to }) => from <= second && second < to)
  /** Whether what is down in this second is the same trouble as in the one before. */
  const goesOn = (second: number) => down.some(({ from, to }) => from < second && second < to)
  const sum = { down: 0, planned: 0, unknown: 0, failures: 0, recovered: [] as number[] }
  let since: number | null = null
  for (let second = 0; second <= end + 60; second += 1) {
    const isPlanned = covers(planned, second)
    const isDown = covers(down, second) && !isPlanned
    if (since !== null && (!isDown || !goesOn(second))) {
      if (second <= end) sum.recovered.push(second - since)
      since = null
    }
    if (isDown && since === null) {
      since = second
      if (second < end) sum.failures += 1
    }
    if (second >= end) continue
    if (isPlanned) sum.planned += 1
    else if (covers(unknown, second)) sum.unknown += 1
    else if (isDown) sum.down += 1
  }
  return sum
}

describe('a time divided day by day', () => {
  test('is the time divided second by second', () => {
    fc.assert(
      fc.property(spans, (of) => {
        const divided = daysOf(of)
        const total = (of: (day: DeviceDay) => number) => divided.reduce((sum, day) => sum + of(day), 0)
        expect({
          down: total(({ down }) => down),
          planned: total(({ planned }) => planned),
          unknown: total(({ unknown }) => unknown),
          failures: total(({ failures }) => failures),
          recovered: divided.flatMap(({ recovered }) => recovered),
        }).toEqual(plainly(of))
      }),
      { numRuns: 2_000 },
    )
  })

  test('leaves no second out and counts none twice', () => {
    fc.assert(
      fc.property(spans, (of) => {
        for (const { down, planned, unknown } of daysOf(of)) {
          expect(Math.min(down, planned, unknown)).toBeGreaterThanOrEqual(0)
          expect(down + planned + unknown).toBeLessThanOrEqual(daySeconds)
        }
      }),
    )
  })
})

test('a failure over midnight is one, and its whole length counts where it ends', () => {
  const down = [{ from: 30, to: 95 }]
  const [first, second, third] = daysOf({ down, planned: [], unknown: [] })
  expect(first).toMatchObject({ down: 10, failures: 1, recovered: [], downSince: 30 })
  expect(second).toMatchObject({ down: 40, failures: 0, recovered: [], downSince: 30 })
  expect(third).toMatchObject({ down: 15, failures: 0, recovered: [65], downSince: null })
})

test('what was there before the first known day is no failure of it', () => {
  const day = { from: 100, to: 140 }
  const down = [{ from: 60, to: 110 }]
  expect(divideDay(day, { down, planned: [], unknown: [] }, undefined)).toMatchObject({
    failures: 0,
    recovered: [50],
  })
  expect(divideDay(day, { down, planned: [], unknown: [] }, null)).toMatchObject({
    failures: 1,
    recovered: [10],
  })
})

test('spans that touch stay apart, and those that overlap are one', () => {
  expect(
    unite([
      { from: 5, to: 9 },
      { from: 1, to: 5 },
      { from: 8, to: 12 },
      { from: 3, to: 3 },
    ]),
  ).toEqual([
    { from: 1, to: 5 },
    { from: 5, to: 12 },
  ])
})
