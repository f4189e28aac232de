// Packed readings come back as they were, and take as little room as the history promises.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  combined,
  HourMerge,
  type HourPoints,
  type HourReport,
  hourLimits,
  mergeHour,
  openHour,
  packHour,
  packReport,
  packSlots,
  type ReadingValue,
  type Slots,
  statisticsOf,
  unpackHour,
  unpackReport,
  unpackSlots,
} from './index.ts'

const value: fc.Arbitrary<ReadingValue> = fc.oneof(
  fc.boolean(),
  fc.integer({ min: -100_000, max: 100_000 }),
  fc.integer({ min: -1_000_000, max: 1_000_000 }).map((n) => n / 100),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(-0, 0, 0.1 + 0.2, 2 ** 60, 1e-9, Number.MAX_SAFE_INTEGER, 123_456.789_012_3),
)
const id = fc.integer({ min: 1, max: 3_000 })
const report: fc.Arbitrary<HourReport> = fc
  .record({
    time: fc.integer({ min: 0, max: 3_599_999 }),
    readings: fc.uniqueArray(fc.tuple(id, value), { selector: ([key]) => key, maxLength: 12 }),
  })
  .map(({ time, readings }) => ({
    time,
    ids: readings.map(([key]) => key),
    values: readings.map(([, given]) => given),
  }))

describe('a report', () => {
  test('comes back as it was, whatever its values', () => {
    fc.assert(
      fc.property(report, ({ ids, values }) => {
        expect(unpackReport(packReport(ids, values, ids.length))).toStrictEqual({ ids, values })
      }),
    )
  })

  test('of 66 readings is a few hundred bytes', () => {
    const ids = Array.from({ length: 66 }, (_, n) => n + 1)
    expect(
      packReport(
        ids,
        ids.map((n) => n / 10 + 30),
        66,
      ).length,
    ).toBeLessThan(280)
  })

  test('of a version that nobody knows is refused', () => {
    expect(() => unpackReport(Buffer.of(9, 1, 2))).toThrow('unknown version 9')
  })
})

describe('an hour', () => {
  const plainly = (reports: readonly HourReport[]) => {
    const plain = new Map<string, ReadingValue>()
    for (const { time, ids, values } of reports)
      for (const [index, key] of ids.entries()) {
        const place = `${key} ${time}`
        if (!plain.has(place)) plain.set(place, values[index] as ReadingValue)
      }
    return plain
  }
  const listed = ({ times, series }: HourPoints) =>
    new Map(
      [...series].flatMap(([key, values]) =>
        values.flatMap((given, at) => (given === null ? [] : [[`${key} ${times[at]}`, given] as const])),
      ),
    )

  test('comes back as it was: the first value for a reading and a time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(report, { maxLength: 40 }), async (reports) => {
        expect(listed(unpackHour(await packHour(mergeHour(null, reports))))).toStrictEqual(plainly(reports))
      }),
    )
  })

  test('that is opened again for late reports is the same as one that got them all at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(report, { maxLength: 20 }),
        fc.array(report, { maxLength: 20 }),
        async (first, late) => {
          const reopened = mergeHour(unpackHour(await packHour(mergeHour(null, first))), late)
          expect(listed(unpackHour(await packHour(reopened)))).toStrictEqual(plainly([...first, ...late]))
        },
      ),
    )
  })

  test('into which the same reports are put again is the same to the byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(report, { maxLength: 20 }), async (reports) => {
        const once = await packHour(mergeHour(null, reports))
        expect((await packHour(mergeHour(unpackHour(once), reports))).equals(once)).toBe(true)
      }),
    )
  })

  test('answers the wanted readings alone', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(report, { maxLength: 20 }),
        fc.uniqueArray(id, { maxLength: 3 }),
        async (reports, some) => {
          const block = await packHour(mergeHour(null, reports))
          const wanted = new Set([...some, ...reports.flatMap(({ ids }) => ids.slice(0, 1))])
          const all = listed(unpackHour(block))
          const few = listed(unpackHour(block, wanted))
          expect(few).toStrictEqual(
            new Map([...all].filter(([place]) => wanted.has(Number.parseInt(place, 10)))),
          )
        },
      ),
    )
  })

  test('that is large is the same when it gives way while it is packed', async () => {
    const reports = Array.from({ length: 3_000 }, (_, n) => ({
      time: (n * 7_919) % 3_600_000,
      ids: [1, 2 + (n % 50), 99],
      values: [n / 7, n % 3 === 0, n],
    }))
    let turns = 0
    const giveWay = () => {
      turns += 1
      return Promise.resolve()
    }
    const block = await packHour(mergeHour(null, reports), giveWay)
    expect(turns).toBeGreaterThan(50)
    expect(block.equals(await packHour(mergeHour(null, reports)))).toBe(true)
    expect(listed(unpackHour(block))).toStrictEqual(plainly(reports))
    const { times, series } = await openHour(block)
    expect(listed({ times, series: new Map(series) })).toStrictEqual(plainly(reports))
  })

  test('takes no report beyond its limits, and none that was beyond them when it is put in again', async () => {
    const { times, places } = hourLimits
    const often = new HourMerge(null)
    const taken = Array.from({ length: times + 5 }, (_, time) =>
      often.add({ time, ids: [1], values: [time] }),
    )
    expect(taken.filter(Boolean).length).toBe(times)
    expect(often.add({ time: 3, ids: [2], values: [7] })).toBe(true)

    const readings = 1_000
    const reports = Array.from({ length: 2 * (places / readings) }, (_, n) => ({
      time: n,
      ids: [n % readings],
      values: [n],
    }))
    const wide = mergeHour(null, reports)
    expect(wide.times.length * wide.series.size).toBeLessThanOrEqual(places)
    const once = await packHour(wide)
    expect((await openHour(once)).isLarge).toBe(false)
    const again = new HourMerge(unpackHour(once))
    expect(reports.filter((one) => again.add(one)).length).toBe(wide.times.length)
    expect((await packHour(again.points())).equals(once)).toBe(true)
  })

  test('of an honest device is within its limits', () => {
    for (const [readings, everyMs] of [
      [170, 1_000],
      [748, 3_000],
    ] as const) {
      const ids = Array.from({ length: readings }, (_, n) => n + 1)
      const hour = new HourMerge(null)
      for (let time = 0; time < 3_600_000; time += everyMs)
        expect(hour.add({ time, ids, values: ids })).toBe(true)
    }
  })

  test('that is cut short is refused', async () => {
    const block = await packHour(mergeHour(null, [{ time: 5, ids: [1, 2], values: [1.5, 2.5] }]))
    expect(() => unpackHour(block.subarray(0, 4))).toThrow()
    expect(() => unpackHour(Buffer.of(7))).toThrow('unknown version 7')
  })
})

describe('statistics', () => {
  const statistics = fc
    .array(fc.integer({ min: -50_000, max: 50_000 }), { minLength: 1, maxLength: 9 })
    .chain((values) =>
      fc.constantFrom(1, 10, 1_000).map((unit) => {
        const times = values.map((_, at) => at * 300_000)
        return statisticsOf(
          times,
          values.map((given) => given / unit),
          3_600_000,
        )
      }),
    )
  const slots: fc.Arbitrary<Slots> = fc
    .uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 24 })
    .map((some) => some.sort((a, b) => a - b))
    .chain((places) =>
      fc
        .uniqueArray(
          fc.tuple(
            id,
            fc.array(fc.option(statistics), { minLength: places.length, maxLength: places.length }),
          ),
          { selector: ([key]) => key, maxLength: 6 },
        )
        .map((series) => ({
          slots: places,
          series: new Map(series.filter(([, all]) => all.some((one) => one !== null))),
          switches: new Set<number>(),
        })),
    )

  test('come back exactly, a mean to half of its last decimal', () => {
    fc.assert(
      fc.property(slots, (given) => {
        const back = unpackSlots(packSlots(given))
        expect(back.slots).toStrictEqual(given.slots)
        expect([...back.series.keys()].sort()).toStrictEqual([...given.series.keys()].sort())
        for (const [key, all] of given.series) {
          for (const [at, one] of all.entries()) {
            const other = back.series.get(key)?.[at] ?? null
            if (!one || !other) {
              expect(other).toBe(one)
              continue
            }
            expect({ ...other, mean: 0 }).toStrictEqual({ ...one, mean: 0 })
            expect(Math.abs(other.mean - one.mean)).toBeLessThanOrEqual(0.05 + 1e-9)
          }
        }
      }),
    )
  })

  test('of numbers that do not scale come back exactly', () => {
    const odd = { min: 0.1 + 0.2, max: 1e300, mean: Math.PI, last: -0, quarters: 3 }
    const series = new Map([[4, [odd, null]]])
    expect(unpackSlots(packSlots({ slots: [0, 23], series, switches: new Set() })).series).toStrictEqual(
      series,
    )
  })

  test('of a switch say which share of the time it was on', () => {
    const on = statisticsOf([0, 900_000], [true, false], 3_600_000)
    expect(on).toStrictEqual({ min: 0, max: 1, mean: 0.25, last: 0, quarters: 2 })
    const packed = packSlots({ slots: [7], series: new Map([[9, [on]]]), switches: new Set([9]) })
    const back = unpackSlots(packed)
    expect(back.series.get(9)).toStrictEqual([on])
    expect(back.switches).toStrictEqual(new Set([9]))
  })

  test('weigh a value by the time that it held, within an hour and over hours', () => {
    const first = statisticsOf([0, 1_800_000], [10, 20], 3_600_000)
    const second = statisticsOf([2_700_000], [60], 3_600_000)
    expect(first?.mean).toBe(15)
    expect(combined([first, null, second])).toStrictEqual({
      min: 10,
      max: 60,
      mean: (15 * 2 + 60) / 3,
      last: 60,
      quarters: 3,
    })
    expect(combined([null, null])).toBeNull()
  })

  test('answer the wanted readings alone', () => {
    fc.assert(
      fc.property(slots, (given) => {
        const wanted = new Set([...given.series.keys()].slice(0, 2))
        const all = unpackSlots(packSlots(given)).series
        expect(unpackSlots(packSlots(given), wanted).series).toStrictEqual(
          new Map([...all].filter(([key]) => wanted.has(key))),
        )
      }),
    )
  })
})
