import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { lineTo } from '../../../test/database-line.ts'
import { type OpenDatabase, openDatabase } from '../database/database.ts'
import { createLog } from '../log.ts'
import { createWriteLanes, type WriteLanes, type Writer } from './write-lanes.ts'

let direct: TestDatabase
let line: Awaited<ReturnType<typeof lineTo>>
let database: OpenDatabase
let lanes: WriteLanes
beforeEach(async () => {
  direct = await createTestDatabase()
  await direct.pool.query('CREATE TABLE entry (n integer PRIMARY KEY CHECK (n < 1000))')
  line = await lineTo(direct.url)
  database = await openDatabase({ url: line.url, zone: 'Asia/Shanghai', poolSize: 4 })
  lanes = createWriteLanes({
    pool: database.pool,
    log: createLog({ level: 'silent' }),
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
  async write(connection, entries) {
    await connection.query('INSERT INTO entry SELECT unnest($1::int[])', [entries])
    return undefined
  },
}

/** Resolves with nothing after the commit, with the error where the entry is given up. */
const put = (entry: number, messageId: string | null = `m${entry}`) =>
  new Promise<Error | undefined>((resolve) => {
    lanes.put({ deviceId: entry, writer, entry, messageId, settled: resolve })
  })
const stored = async () =>
  (await direct.pool.query<{ n: number }>('SELECT n FROM entry ORDER BY n')).rows.map(({ n }) => n)
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

test('entries are settled once they are in the database', async () => {
  const outcomes = await Promise.all(numbers(0, 50).map((n) => put(n)))
  expect(outcomes.every((outcome) => outcome === undefined)).toBe(true)
  expect(await stored()).toEqual(numbers(0, 50))
  expect(lanes.pendingCount).toBe(0)
})

test('entries wait while the database is away, and are stored once when it is back', async () => {
  await put(0)
  await line.cut()
  let settledCount = 0
  const waiting = numbers(1, 200).map((n) => put(n).then(() => (settledCount += 1)))
  await expect(database.ping()).rejects.toThrow()
  expect(settledCount).toBe(0)
  expect(lanes.pendingCount).toBe(199)
  await line.restore()
  await Promise.all(waiting)
  expect(await stored()).toEqual(numbers(0, 200))
})

test('a line that is lost without a word holds entries up for no longer than the limit', async () => {
  await put(0)
  line.strand()
  expect(await put(1)).toBeUndefined()
  expect(await stored()).toEqual([0, 1])
})

test('what a lost line has left half written is no obstacle to writing it again', async () => {
  let attempts = 0
  const stranding: Writer<number> = {
    async write(connection, entries) {
      await connection.query('INSERT INTO entry SELECT unnest($1::int[])', [entries])
      attempts += 1
      if (attempts === 1) line.strand()
      await connection.query('SELECT 1')
      return undefined
    },
  }
  await new Promise((resolve) =>
    lanes.put({ deviceId: 1, writer: stranding, entry: 1, messageId: 'm1', settled: resolve }),
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

test('a message of the week before is still recognized', async () => {
  await direct.pool.query(
    `INSERT INTO message_receipt SELECT 1, 'old', date_trunc('week', now() - interval '7 days')::date`,
  )
  expect(await put(1, 'old')).toBeUndefined()
  expect(await stored()).toEqual([])
})

test('an entry that the database never takes is given up alone', async () => {
  const outcomes = await Promise.all([...numbers(0, 40), 5_000, 6_000].map((n) => put(n)))
  expect(outcomes.filter((outcome) => outcome instanceof Error)).toHaveLength(2)
  expect(await stored()).toEqual(numbers(0, 40))
})

test('a fault of the database itself is waited for, not blamed on the entries', async () => {
  await direct.pool.query('ALTER TABLE entry RENAME TO mislaid')
  const waiting = put(1)
  await vi.waitFor(async () => {
    const { rows } = await direct.pool.query(
      `SELECT xact_rollback > 0 AS tried FROM pg_stat_database WHERE datname = current_database()`,
    )
    expect(rows[0].tried).toBe(true)
  }, 20_000)
  expect(lanes.pendingCount).toBe(1)
  await direct.pool.query('ALTER TABLE mislaid RENAME TO entry')
  expect(await waiting).toBeUndefined()
  expect(await stored()).toEqual([1])
})

test('entries of one device are written in order, whatever else is under way', async () => {
  const seen: number[] = []
  const ordered: Writer<number> = {
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
          lanes.put({ deviceId: 7, writer: ordered, entry, messageId: null, settled: resolve })
          if (entry % 10 === 9) void put(entry)
        }),
    ),
  )
  expect(seen).toEqual(numbers(0, 30))
})
