import { pino } from 'pino'
import { Registry } from 'prom-client'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { lineTo } from '../../../../test/database-line.ts'
import { int4Array } from '../../database/arrays.ts'
import { type OpenDatabase, openDatabase } from '../../database/database.ts'
import { readConfig } from '../../process/config.ts'
import { watchDisk } from '../../process/disk/disk-watch.ts'
import { createLog } from '../../process/log.ts'
import { createWarnings } from '../../process/warnings.ts'
import { createWriteLanes, type WriteLanes } from './write-lanes.ts'
import type { Outcome, Writer } from './writer.ts'

let direct: TestDatabase
let line: Awaited<ReturnType<typeof lineTo>>
let database: OpenDatabase
let lanes: WriteLanes
let logged: { level: number; writer?: string }[]
beforeEach(async () => {
  direct = await createTestDatabase()
  await direct.define('CREATE TABLE entry (n integer PRIMARY KEY CHECK (n < 1000))')
  line = await lineTo(direct.url)
  database = await openDatabase({ url: line.url, zone: 'Asia/Shanghai', poolSize: 4 })
  logged = []
  lanes = createWriteLanes({
    pool: database.pool,
    log: pino({ level: 'error' }, { write: (line: string) => void logged.push(JSON.parse(line)) }),
    laneCount: 2,
    queryLimitMs: 300,
  })
})
afterEach(async () => {
  await line.restore()
  await lanes.drained()
  await line.cut()
  await database.close()
  await direct.close()
})

const writer: Writer<number> = {
  name: 'number',
  async write(connection, entries) {
    await connection.query('INSERT INTO entry SELECT unnest($1::int[])', [entries])
    return undefined
  },
}

/** Resolves with the entry's outcome. */
const put = (entry: number, messageId: string | null = `m${entry}`) =>
  new Promise<Outcome>((resolve) => {
    lanes.put({ deviceId: entry, writer, entry, messageId, done: resolve })
  })
const stored = async () =>
  (await direct.pool.query<{ n: number }>('SELECT n FROM entry ORDER BY n')).rows.map(({ n }) => n)
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

test('entries are done once they are committed', async () => {
  const outcomes = await Promise.all(numbers(0, 50).map((n) => put(n)))
  expect(outcomes.every((outcome) => outcome === 'stored')).toBe(true)
  expect(await stored()).toEqual(numbers(0, 50))
  expect(lanes.pendingCount).toBe(0)
})

test('entries wait while the database is unavailable, and are stored once when it is back', async () => {
  await put(0)
  await line.cut()
  let doneCount = 0
  const waiting = numbers(1, 200).map((n) => put(n).then(() => (doneCount += 1)))
  await expect(database.ping()).rejects.toThrow()
  expect(doneCount).toBe(0)
  expect(lanes.pendingCount).toBe(199)
  await line.restore()
  await Promise.all(waiting)
  expect(await stored()).toEqual(numbers(0, 200))
})

test('entries wait while the disk of the database is full, which is logged once, and are stored when there is room', async () => {
  const metrics = new Registry()
  const warnings = createWarnings()
  const lines: string[] = []
  const disk = watchDisk({
    config: { ...readConfig({ DISK_STOP_PERCENT: '100', DISK_WARN_PERCENT: '100' }), databaseUrl: line.url },
    log: createLog({ level: 'warn', console: { write: (text) => lines.push(text) } }),
    metrics,
    warnings,
  })
  const watched = createWriteLanes({ pool: database.pool, log: pino({ level: 'silent' }), disk })
  let isFull = true
  let attempts = 0
  const filling: Writer<number> = {
    name: 'filling',
    async write(connection, entries) {
      attempts += 1
      if (isFull) await connection.query(`DO $$ BEGIN RAISE 'no room' USING ERRCODE = 'disk_full'; END $$`)
      return writer.write(connection, entries)
    },
  }
  const outcome = new Promise<Outcome>((done) => {
    watched.put({ deviceId: 1, writer: filling, entry: 1, messageId: 'm', done })
  })
  await vi.waitFor(() => expect(attempts).toBeGreaterThan(2), { timeout: 20_000 })
  expect(warnings.current()).toEqual(['数据库磁盘已满：设备报文暂停接收，设备会保留并重发'])
  expect(lines.filter((text) => text.includes('数据库磁盘已满'))).toHaveLength(1)
  expect(watched.pendingCount).toBe(1)
  isFull = false
  expect(await outcome).toBe('stored')
  expect(warnings.current()).toEqual([])
  expect(lines.at(-1)).toContain('数据库磁盘空间已恢复：继续接收设备报文')
  expect(await metrics.metrics()).toMatch(/voltkeep_intake_disk_stops_total 1/)
  disk.close()
})

test('a silently lost connection delays entries by at most the limit', async () => {
  await put(0)
  line.strand()
  expect(await put(1)).toBe('stored')
  expect(await stored()).toEqual([0, 1])
})

test('a half-finished write of a lost connection does not block the retry', async () => {
  let attempts = 0
  const stranding: Writer<number> = {
    name: 'stranding',
    async write(connection, entries) {
      await connection.query('INSERT INTO entry SELECT unnest($1::int[])', [entries])
      attempts += 1
      if (attempts === 1) line.strand()
      await connection.query('SELECT 1')
      return undefined
    },
  }
  await new Promise((resolve) =>
    lanes.put({ deviceId: 1, writer: stranding, entry: 1, messageId: 'm1', done: resolve }),
  )
  expect(await stored()).toEqual([1])
  expect(attempts).toBeGreaterThan(1)
})

test('a repeated message changes nothing, in its own batch and later', async () => {
  await Promise.all([put(1, 'same'), put(1, 'same'), put(3, 'other')])
  await put(1, 'same')
  expect(await stored()).toEqual([1, 3])
  const { rows } = await direct.pool.query('SELECT count(*)::int AS count FROM message_receipt')
  expect(rows[0].count).toBe(2)
})

test('a message of the week before is still recognized as a repetition', async () => {
  await direct.pool.query(
    `INSERT INTO message_receipt SELECT 1, 'old', date_trunc('week', now() - interval '7 days')::date`,
  )
  expect(await put(1, 'old')).toBe('stored')
  expect(await stored()).toEqual([])
})

test('an entry that the database never accepts fails alone', async () => {
  const outcomes = await Promise.all([...numbers(0, 40), 5_000, 6_000].map((n) => put(n)))
  expect(outcomes.filter((outcome) => outcome === 'unstorable')).toHaveLength(2)
  expect(await stored()).toEqual(numbers(0, 40))
})

test('an error of the database itself is waited for, and not attributed to the entries', async () => {
  await direct.owner.query('ALTER TABLE entry RENAME TO mislaid')
  const waiting = put(1)
  await vi.waitFor(async () => {
    const { rows } = await direct.pool.query(
      `SELECT xact_rollback > 0 AS tried FROM pg_stat_database WHERE datname = current_database()`,
    )
    expect(rows[0].tried).toBe(true)
  }, 20_000)
  expect(lanes.pendingCount).toBe(1)
  await direct.owner.query('ALTER TABLE mislaid RENAME TO entry')
  expect(await waiting).toBe('stored')
  expect(await stored()).toEqual([1])
})

test('a device whose writing takes too long waits alone, in order, and is stored when it does not any more', async () => {
  let isSlow = true
  const sleeping: Writer<number> = {
    name: 'sleeping',
    async write(connection, entries) {
      if (isSlow && entries.some((entry) => entry >= 500)) await connection.query('SELECT pg_sleep(5)')
      return writer.write(connection, entries)
    },
  }
  const order: number[] = []
  const putFor = (deviceId: number, entry: number) =>
    new Promise<Outcome>((resolve) => {
      const done = (outcome: Outcome) => {
        order.push(entry)
        resolve(outcome)
      }
      lanes.put({ deviceId, writer: sleeping, entry, messageId: `m${entry}`, done })
    })
  const own = [500, 501, 502].map((entry) => putFor(8, entry))
  // Of the same lane.
  const others = await Promise.all(numbers(0, 20).map((n) => putFor(2 * n + 10, n)))
  own.push(putFor(8, 503))
  expect(await putFor(10, 30)).toBe('stored')
  expect(new Set(others)).toEqual(new Set(['stored']))
  expect(await stored()).toEqual([...numbers(0, 20), 30])
  expect(lanes.pendingCount).toBe(4)
  isSlow = false
  expect(await Promise.all(own)).toEqual(Array(4).fill('stored'))
  expect(order.filter((entry) => entry >= 500)).toEqual([500, 501, 502, 503])
  expect(await stored()).toEqual([...numbers(0, 20), 30, ...numbers(500, 504)])
  expect(lanes.pendingCount).toBe(0)
})

test('entries of one device are written in order, whatever else is in progress', async () => {
  const seen: number[] = []
  const ordered: Writer<number> = {
    name: 'ordered',
    async write(connection, entries) {
      await connection.query('SELECT pg_sleep(0.005)')
      seen.push(...entries)
      return undefined
    },
  }
  await Promise.all(
    numbers(0, 30).map(
      (entry) =>
        new Promise((resolve) => {
          lanes.put({ deviceId: 7, writer: ordered, entry, messageId: null, done: resolve })
          if (entry % 10 === 9) void put(entry)
        }),
    ),
  )
  expect(seen).toEqual(numbers(0, 30))
})

describe('a failure after the commit', () => {
  const plain: Writer<number> = {
    name: 'plain',
    async write(connection, entries) {
      await connection.query('INSERT INTO unkeyed SELECT unnest($1::int[])', [entries])
      return () => {
        throw new Error('a listener that failed')
      }
    },
  }
  test('is reported, and neither stores nor acknowledges an entry again', async () => {
    await direct.define('CREATE TABLE unkeyed (n integer)')
    const answered: number[] = []
    const putPlain = (entry: number) =>
      lanes.put({
        deviceId: 1,
        writer: plain,
        entry,
        messageId: null,
        done() {
          answered.push(entry)
          if (entry === 1) throw new Error('a connection that failed')
        },
      })
    for (const entry of [1, 2, 3]) putPlain(entry)
    await lanes.drained()
    expect(answered).toEqual([1, 2, 3])
    expect(lanes.pendingCount).toBe(0)
    const { rows } = await direct.pool.query('SELECT n FROM unkeyed ORDER BY n')
    expect(rows.map(({ n }) => n)).toEqual([1, 2, 3])
    expect(logged).toHaveLength(2)
  })
})

test('a number that no column takes is the fault of its entry: also of many devices it suspends no writer', async () => {
  const wide: Writer<number> = {
    name: 'wide',
    async write(connection, entries) {
      await connection.query('INSERT INTO entry SELECT unnest($1::int4[])', [int4Array(entries)])
      return undefined
    },
  }
  const putWide = (deviceId: number, entry: number) =>
    new Promise<Outcome>((done) =>
      lanes.put({ deviceId, writer: wide, entry, messageId: `w${deviceId}`, done }),
    )
  const outcomes = await Promise.all(numbers(0, 10).map((n) => putWide(n, 2 ** 31)))
  expect(new Set(outcomes)).toEqual(new Set(['unstorable']))
  expect(await putWide(10, 10)).toBe('stored')
})

describe('a writer with a defect', () => {
  const failing = (isMet: (entry: number) => boolean): Writer<number> => ({
    name: 'failing',
    async write(connection, entries) {
      await connection.query('INSERT INTO entry SELECT unnest($1::int[])', [entries])
      if (entries.some(isMet)) (undefined as unknown as { missing(): void }).missing()
      return undefined
    },
  })
  const putTo = (to: Writer<number>, entry: number, messageId = `f${entry}`) =>
    new Promise<Outcome>((done) => lanes.put({ deviceId: entry, writer: to, entry, messageId, done }))

  test('does not acknowledge its entries, while those of other writers continue', async () => {
    const broken = failing(() => true)
    const [own, others] = await Promise.all([
      Promise.all(numbers(100, 140).map((n) => putTo(broken, n))),
      Promise.all(numbers(0, 40).map((n) => put(n))),
    ])
    expect(new Set(own)).toEqual(new Set(['unwritten']))
    expect(new Set(others)).toEqual(new Set(['stored']))
    expect(await stored()).toEqual(numbers(0, 40))
    expect(logged.some(({ level, writer: name }) => level === 50 && name === 'failing')).toBe(true)
    expect(lanes.pendingCount).toBe(0)
  })

  test('that affects only some entries writes all others, and these after the fix', async () => {
    const outcomes = await Promise.all(
      numbers(0, 40).map((n) =>
        putTo(
          failing((m) => m === 7),
          n,
        ),
      ),
    )
    expect(outcomes.indexOf('unwritten')).toBe(7)
    expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(39)
    expect(
      await putTo(
        failing(() => false),
        7,
      ),
    ).toBe('stored')
    expect(await stored()).toEqual(numbers(0, 40))
  })
})
