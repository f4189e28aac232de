import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { lineTo } from '../../../test/database-line.ts'
import { createLog } from '../process/log.ts'
import { StartupError } from '../process/startup-error.ts'
import { mayTakeLong, withQueryLimit } from './connections/query-limit.ts'
import { withinLimit } from './connections/time-limit.ts'
import { isDatabaseAway, isPoolBusy, type OpenDatabase, openDatabase } from './database.ts'

describe('an open database', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.close())

  test('uses the configured time zone on every connection of the pool', async () => {
    const zones = await Promise.all(
      Array.from({ length: 4 }, () =>
        database.pool.query("SELECT current_setting('TimeZone') AS zone, pg_sleep(0.02)"),
      ),
    )
    expect(zones.map(({ rows }) => rows[0].zone)).toEqual(Array(4).fill('Asia/Shanghai'))
  })

  test('returns 8-byte integers and numerics as text, dates as text, and timestamps as Date', async () => {
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

  test('returns the same through Kysely', async () => {
    const { rows } = await sql<{ n: string }>`SELECT count(*) AS n FROM device`.execute(database.db)
    expect(rows).toEqual([{ n: '0' }])
  })

  test('survives the loss of its connections, and reports it as such', async () => {
    const lost = await database.pool
      .query('SELECT pg_terminate_backend(pg_backend_pid())')
      .catch((error: unknown) => error)
    expect(isDatabaseAway(lost)).toBe(true)
    await expect(database.ping()).resolves.toBeUndefined()
  })

  test('survives the loss of a connection in a transaction', async () => {
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

  test('logs the loss of connections once, with the reason and without a stack', async () => {
    const lines: string[] = []
    const log = createLog({ level: 'info', console: { write: (line) => lines.push(line) } })
    const own = await openDatabase({ url: database.url, zone: 'UTC', poolSize: 3, log })
    const lost = Promise.withResolvers<void>()
    let lostCount = 0
    own.pool.on('error', () => {
      lostCount += 1
      if (lostCount === 3) lost.resolve()
    })
    const clients = await Promise.all([1, 2, 3].map(() => own.pool.connect()))
    const pids = clients.map((client) => (client as unknown as { processID: number }).processID)
    for (const client of clients) client.release()
    await database.pool.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid', [pids])
    await lost.promise
    await own.close()
    expect(lines).toEqual([expect.stringMatching(/^\S+ WARN {2}数据库连接中断 reason=.+ count=1\n$/)])
  })

  test('distinguishes an error of the database from its absence', async () => {
    const refused = await database.pool.query('SELECT 1/0').catch((error: unknown) => error)
    expect(isDatabaseAway(refused)).toBe(false)
  })

  test('does not count an aborted call as its absence', () => {
    expect(isDatabaseAway(new DOMException('This operation was aborted', 'AbortError'))).toBe(false)
  })
})

describe('a query that is not answered', () => {
  let direct: TestDatabase
  let line: Awaited<ReturnType<typeof lineTo>>
  let database: OpenDatabase
  beforeEach(async () => {
    direct = await createTestDatabase()
    line = await lineTo(direct.url)
    database = await openDatabase({ url: line.url, zone: 'UTC', poolSize: 1, queryLimitMs: 300 })
  })
  afterEach(async () => {
    await database.close()
    await line.cut()
    await direct.close()
  })

  test.each([
    ['the pool', () => database.pool.query('SELECT 1')],
    ['Kysely', () => sql`SELECT 1`.execute(database.db)],
    ['a transaction', () => database.db.transaction().execute((trx) => sql`SELECT 1`.execute(trx))],
  ])('ends its connection, and the next one gets another: %s', async (_of, ask) => {
    line.strand()
    const lost = await ask().catch((error: unknown) => error)
    expect(isDatabaseAway(lost)).toBe(true)
    await expect(ask()).resolves.toBeDefined()
  })

  test('is cancelled in the database', async () => {
    const asked = await database.pool.query("SELECT pg_sleep(300), 'forgotten'").catch((error) => error)
    expect(isDatabaseAway(asked)).toBe(true)
    await expect
      .poll(async () => {
        const { rows } = await direct.pool.query(
          `SELECT FROM pg_stat_activity WHERE query LIKE '%forgotten%' AND pid <> pg_backend_pid()`,
        )
        return rows.length
      })
      .toBe(0)
  })

  test('has a longer limit where it may take long, and a shorter one where requested', async () => {
    const slow = () => database.pool.query('SELECT pg_sleep(0.5)')
    await expect(mayTakeLong(slow)).resolves.toBeDefined()
    await expect(mayTakeLong(() => withQueryLimit(50, slow))).rejects.toThrow('within 50 ms')
  })

  test('times out for the waiting query, not for the one that uses the connection', async () => {
    const connection = await database.pool.connect()
    const second = database.pool.query('SELECT pg_sleep(2)')
    mayTakeLong(() => connection.release())
    await expect(second).rejects.toThrow('within 300 ms')
  })
})

describe('a usually quick read without an answer', () => {
  let direct: TestDatabase
  let line: Awaited<ReturnType<typeof lineTo>>
  let database: OpenDatabase
  beforeEach(async () => {
    direct = await createTestDatabase()
    line = await lineTo(direct.url)
    database = await openDatabase({ url: line.url, zone: 'UTC', poolSize: 2, connectLimitMs: 300 })
  })
  afterEach(async () => {
    await database.close()
    await line.cut()
    await direct.close()
  })
  const refusalOf = (reading: Promise<unknown>) =>
    reading.then(
      () => null,
      (error: { refusal: string }) => error.refusal,
    )
  /** A read that waits for a lock until `release` is called. */
  async function slowRead() {
    const lock = await direct.pool.connect()
    await lock.query('SELECT pg_advisory_lock(1)')
    return {
      reading: sql`SELECT pg_advisory_lock_shared(1)`.execute(database.db),
      release: () => lock.release(true),
    }
  }
  /** Makes other queries succeed meanwhile. */
  async function askUntil(isOver: () => boolean) {
    while (!isOver()) await database.ping()
  }

  // Within this limit another query is answered, however busy the machine is.
  const limitMs = 1_000

  test('is waited for while the database answers others', async () => {
    const { reading, release } = await slowRead()
    const startMs = performance.now()
    const limited = withinLimit(reading, { db: database.db, limitMs })
    await askUntil(() => performance.now() - startMs > 2.5 * limitMs)
    release()
    await expect(limited).resolves.toBeDefined()
  })

  test('is cancelled after a while, with the error that the server is busy, not that the database is away', async () => {
    const { reading, release } = await slowRead()
    let refusal: string | null | undefined
    const limited = withinLimit(reading, { db: database.db, limitMs, patienceMs: 2 * limitMs })
    void refusalOf(limited).then((name) => {
      refusal = name
    })
    await askUntil(() => refusal !== undefined)
    expect(refusal).toBe('serverBusy')
    release()
    await reading
  })

  test('is cancelled if the database answers nobody', async () => {
    const { reading, release } = await slowRead()
    expect(await refusalOf(withinLimit(reading, { db: database.db, limitMs: 50 }))).toBe('databaseAway')
    release()
    await reading
  })

  test('without a free connection reports busy if others are answered, otherwise away', async () => {
    const own = await openDatabase({ url: line.url, zone: 'UTC', poolSize: 1, connectLimitMs: 300 })
    const connection = await own.pool.connect()
    let met: unknown
    const waiting = own.db.selectFrom('device').select('id').execute()
    waiting.catch((error: unknown) => {
      met = error
    })
    while (met === undefined) await connection.query('SELECT 1')
    expect([isPoolBusy(met), isDatabaseAway(met)]).toEqual([true, true])
    const unanswered = await own.ping().catch((error: unknown) => error)
    expect([isPoolBusy(unanswered), isDatabaseAway(unanswered)]).toEqual([false, true])
    connection.release()
    await own.close()
  })
})

describe('an unreachable database', () => {
  test('is reported with the address, without the password', async () => {
    const opening = openDatabase({ url: 'postgresql://me:hidden@127.0.0.1:1/shop', zone: 'UTC', poolSize: 1 })
    const error = await opening.catch((reason: unknown) => reason as Error)
    expect(error).toBeInstanceOf(StartupError)
    expect((error as Error).message).toContain('127.0.0.1:1/shop')
    expect((error as Error).message).not.toContain('hidden')
  })

  test('counts as away, also with a missing socket', async () => {
    const { Client } = await import('pg')
    const failed = await new Client({ host: '/nowhere' }).connect().catch((error: unknown) => error)
    expect(isDatabaseAway(failed)).toBe(true)
  })
})
