import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { StartupError } from '../startup-error.ts'
import { isDatabaseAway, openDatabase } from './database.ts'

describe('an open database', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.close())

  test('works in the configured zone on every connection of the pool', async () => {
    const zones = await Promise.all(
      Array.from({ length: 4 }, () =>
        database.pool.query("SELECT current_setting('TimeZone') AS zone, pg_sleep(0.02)"),
      ),
    )
    expect(zones.map(({ rows }) => rows[0].zone)).toEqual(Array(4).fill('Asia/Shanghai'))
  })

  test('gives 8-byte integers and numerics as text, dates as text, and moments as Date', async () => {
    const { rows } = await database.pool.query(
      "SELECT 9007199254740993::int8 AS id, 1.10::numeric AS n, DATE '2026-02-28' AS day, TIMESTAMPTZ '2026-01-01 08:00' AS at",
    )
    expect(rows[0]).toEqual({
      id: '9007199254740993',
      n: '1.10',
      day: '2026-02-28',
      at: new Date('2026-01-01T00:00:00Z'),
    })
  })

  test('reads the same way through Kysely', async () => {
    const { rows } = await sql<{ n: string }>`SELECT count(*) AS n FROM device`.execute(database.db)
    expect(rows).toEqual([{ n: '0' }])
  })

  test('survives the loss of its connections, and calls it by name', async () => {
    const lost = await database.pool
      .query('SELECT pg_terminate_backend(pg_backend_pid())')
      .catch((error: unknown) => error)
    expect(isDatabaseAway(lost)).toBe(true)
    await expect(database.ping()).resolves.toBeUndefined()
  })

  test('survives the loss of a connection in the middle of a transaction', async () => {
    const lost = await database.db
      .transaction()
      .execute(async (trx) => {
        const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(trx)
        await database.pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid])
        await new Promise((resolve) => setTimeout(resolve, 100))
        await sql`SELECT 1`.execute(trx)
      })
      .catch((error: unknown) => error)
    expect(isDatabaseAway(lost)).toBe(true)
    await expect(database.ping()).resolves.toBeUndefined()
  })

  test('does not take a refusal of the database for its absence', async () => {
    const refused = await database.pool.query('SELECT 1/0').catch((error: unknown) => error)
    expect(isDatabaseAway(refused)).toBe(false)
  })
})

describe('a database that is not there', () => {
  test('is refused with the address, without the password', async () => {
    const opening = openDatabase({ url: 'postgresql://me:hidden@127.0.0.1:1/shop', zone: 'UTC', poolSize: 1 })
    const error = await opening.catch((reason: unknown) => reason as Error)
    expect(error).toBeInstanceOf(StartupError)
    expect((error as Error).message).toContain('127.0.0.1:1/shop')
    expect((error as Error).message).not.toContain('hidden')
  })

  test('is away, also behind a missing socket', async () => {
    const { Client } = await import('pg')
    const failed = await new Client({ host: '/nowhere' }).connect().catch((error: unknown) => error)
    expect(isDatabaseAway(failed)).toBe(true)
  })
})
