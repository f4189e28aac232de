// The history of readings on a real database: what was acknowledged is packed once, whenever it came and whatever was
// interrupted.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { type Reading, statusReport, writeReports } from '../../../../test/readings.ts'
import type { StatusConsumer } from '../../../platform/devices/ingest/reports.ts'
import { dayOf } from '../../../platform/process/clock.ts'
import { createHistoryConsumer } from './history.intake.ts'
import { dropOldReadings } from './history.jobs.ts'
import { createKeyBudget, type KeyBudget, keyLimits } from './key-budget.ts'
import { hourLimits, packHour, packReport, unpackHour, unpackSlots } from './packing/index.ts'
import { makeReadingPartitions } from './partitions-of-readings.ts'
import { firstNamedId } from './reading-ids.ts'
import { addUp, type Sealing, type SealingPoint, sealHours } from './sealing.ts'
import { createThinning, ordinaryRule, type Thinned } from './thinning.ts'

const retention = { rawDays: 30, hourDays: 400, dayYears: 5 }
const hourMs = 3_600_000
const dayMs = 86_400_000

let database: TestDatabase
let keys: KeyBudget
let consumer: StatusConsumer
let counted: Thinned

const freshConsumer = (limits = keyLimits) => {
  keys = createKeyBudget({ db: database.db, limits, complain: () => undefined })
  return createHistoryConsumer({
    keys,
    thinning: createThinning({ namesOfDevice: 5, firstNamedId }),
    ruleOf: async () => () => () => ordinaryRule,
    count: ({ kept, thinned, refused }) => {
      counted.kept += kept
      counted.thinned += thinned
      counted.refused += refused
    },
  })
}
beforeEach(async () => {
  database = await createTestDatabase()
  counted = { kept: 0, thinned: 0, refused: 0 }
  consumer = freshConsumer()
})
afterEach(() => database.close())

/** The start of an hour of the recent past, so that reports of it and of its neighbours are plausible. */
const baseMs = Math.floor(Date.now() / hourMs) * hourMs - 5 * hourMs
const later = (hours: number) => new Date(Date.now() + hours * hourMs)
const sealing = (more: Partial<Sealing> = {}): Sealing => ({
  pool: database.pool,
  owner: database.owner,
  retention,
  now: later(2),
  ...more,
})
const report = (deviceId: number, atMs: number, status: Record<string, Reading>) =>
  writeReports(database, consumer, [statusReport(deviceId, atMs, status)])
const rows = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await database.pool.query(text, values)).rows as Row[]

/** Every packed point as `device key time value`. */
async function packed(): Promise<string[]> {
  const names = new Map(
    (await rows<{ id: number; key: string }>('SELECT id, key FROM reading_key')).map((r) => [r.id, r.key]),
  )
  const blocks = await rows<{ device_id: number; hour: Date; block: Buffer }>(
    'SELECT device_id, to_timestamp(hour * 3600.0) AS hour, block FROM reading_hour',
  )
  return blocks
    .flatMap(({ device_id, hour, block }) => {
      const { times, series } = unpackHour(block)
      return [...series].flatMap(([id, values]) =>
        values.flatMap((value, at) =>
          value === null
            ? []
            : [
                `${device_id} ${names.get(id) ?? id} ${hour.getTime() + (times[at] as number) - baseMs} ${value}`,
              ],
        ),
      )
    })
    .toSorted()
}
const openCount = async () => (await rows<{ n: number }>('SELECT count(*)::int AS n FROM reading_open'))[0]?.n

describe('what devices report', () => {
  test('is packed when its hour of arrival is over, by the hour of its own time, and leaves the open table', async () => {
    await report(7, baseMs + 10, { a: 1.5, b: true, c: 'text' })
    await report(7, baseMs + hourMs + 20, { a: 2, b: false })
    await report(9, baseMs + 30, { a: -7 })
    expect(await sealHours(sealing({ now: new Date() }))).toMatchObject({ reports: 0 })
    expect(await openCount()).toBe(3)
    expect(await sealHours(sealing())).toMatchObject({ reports: 3, expired: 0 })
    expect(await packed()).toEqual(
      [
        `7 a 10 1.5`,
        `7 a ${hourMs + 20} 2`,
        `7 b 10 true`,
        `7 b ${hourMs + 20} false`,
        `9 a 30 -7`,
      ].toSorted(),
    )
    expect(await openCount()).toBe(0)
  })

  test('of compartments is packed by field and number', async () => {
    const compartments = [
      { no: 64, isLocked: true, state: 'full' as const, batteryCode: 'B1' },
      { no: 2, soc: 80, temperature: 31.5 },
    ]
    await writeReports(database, consumer, [statusReport(7, baseMs, {}, compartments)])
    await sealHours(sealing())
    expect(await packed()).toEqual(['7 2 0 80', '7 258 0 31.5', '7 448 0 true'])
  })

  test('of a time that is kept no longer is left out and counted', async () => {
    await report(7, Date.now() - 31 * dayMs, { a: 1 })
    await report(7, Date.now() - 29 * dayMs, { a: 2 })
    expect(await sealHours(sealing())).toMatchObject({ reports: 2, expired: 1 })
    expect((await packed()).map((line) => line.at(-1))).toEqual(['2'])
  })

  test('that says something else of a time that has a value already changes nothing', async () => {
    await report(7, baseMs, { a: 1 })
    await report(7, baseMs, { a: 2, b: 3 })
    await sealHours(sealing())
    expect(await packed()).toEqual(['7 a 0 1', '7 b 0 3'])
    consumer = freshConsumer()
    await report(7, baseMs, { a: 4, b: 5, c: 6 })
    await sealHours(sealing({ now: later(3) }))
    await reopen()
    await sealHours(sealing({ now: later(3) }))
    expect(await packed()).toEqual(['7 a 0 1', '7 b 0 3', '7 c 0 6'])
  })

  test('and has not changed is kept once in each quarter of an hour', async () => {
    const quarterMs = 900_000
    for (let tick = 0; tick < 1_200; tick += 1)
      await report(7, baseMs + tick * 3_000, { a: 5, b: tick === 700 ? 1 : 0 })
    await sealHours(sealing())
    const quarters = [0, 1, 2, 3].map((n) => n * quarterMs)
    expect(await packed()).toEqual(
      [
        ...quarters.map((at) => `7 a ${at} 5`),
        ...quarters.map((at) => `7 b ${at} 0`),
        `7 b ${700 * 3_000} 1`,
        `7 b ${701 * 3_000} 0`,
      ].toSorted(),
    )
    expect(counted).toEqual({ kept: 10, thinned: 2_390, refused: 0 })
    expect(await openCount()).toBe(0)
  })

  test('in a transaction that failed is kept when it comes again', async () => {
    await report(7, baseMs, { a: 1 })
    const lost = [statusReport(7, baseMs + 1_000, { a: 2 })]
    const failing: StatusConsumer = {
      name: 'failing',
      async write(connection, reports) {
        await consumer.write(connection, reports)
        throw new Error('no commit')
      },
    }
    await expect(writeReports(database, failing, lost)).rejects.toThrow('no commit')
    await writeReports(database, consumer, lost)
    await report(7, baseMs + 2_000, { a: 1 })
    await sealHours(sealing())
    expect(await packed()).toEqual(['7 a 0 1', '7 a 1000 2', '7 a 2000 1'])
  })

  test('under more names than a device may have is left out and counted', async () => {
    await report(7, baseMs, { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 })
    expect(counted).toEqual({ kept: 5, thinned: 0, refused: 1 })
  })
})

/** As if reports had come to hours of arrival that are done: the job looks for them before it drops. */
const reopen = (kept = retention) =>
  dropOldReadings({ pool: database.pool, owner: database.owner, retention: kept, now: new Date() })

/** Its code is text, since it runs outside of the test runner. */
const sealInThread = `
  const { parentPort, workerData } = require('node:worker_threads')
  const main = async () => {
    const { url, retention, nowMs } = workerData
    const { openDatabase } = await import(workerData.database)
    const { sealHours } = await import(workerData.sealing)
    const database = await openDatabase({ url, zone: 'Asia/Shanghai', poolSize: 2 })
    const { pool } = database
    const owning = await openDatabase({ url: workerData.ownerUrl, zone: 'Asia/Shanghai', poolSize: 2 })
    const sealed = await sealHours({ pool, owner: owning.pool, retention, now: new Date(nowMs) })
    await database.close()
    await owning.close()
    parentPort.postMessage(sealed)
  }
  main()`

describe('packing', () => {
  test('a device with more reports than a portion takes it whole', async () => {
    const many = Array.from({ length: 2_500 }, (_, n) => statusReport(7, baseMs + n, { a: n }))
    await writeReports(database, consumer, [...many, statusReport(8, baseMs, { a: 1 })])
    expect(await sealHours(sealing())).toMatchObject({ reports: 2_501 })
    expect((await packed()).length).toBe(2_501)
  })

  test('of a device whose reports of an hour take more memory than there is gets past it, and keeps what it had', {
    timeout: 120_000,
  }, async () => {
    await report(9, baseMs, { a: 1 })
    await sealHours(sealing())
    // As intake before there were limits has left them: one changing reading of 748 in each.
    const bodies = Array.from({ length: 748 }, (_, n) => packReport([n + 1], [n], 1))
    await database.pool.query(
      `INSERT INTO reading_open (device_id, arrived_at, at, body)
       SELECT 8, now(), $1::timestamptz + n * interval '20 ms', ($2::bytea[])[1 + n % 748]
       FROM generate_series(0, 59999) n`,
      [new Date(baseMs), bodies],
    )
    await report(7, baseMs, { a: 1 })
    await report(9, baseMs + 1, { a: 2 })
    await reopen()
    const thread = new Worker(sealInThread, {
      eval: true,
      workerData: {
        url: database.url,
        ownerUrl: database.ownerUrl,
        database: new URL('../../../platform/database/database.ts', import.meta.url).href,
        sealing: new URL('./sealing.ts', import.meta.url).href,
        retention,
        nowMs: later(3).getTime(),
      },
      resourceLimits: { maxOldGenerationSizeMb: 128 },
    })
    const [sealed] = await once(thread, 'message')
    const { times } = hourLimits
    const most = Math.floor(hourLimits.places / 748)
    expect(most).toBeLessThan(times)
    expect(sealed).toMatchObject({ reports: 60_002, refused: 60_000 - most, crowded: new Set([8]) })
    expect((await packed()).filter((line) => !line.startsWith('8 '))).toEqual([
      '7 a 0 1',
      '9 a 0 1',
      '9 a 1 2',
    ])
    expect((await packed()).filter((line) => line.startsWith('8 ')).length).toBe(most)
    expect(await openCount()).toBe(0)
  })

  test('of a block that was packed before there were limits leaves it as it is', async () => {
    const times = Array.from({ length: hourLimits.times + 1 }, (_, time) => time)
    const block = await packHour({ times, series: new Map([[1, times]]) })
    await rows('INSERT INTO reading_hour (device_id, hour, block) VALUES (7, $1, $2)', [
      baseMs / hourMs,
      block,
    ])
    await report(7, baseMs, { a: 1 })
    expect(await sealHours(sealing())).toMatchObject({ reports: 1, refused: 1, crowded: new Set([7]) })
    expect((await packed()).length).toBe(times.length)
  })

  test('keeps all of what a device has stored for days and delivers within an hour', async () => {
    const hours = 3 * 24
    const firstMs = baseMs - hours * hourMs
    const body = (n: number) => packReport([1, 2, 3], [n, n / 10, n % 2 === 0], 3)
    const bodies = Array.from({ length: 1_200 }, (_, n) => body(n))
    // Not in the order of time.
    await database.pool.query(
      `INSERT INTO reading_open (device_id, arrived_at, at, body)
       SELECT 8, now(), $1::timestamptz + h * interval '1 hour' + n * interval '3 s', ($3::bytea[])[1 + n]
       FROM generate_series(0, 1199) n, generate_series(0, $2 - 1) h`,
      [new Date(firstMs), hours, bodies],
    )
    const at = async (point: SealingPoint) => {
      if (point === 'advanced') throw new Error('broken off')
    }
    await expect(sealHours(sealing({ at }))).rejects.toThrow('broken off')
    expect(await sealHours(sealing())).toMatchObject({ reports: hours * 1_200, refused: 0, expired: 0 })
    const found = await packed()
    expect(found.length).toBe(hours * 1_200 * 3)
    expect(new Set(found).size).toBe(found.length)
  })

  test('is done again for a report that came while it was at its end', async () => {
    await report(7, baseMs, { a: 1 })
    let isLate = true
    const at = async (point: SealingPoint) => {
      if (point !== 'committed' || !isLate) return
      isLate = false
      await report(3, baseMs, { a: 9 })
    }
    await sealHours(sealing({ at }))
    expect(await packed()).toEqual(['3 a 0 9', '7 a 0 1'])
    expect(await openCount()).toBe(0)
  })

  const points: SealingPoint[] = ['read', 'merged', 'written', 'advanced', 'committed', 'emptied', 'ended']
  test.each(points)('that breaks off at %s loses nothing and doubles nothing', async (point) => {
    for (let device = 1; device <= 3; device += 1) {
      const many = Array.from({ length: 1_000 }, (_, n) => statusReport(device, baseMs + n * 1_000, { a: n }))
      await writeReports(database, consumer, many)
    }
    for (let times = 1; times <= 3; times += 1) {
      let left = times
      const at = async (now: SealingPoint) => {
        if (now !== point) return
        left -= 1
        if (left === 0) throw new Error('broken off')
      }
      await sealHours(sealing({ at })).catch((error) => expect(error.message).toBe('broken off'))
    }
    await sealHours(sealing())
    expect((await packed()).length).toBe(3_000)
    expect(await openCount()).toBe(0)
  })
})

describe('statistics', () => {
  const zonedDay = (atMs: number) => {
    const at = new Date(atMs)
    return new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime()
  }
  const dayStartMs = zonedDay(Date.now()) - 3 * dayMs
  const blocksOf = async (table: 'reading_day' | 'reading_month') =>
    (
      await rows<{ device_id: number; block: Buffer }>(`SELECT device_id, block FROM ${table} ORDER BY 1, 2`)
    ).map(({ device_id, block }) => ({ device: device_id, ...unpackSlots(block) }))

  test('of a day are there when it is over, and follow what comes late', async () => {
    await report(7, dayStartMs, { a: 10 })
    await report(7, dayStartMs + hourMs / 2, { a: 20 })
    await report(7, dayStartMs + 5 * hourMs, { a: 4 })
    await sealHours(sealing())
    expect(await addUp(sealing())).toMatchObject({ days: 3 })
    const id = keys.idOf('a') as number
    expect(await blocksOf('reading_day')).toMatchObject([
      {
        device: 7,
        slots: [0, 5],
        series: new Map([
          [
            id,
            [
              { min: 10, max: 20, mean: 15, last: 20, quarters: 2 },
              { min: 4, max: 4, mean: 4, last: 4, quarters: 1 },
            ],
          ],
        ]),
      },
    ])
    await report(7, dayStartMs + hourMs / 4, { a: 40 })
    await report(8, dayStartMs, { a: 1 })
    await reopen()
    await sealHours(sealing({ now: later(3) }))
    const [late, other] = await blocksOf('reading_day')
    expect(late?.series.get(id)?.[0]).toEqual({ min: 10, max: 40, mean: 22.5, last: 20, quarters: 3 })
    expect(other?.device).toBe(8)
  })

  test('of a day keep their hours when something comes late as its values begin to go', async () => {
    await report(7, dayStartMs + hourMs, { a: 1 })
    await sealHours(sealing())
    await addUp(sealing())
    const now = new Date(dayStartMs + retention.rawDays * dayMs + 12 * hourMs)
    await dropOldReadings({ pool: database.pool, owner: database.owner, retention, now })
    await makeReadingPartitions(database.owner, { at: [new Date()], retention })
    await report(7, dayStartMs + 13 * hourMs, { a: 5 })
    expect(await sealHours(sealing({ now }))).toMatchObject({ reports: 1, expired: 0 })
    expect((await blocksOf('reading_day')).map(({ slots }) => slots)).toEqual([[1, 13]])
  })

  test('of a day whose values are gone stay when values are kept for longer from then on', async () => {
    const few = { ...retention, rawDays: 7 }
    const goneMs = zonedDay(Date.now()) - 20 * dayMs
    await report(7, goneMs + hourMs, { a: 1 })
    await sealHours(sealing())
    await addUp(sealing())
    const [before] = await blocksOf('reading_day')
    expect(before?.slots).toEqual([1])
    await reopen(few)
    expect((await packed()).length).toBe(0)
    await makeReadingPartitions(database.owner, { at: [new Date()], retention })
    await report(7, goneMs + 13 * hourMs, { a: 5 })
    await report(8, zonedDay(Date.now()) - 6 * dayMs, { a: 6 })
    await reopen()
    expect(await sealHours(sealing({ now: later(3) }))).toMatchObject({ reports: 2, expired: 1 })
    await addUp(sealing({ now: later(3) }))
    expect(await blocksOf('reading_day')).toMatchObject([before, { slots: [0] }])
    const gone = async () =>
      (await rows<{ of: string }>('SELECT max(of)::text AS of FROM reading_rollup WHERE hours_gone'))[0]?.of
    expect(await gone()).toBe(dayOf(new Date(zonedDay(Date.now() - 7 * dayMs) - dayMs)))

    // An installation of before that was said: what it has no values of, and the day of which it has only a part.
    await rows('UPDATE reading_rollup SET hours_gone = false')
    const migration = await readFile(
      new URL('../../../../migrations/0142_hours_gone.sql', import.meta.url),
      'utf8',
    )
    await database.owner.query(migration.slice(migration.indexOf('DO $$')))
    const firstKeptMs = Math.floor((zonedDay(Date.now()) - 6 * dayMs) / dayMs) * dayMs
    expect(await gone()).toBe(dayOf(new Date(firstKeptMs - 1)))
  })

  test('of a month are there when its days are, and follow what comes late', async () => {
    const wide = { rawDays: 70, hourDays: 400, dayYears: 5 }
    await makeReadingPartitions(database.owner, { at: [new Date()], retention: wide })
    const lastMonth = new Date(new Date().getFullYear(), new Date().getMonth() - 1, 10).getTime()
    await report(7, lastMonth, { a: 10, b: true })
    await report(7, lastMonth + 5 * dayMs, { a: 30, b: false })
    await sealHours(sealing({ retention: wide }))
    expect(await addUp(sealing({ retention: wide }))).toMatchObject({ months: 1 })
    const id = keys.idOf('a') as number
    const [month] = await blocksOf('reading_month')
    expect(month?.slots).toEqual([9, 14])
    expect(month?.series.get(id)?.map((one) => one?.mean)).toEqual([10, 30])
    expect(month?.switches).toEqual(new Set([keys.idOf('b')]))
    await report(7, lastMonth + 9 * dayMs, { a: 50 })
    await reopen(wide)
    await sealHours(sealing({ now: later(3), retention: wide }))
    expect((await blocksOf('reading_month'))[0]?.series.get(id)?.map((one) => one?.mean)).toEqual([
      10, 30, 50,
    ])
  })

  test('that break off go on where they were', async () => {
    for (let device = 1; device <= 3; device += 1) await report(device, dayStartMs, { a: device })
    await sealHours(sealing())
    const at = async (point: SealingPoint) => {
      if (point === 'addedUp') throw new Error('broken off')
    }
    await expect(addUp(sealing({ at }))).rejects.toThrow('broken off')
    await addUp(sealing())
    expect((await blocksOf('reading_day')).map(({ device }) => device)).toEqual([1, 2, 3])
  })
})

describe('partitions', () => {
  const names = async (table: string) =>
    (
      await rows<{ name: string }>(
        `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = '${table}'::regclass ORDER BY 1`,
      )
    ).map(({ name }) => name)

  test('are dropped when their time is over and everything of them is packed and added up', async () => {
    await report(7, baseMs, { a: 1 })
    const drop = (days: number) =>
      dropOldReadings({
        pool: database.pool,
        owner: database.owner,
        retention,
        now: new Date(Date.now() + days * dayMs),
      })
    const before = await names('reading_hour')
    // Nothing is packed: nothing of the open table goes.
    await drop(0)
    expect(await openCount()).toBe(1)
    await sealHours(sealing())
    await drop(40)
    // The day of the report is not added up yet.
    expect((await rows('SELECT 1 FROM reading_hour')).length).toBe(1)
    await sealHours(sealing({ now: later(60) }))
    await addUp(sealing({ now: later(60) }))
    const dropped = await drop(40)
    expect(dropped.filter((name) => name.startsWith('reading_hour')).length).toBeGreaterThan(0)
    expect((await names('reading_hour')).length).toBeLessThan(before.length)
    expect((await rows('SELECT 1 FROM reading_hour')).length).toBe(0)
    expect((await rows('SELECT 1 FROM reading_day')).length).toBe(1)
  })

  test('are made for a clock that is far ahead', async () => {
    const at = new Date(Date.now() + 700 * dayMs)
    const made = await makeReadingPartitions(database.owner, { at: [at], retention })
    expect(made.some((name) => name.startsWith('reading_open'))).toBe(true)
    expect(await makeReadingPartitions(database.owner, { at: [at], retention })).toEqual([])
  })
})
