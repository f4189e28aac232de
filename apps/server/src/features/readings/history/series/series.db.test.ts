// Curves equal those of a plain computation over all that was kept, whatever of it is packed, added up, late or waits.

import { formatDateTime } from '@voltkeep/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../../test/database.ts'
import { times } from '../../../../../test/long.ts'
import { differenceOf, type PlainPoint, plainSeries } from '../../../../../test/plain-series.ts'
import { statusReport, writeReports } from '../../../../../test/readings.ts'
import type { Actor } from '../../../../platform/calls/actor.ts'
import { createHistoryConsumer } from '../history.intake.ts'
import { dropOldReadings } from '../history.jobs.ts'
import { createKeyBudget } from '../key-budget.ts'
import { unpackReport } from '../packing/index.ts'
import { makeReadingPartitions } from '../partitions-of-readings.ts'
import { firstNamedId } from '../reading-ids.ts'
import { addUp, sealHours } from '../sealing.ts'
import { createThinning, ordinaryRule } from '../thinning.ts'
import { keptReadings } from './kept-readings.ts'
import { wordsBy } from './reading-words.ts'
import { createSeries, type SeriesService } from './series.service.ts'

/** Partitions are made for so long before `nowMs`. */
const retention = { rawDays: 70, hourDays: 400, dayYears: 5 }
/** Nothing is too old for its level, however long ago `nowMs` was. */
const unlimited = { rawDays: 36_500, hourDays: 36_500, dayYears: 100 }
const hourMs = 3_600_000
const dayMs = 86_400_000
const deviceIds = [3, 4, 5]
const names = ['a', 'b', 'c']
const runs = times(200, 1_000)

/** Always the same numbers: a failure can be repeated. */
function chances(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 4_294_967_296
  }
}

let database: TestDatabase
let series: SeriesService
/** `device key` → the kept values by time; the first acknowledged of a time counts. */
const plain = new Map<string, Map<number, number>>()
const deviceTimes = new Map<number, Set<number>>()
/** The reports end here. Always the same moment, within an hour and a month, so that a seed repeats a failure. */
const nowMs = Date.UTC(2026, 4, 20, 5, 23, 41, 370)

describe('curves', () => {
  beforeAll(async () => {
    database = await createTestDatabase()
    const { pool, owner } = database
    // Reports arrive by the database's clock, whatever their own time is.
    await makeReadingPartitions(owner, { at: [new Date(), new Date(nowMs)], retention })
    const keys = createKeyBudget({ db: database.db, complain: () => undefined })
    const consumer = createHistoryConsumer({
      keys,
      thinning: createThinning({ namesOfDevice: 100, firstNamedId }),
      ruleOf: async () => () => () => ordinaryRule,
      count: () => undefined,
    })
    series = createSeries({
      db: database.db,
      kept: keptReadings(pool, unlimited),
      findCode: async () => 'EC1',
      rulesOf: async () => () => ordinaryRule,
      wordsOf: async () => wordsBy([]),
      retention: unlimited,
    })

    /** What waits in the open table is what a plain list has; read before it is packed. */
    const note = async () => {
      const { rows } = await pool.query<{ device_id: number; at: Date; body: Buffer }>(
        'SELECT device_id, at, body FROM reading_open ORDER BY arrived_at, ctid',
      )
      for (const { device_id: device, at, body } of rows) {
        const { ids, values } = unpackReport(body)
        deviceTimes.set(device, (deviceTimes.get(device) ?? new Set()).add(at.getTime()))
        for (const [place, id] of ids.entries()) {
          const of = `${device} ${keys.nameOf(id)}`
          const points = plain.get(of) ?? new Map<number, number>()
          if (!points.has(at.getTime())) points.set(at.getTime(), Number(values[place]))
          plain.set(of, points)
        }
      }
    }
    const sealing = (now: number) => ({ pool, owner, retention: unlimited, now: new Date(now) })
    const seal = () => sealHours(sealing(Date.now() + 60 * hourMs))

    const chance = chances(7)
    const reports: [deviceId: number, atMs: number, status: Record<string, number | boolean>][] = []
    for (const device of deviceIds) {
      let level = 50
      // One reports every five minutes or so, one every twenty, one every two hours; now and then one is silent.
      const everyMs = [300_000, 1_200_000, 2 * hourMs][deviceIds.indexOf(device)] as number
      const fromMs = nowMs - (everyMs === 300_000 ? 9 : 65) * dayMs
      for (let at = fromMs; at < nowMs; at += everyMs + Math.floor(chance() * 2_000)) {
        if (chance() < 0.01) at += chance() * 20 * hourMs
        level += Math.round((chance() - 0.5) * 4) / 10
        const a = Math.round(level * 10) / 10
        if (at < nowMs) reports.push([device, Math.floor(at), { a, b: chance() < 0.1, c: Math.floor(level) }])
      }
    }
    const write = async (some: typeof reports) => {
      for (let at = 0; at < some.length; at += 500) {
        const batch = some
          .slice(at, at + 500)
          .map(([device, atMs, status]) => statusReport(device, atMs, status))
        await writeReports(database, consumer, batch)
      }
    }
    const late = new Set(reports.filter(() => chance() < 0.1))
    const waiting = new Set(reports.filter((report) => !late.has(report) && chance() < 0.02))
    await write(reports.filter((report) => !late.has(report) && !waiting.has(report)))
    await note()
    await seal()
    await addUp(sealing(nowMs))
    // Some of what is late says something else of a time that is packed already.
    const contradicting = reports
      .slice(0, 50)
      .map(([device, atMs]) => [device, atMs, { a: -1 }] as (typeof reports)[number])
    await write([...late, ...contradicting])
    await note()
    await dropOldReadings({ pool, owner, retention, now: new Date(nowMs) })
    await makeReadingPartitions(owner, { at: [new Date()], retention })
    await seal()
    await dropOldReadings({ pool, owner, retention, now: new Date(nowMs) })
    await makeReadingPartitions(owner, { at: [new Date()], retention })
    await write([...waiting])
    await note()
  })
  afterAll(() => database.close())

  const actor = { isSystem: true, functionCodes: new Set<string>() } as unknown as Actor
  const text = (ms: number) => formatDateTime(new Date(ms))

  test('of any reading, range and number of points equal those of a plain computation', async () => {
    const levels = new Set<string>()
    let stretches = 0
    let gaps = 0
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...deviceIds),
        fc.constantFrom(...names),
        fc.integer({ min: 0, max: 66 * 86_400 }),
        fc.oneof(
          fc.integer({ min: 600, max: 86_400 }),
          fc.integer({ min: 600, max: 10 * 86_400 }),
          fc.integer({ min: 600, max: 66 * 86_400 }),
        ),
        fc.constantFrom(10, 60, 600),
        async (device, key, backS, lengthS, points) => {
          const fromMs = Math.floor(nowMs / 1_000) * 1_000 - backS * 1_000
          const toMs = fromMs + lengthS * 1_000
          const answer = await series.readSeries(actor, {
            id: String(device),
            keys: [key],
            startTime: text(fromMs),
            // An end includes its second.
            endTime: text(toMs - 1_000),
            points,
          })
          const { level, stepSeconds } = answer
          levels.add(level)
          const kept: PlainPoint[] = [...(plain.get(`${device} ${key}`) ?? [])]
            .map(([atMs, value]) => ({ atMs, value }))
            .sort((a, b) => a.atMs - b.atMs)
          const times = [...(deviceTimes.get(device) ?? [])].sort((a, b) => a - b)
          const expected = plainSeries(kept, times, { fromMs, toMs }, { level, stepMs: stepSeconds * 1_000 })
          stretches += expected.length
          gaps += expected.filter((one) => one === null).length
          expect(differenceOf(answer.series[0]?.points ?? [], expected, 0.11)).toBeNull()
        },
      ),
      { numRuns: runs, seed: 2, endOnFailure: true },
    )
    expect(levels).toEqual(new Set(['raw', 'hour', 'day']))
    expect(stretches).toBeGreaterThan(5 * runs)
    expect(gaps).toBeGreaterThan(runs / 10)
    const { rows } = await database.pool.query(
      'SELECT (SELECT count(*)::int FROM reading_open) AS open, (SELECT count(*)::int FROM reading_day) AS days, (SELECT count(*)::int FROM reading_month) AS months',
    )
    expect(Math.min(...Object.values(rows[0] as Record<string, number>))).toBeGreaterThan(0)
  })
})
