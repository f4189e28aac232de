// Statistics of whole hours and days are of all that was reported in them, also of what waits to be packed.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../../test/database.ts'
import { type Reading, statusReport, writeReports } from '../../../../../test/readings.ts'
import type { StatusConsumer } from '../../../../platform/devices/ingest/reports.ts'
import { createHistoryConsumer } from '../history.intake.ts'
import { dropOldReadings } from '../history.jobs.ts'
import { createKeyBudget, type KeyBudget } from '../key-budget.ts'
import { makeReadingPartitions } from '../partitions-of-readings.ts'
import { firstNamedId } from '../reading-ids.ts'
import { addUp, sealHours } from '../sealing.ts'
import { createThinning, ordinaryRule } from '../thinning.ts'
import { keptReadings } from './kept-readings.ts'

const retention = { rawDays: 100, hourDays: 400, dayYears: 5 }
const hourMs = 3_600_000
const deviceId = 7
/** Of the month before the last one, which is over and can be added up at any time of today. */
const dayStartMs = new Date(new Date().getFullYear(), new Date().getMonth() - 2, 10).getTime()
const noonMs = dayStartMs + 12 * hourMs

let database: TestDatabase
let keys: KeyBudget
let consumer: StatusConsumer

beforeEach(async () => {
  database = await createTestDatabase()
  await makeReadingPartitions(database.owner, { at: [new Date()], retention })
  keys = createKeyBudget({ db: database.db, complain: () => undefined })
  consumer = createHistoryConsumer({
    keys,
    thinning: createThinning({ namesOfDevice: 5, firstNamedId }),
    ruleOf: async () => () => () => ordinaryRule,
    count: () => undefined,
  })
})
afterEach(() => database.close())

const report = (atMs: number, status: Record<string, Reading>) =>
  writeReports(database, consumer, [statusReport(deviceId, atMs, status)])

/** What was reported so far is packed, and an hour of arrival stands for what is reported next. */
async function seal(kept = retention) {
  const { pool, owner } = database
  await sealHours({ pool, owner, retention, now: new Date(Date.now() + 30 * hourMs) })
  await dropOldReadings({ pool, owner, retention: kept })
  await makeReadingPartitions(owner, { at: [new Date()], retention })
}
const addAllUp = () => addUp({ pool: database.pool, owner: database.owner, retention })

/** `a` as `start greatest last`, by the start. */
async function partsOf(which: 'hourParts' | 'dayParts', fromMs: number, toMs: number, kept = retention) {
  const id = keys.idOf('a') as number
  const range = { from: new Date(fromMs), to: new Date(toMs) }
  const { series } = await keptReadings(database.pool, kept)[which](deviceId, new Set([id]), range)
  return series.get(id)?.map(([atMs, { max, last }]) => [atMs, max, last])
}

describe('statistics up to a moment within an hour', () => {
  const toMs = noonMs + hourMs / 2

  test.each([false, true])(
    'have all that waits of this hour, where the day is added up: %s',
    async (isAddedUp) => {
      await report(noonMs + 1, { a: 1 })
      await seal()
      if (isAddedUp) expect((await addAllUp()).days).toBeGreaterThan(0)
      await report(toMs + 1, { a: 9 })
      // An hour later nothing is asked for.
      await report(noonMs + hourMs, { a: 50 })
      expect(await partsOf('hourParts', noonMs, toMs)).toEqual([[noonMs, 9, 9]])
      await seal()
      expect(await partsOf('hourParts', noonMs, toMs)).toEqual([[noonMs, 9, 9]])
    },
  )

  test('have an hour of which everything waits', async () => {
    await report(toMs + 1, { a: 9 })
    expect(await partsOf('hourParts', noonMs, toMs)).toEqual([[noonMs, 9, 9]])
  })
})

test.each([false, true])(
  'statistics up to a moment within a day have all that waits of this day, where the month is added up: %s',
  async (isAddedUp) => {
    await report(noonMs, { a: 1 })
    await seal()
    if (isAddedUp) expect((await addAllUp()).months).toBeGreaterThan(0)
    await report(noonMs + 5 * hourMs, { a: 9 })
    await report(dayStartMs + 24 * hourMs, { a: 50 })
    expect(await partsOf('dayParts', dayStartMs, noonMs + 1)).toEqual([[dayStartMs, 9, 9]])
    await seal()
    expect(await partsOf('dayParts', dayStartMs, noonMs + 1)).toEqual([[dayStartMs, 9, 9]])
  },
)

test('statistics stay what they were where a report waits that is too old to be kept', async () => {
  const short = { ...retention, rawDays: 10 }
  await report(noonMs, { a: 1 })
  await seal()
  await addAllUp()
  await seal(short)
  expect((await database.pool.query('SELECT FROM reading_hour')).rowCount).toBe(0)
  await report(noonMs + 1, { a: 9 })
  expect(await partsOf('hourParts', noonMs, noonMs + 1, short)).toEqual([[noonMs, 1, 1]])
  expect(await partsOf('dayParts', dayStartMs, noonMs, short)).toEqual([[dayStartMs, 1, 1]])
})
