// A battery's curve equals that of a plain computation over what was reported of it, whatever of that is packed.
import { batterySeriesKeys, type Compartment, formatDateTime } from '@voltkeep/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../../test/database.ts'
import {
  differenceOf,
  type PlainBucket,
  type PlainPoint,
  plainSeries,
} from '../../../../../test/plain-series.ts'
import { statusReport, writeReports } from '../../../../../test/readings.ts'
import type { Actor } from '../../../../platform/calls/actor.ts'
import { createHistoryConsumer } from '../history.intake.ts'
import { dropOldReadings } from '../history.jobs.ts'
import { createKeyBudget } from '../key-budget.ts'
import { makeReadingPartitions } from '../partitions-of-readings.ts'
import { firstNamedId } from '../reading-ids.ts'
import { addUp, sealHours } from '../sealing.ts'
import { createThinning, ordinaryRule } from '../thinning.ts'
import { type BatterySeriesService, type BatteryStay, createBatterySeries } from './battery-series.service.ts'
import { keptReadings } from './kept-readings.ts'

/** Partitions are made for so long before `nowMs`. */
const retention = { rawDays: 70, hourDays: 400, dayYears: 5 }
/** Nothing is too old for its level, however long ago `nowMs` was. */
const unlimited = { rawDays: 36_500, hourDays: 36_500, dayYears: 100 }
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const nowMs = Date.UTC(2026, 4, 20, 5, 23, 40)
const fromMs = nowMs - 40 * dayMs
const everyMs = 5 * minuteMs

/** Where the battery was, and until when; one stay lasts for minutes. */
const way = [
  { deviceId: 3, compartment: 2, startMs: fromMs + 10 * minuteMs, endMs: fromMs + 5 * dayMs + 25 * minuteMs },
  {
    deviceId: 4,
    compartment: 7,
    startMs: fromMs + 7 * dayMs + 12 * hourMs + 5 * minuteMs,
    endMs: fromMs + 20 * dayMs,
  },
  { deviceId: 3, compartment: 2, startMs: nowMs - 9 * dayMs, endMs: nowMs - 9 * dayMs + 25 * minuteMs },
  { deviceId: 3, compartment: 5, startMs: nowMs - 3 * dayMs - 7 * minuteMs, endMs: null },
]
const stays = way.map(
  ({ deviceId, compartment, startMs, endMs }, at): BatteryStay => ({
    id: String(at),
    deviceId,
    deviceCode: `EC${deviceId}`,
    deviceName: null,
    regionName: '',
    compartment,
    startTime: new Date(startMs),
    endTime: endMs === null ? null : new Date(endMs),
    seenTime: new Date(endMs ?? nowMs),
    socIn: null,
    socOut: null,
    isConflict: false,
  }),
)

const actor = { isSystem: true, functionCodes: new Set<string>() } as unknown as Actor
const text = (ms: number) => formatDateTime(new Date(ms))
/** Of a stay: what was reported of the battery. */
const told = new Map<number, Record<'soc' | 'temperature', PlainPoint[]>>()
const deviceTimes = new Map<number, number[]>([
  [3, []],
  [4, []],
])
let database: TestDatabase
let series: BatterySeriesService

beforeAll(async () => {
  database = await createTestDatabase()
  const { pool, owner } = database
  await makeReadingPartitions(owner, {
    at: [new Date(), new Date(nowMs)],
    retention,
  })
  const keys = createKeyBudget({ db: database.db, complain: () => undefined })
  const consumer = createHistoryConsumer({
    keys,
    thinning: createThinning({ isThinning: false, namesOfDevice: 100, firstNamedId }),
    ruleOf: async () => () => () => ordinaryRule,
    count: () => undefined,
  })
  series = createBatterySeries({
    kept: keptReadings(pool, unlimited),
    rulesOf: async () => () => ordinaryRule,
    staysOf: async () => stays.toReversed(),
    retention: unlimited,
  })
  const reports: Parameters<typeof writeReports>[2][number][] = []
  for (const deviceId of [3, 4]) {
    for (let at = fromMs, n = 0; at < nowMs; at += everyMs, n += 1) {
      // Now and then it is silent for some hours.
      if (n % 997 > 970) continue
      const place = way.findIndex(
        (stay) =>
          stay.deviceId === deviceId && stay.startMs <= at && (stay.endMs === null || at < stay.endMs),
      )
      const soc = (n * 7) % 101
      const temperature = 20 + ((n * 3) % 50) / 10
      // Its compartments go on with other batteries before and behind it.
      const compartments: Compartment[] = [2, 5, 7].map((no) => ({ no, soc: 3, temperature: 99 }))
      const stay = way[place]
      if (stay) {
        const mine = { no: stay.compartment, soc, temperature }
        compartments.splice(
          compartments.findIndex(({ no }) => no === mine.no),
          1,
          mine,
        )
        const some = told.get(place) ?? { soc: [], temperature: [] }
        some.soc.push({ atMs: at, value: soc })
        some.temperature.push({ atMs: at, value: temperature })
        told.set(place, some)
      }
      deviceTimes.get(deviceId)?.push(at)
      reports.push(
        statusReport(
          deviceId,
          at,
          {},
          compartments.sort((a, b) => a.no - b.no),
        ),
      )
    }
  }
  const write = async (some: typeof reports) => {
    for (let at = 0; at < some.length; at += 500)
      await writeReports(database, consumer, some.slice(at, at + 500))
  }
  const waiting = reports.filter((_, at) => at % 50 === 0)
  await write(reports.filter((_, at) => at % 50 !== 0))
  const sealing = (now: number) => ({ pool, owner, retention: unlimited, now: new Date(now) })
  await sealHours(sealing(Date.now() + 60 * hourMs))
  await addUp(sealing(nowMs))
  await dropOldReadings({ pool, owner, retention, now: new Date(nowMs) })
  await makeReadingPartitions(owner, { at: [new Date()], retention })
  await write(waiting)
})
afterAll(() => database.close())

/** The curves of the stays one behind the other, with a gap between two that share no stretch. */
function plain(
  key: 'soc' | 'temperature',
  range: { fromMs: number; toMs: number },
  resolution: Parameters<typeof plainSeries>[3],
): PlainBucket[] {
  const whole: PlainBucket[] = []
  for (const [place, { deviceId, startMs, endMs }] of way.entries()) {
    const part = {
      fromMs: Math.max(range.fromMs, startMs),
      toMs: Math.min(range.toMs, endMs ?? Number.POSITIVE_INFINITY),
    }
    if (part.fromMs >= part.toMs) continue
    const points = (told.get(place)?.[key] ?? []).filter(
      ({ atMs }) => atMs >= part.fromMs && atMs < part.toMs,
    )
    const times = (deviceTimes.get(deviceId) ?? []).filter((ms) => ms >= part.fromMs && ms < part.toMs)
    const buckets = plainSeries(points, times, part, resolution)
    const [first] = buckets
    const last = whole.at(-1)
    if (!first) continue
    if (last && last[0] === first[0]) throw new Error('choose stays that share no stretch')
    if (last !== undefined) whole.push(null)
    whole.push(...buckets)
  }
  return whole
}

test.each([
  ['of a day', nowMs - dayMs, nowMs, 300, 'raw'],
  ['of the days around a swap', fromMs + 4 * dayMs, fromMs + 8 * dayMs, 600, 'raw'],
  ['of a stay of minutes', nowMs - 9 * dayMs - hourMs, nowMs - 9 * dayMs + hourMs, 600, 'raw'],
  ['of weeks, with parts of hours', fromMs, nowMs, 2_000, 'raw'],
  ['of weeks, by hours', fromMs - 2 * dayMs, nowMs, 800, 'hour'],
  ['of weeks, by days', fromMs - 2 * dayMs, nowMs, 40, 'day'],
] as const)('the curve %s is that of a plain computation', async (_, from, to, points, level) => {
  const asked = { fromMs: from - (from % 1_000), toMs: to }
  const answer = await series.readBatterySeries(actor, {
    code: 'BT1',
    startTime: text(asked.fromMs),
    endTime: text(asked.toMs - 1_000),
    points,
  })
  expect(answer.level).toBe(level)
  const stepMs = answer.stepSeconds * 1_000
  for (const [place, key] of batterySeriesKeys.entries()) {
    const expected = plain(key, asked, { level, stepMs })
    expect(expected.length).toBeGreaterThan(3)
    expect(differenceOf(answer.series[place]?.points ?? [], expected, 0.11)).toBeNull()
  }
})

test('two stays within one stretch are one point, with the least and the greatest of both', async () => {
  const [first, second] = way
  const around = (first?.endMs ?? 0) - hourMs
  const { series: curves, stepSeconds } = await series.readBatterySeries(actor, {
    code: 'BT1',
    startTime: text(around - 60 * dayMs),
    endTime: text(around + 60 * dayMs),
    points: 10,
  })
  expect(stepSeconds).toBeGreaterThan(86_400)
  const points = curves[0]?.points ?? []
  const times = points.flatMap((point) => (point ? [point[0]] : []))
  expect(new Set(times).size).toBe(times.length)
  const at = points.findIndex((point) => point && point[0] > text(first?.endMs ?? 0)) - 1
  const shared = points[at]
  expect(shared?.[0] && shared[0] < text(first?.endMs ?? 0)).toBe(true)
  const inside = [0, 1].flatMap((place) =>
    (told.get(place)?.soc ?? []).filter(({ atMs }) => {
      const time = text(atMs)
      return (
        shared &&
        time >= shared[0] &&
        atMs < new Date(shared[0].replace(' ', 'T')).getTime() + stepSeconds * 1_000
      )
    }),
  )
  expect(second && inside.some(({ atMs }) => atMs >= second.startMs)).toBe(true)
  expect(shared?.slice(1, 3)).toEqual([
    Math.min(...inside.map(({ value }) => value)),
    Math.max(...inside.map(({ value }) => value)),
  ])
})
