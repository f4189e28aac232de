import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { createLog } from '../../process/log.ts'
import { withQueryLimit } from '../connections/query-limit.ts'
import { clockJumped, type Notices, openNotices } from '../notices/notices.ts'
import type { Connection } from '../transaction.ts'
import { createLeaseQueue, wake } from './lease-queue.ts'
import type { Worker } from './worker.ts'

interface Row {
  a: number
  b: number
}

const log = createLog({ level: 'silent' })
let database: TestDatabase
let notices: Notices
const queues: Worker[] = []

beforeAll(async () => {
  database = await createTestDatabase({ poolSize: 8 })
  notices = await openNotices({ pool: database.pool, log })
  await database.define(`
    CREATE TABLE chore (a int, b int, done int NOT NULL DEFAULT 0, next_at timestamptz, PRIMARY KEY (a, b));
    CREATE INDEX chore_due ON chore (next_at) WHERE next_at IS NOT NULL`)
})
afterAll(async () => {
  await notices.close()
  await database.close()
})
beforeEach(() => database.pool.query('TRUNCATE chore'))
afterEach(async () => {
  await Promise.all(queues.splice(0).map((queue) => queue.stop()))
})

function queueOf(
  handle: (connection: Connection, rows: Row[]) => Promise<(() => void) | undefined>,
  {
    leaseMs = 60_000,
    batchSize = 10,
    pool = database.pool as pg.Pool,
    statementLimitMs = undefined as number | undefined,
  } = {},
): Worker {
  const queue = createLeaseQueue<Row>(
    { pool, notices, log },
    { table: 'chore', key: ['a', 'b'], columns: 't.a, t.b', leaseMs, batchSize, statementLimitMs, handle },
  )
  queues.push(queue)
  return queue
}

const finish = async (connection: Connection, rows: Row[]) => {
  await connection.query(
    `UPDATE chore SET next_at = NULL, done = done + 1
     FROM unnest($1::int[], $2::int[]) AS m(x, y) WHERE a = x AND b = y`,
    [rows.map(({ a }) => a), rows.map(({ b }) => b)],
  )
  return undefined
}
const insert = (count: number, dueInMs = 0) =>
  database.pool.query(
    `INSERT INTO chore (a, b, next_at) SELECT 1, n, now() + $2 * interval '1 ms' FROM generate_series(1, $1) n`,
    [count, dueInMs],
  )
const doneCounts = async () => {
  const { rows } = await database.pool.query<{ done: number; n: number }>(
    'SELECT done, count(*)::int AS n FROM chore GROUP BY done ORDER BY done',
  )
  return rows
}
const until = (look: () => Promise<unknown>, wanted: unknown) =>
  expect.poll(look, { timeout: 30_000, interval: 20 }).toEqual(wanted)

describe('a lease queue', () => {
  test('processes all due rows, in batches', async () => {
    await insert(35)
    const sizes: number[] = []
    queueOf((connection, rows) => {
      sizes.push(rows.length)
      return finish(connection, rows)
    }).start()
    await until(doneCounts, [{ done: 1, n: 35 }])
    expect(sizes.slice(0, 4)).toEqual([10, 10, 10, 5])
  })

  test('shares the work with others, and no row is processed twice at the same time', async () => {
    await insert(200)
    const atWork = new Set<number>()
    const overlaps: number[] = []
    const handlers = new Set<number>()
    let isShared = () => {}
    const shared = new Promise<void>((resolve) => {
      isShared = resolve
    })
    for (let n = 0; n < 3; n += 1) {
      queueOf(
        async (connection, rows) => {
          handlers.add(n)
          if (handlers.size > 1) isShared()
          await shared
          for (const { b } of rows) {
            if (atWork.has(b)) overlaps.push(b)
            atWork.add(b)
          }
          await delay(5)
          await finish(connection, rows)
          return () => {
            for (const { b } of rows) atWork.delete(b)
          }
        },
        { batchSize: 5 },
      ).start()
    }
    await until(doneCounts, [{ done: 1, n: 200 }])
    expect(overlaps).toEqual([])
  })

  test('leaves the rows of a dead process to another one after their lease', async () => {
    await insert(3)
    // Claims, commits, and never does the work after the commit, as after a kill -9.
    const dead = queueOf(async () => undefined, { leaseMs: 300 })
    dead.start()
    await until(
      async () => (await database.pool.query('SELECT FROM chore WHERE next_at > now()')).rowCount,
      3,
    )
    await dead.stop()
    queueOf(finish).start()
    await until(doneCounts, [{ done: 1, n: 3 }])
  })

  test('gets rows of an interrupted transaction at once', async () => {
    await insert(3)
    let isFirst = true
    queueOf(async (connection, rows) => {
      if (!isFirst) return finish(connection, rows)
      isFirst = false
      const { rows: own } = await connection.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      await database.pool.query('SELECT pg_terminate_backend($1)', [own[0]?.pid])
      return finish(connection, rows)
    }).start()
    await until(doneCounts, [{ done: 1, n: 3 }])
  })

  test('is woken by the commit of due rows, and not by a rollback', async () => {
    const woken: number[] = []
    queueOf((connection, rows) => {
      woken.push(rows.length)
      return finish(connection, rows)
    }).start()
    const insertWith = async (end: 'COMMIT' | 'ROLLBACK', b: number) => {
      const client = await database.pool.connect()
      await client.query('BEGIN')
      await client.query('INSERT INTO chore (a, b, next_at) VALUES (1, $1, now())', [b])
      await client.query(wake('chore', 0))
      await client.query(end)
      client.release()
    }
    await insertWith('ROLLBACK', 1)
    await insertWith('COMMIT', 2)
    await until(doneCounts, [{ done: 1, n: 1 }])
    expect(woken).toEqual([1])
  })

  test('sleeps until a row is due, without queries meanwhile', async () => {
    const startedAtMs = performance.now()
    await insert(1, 3_500)
    const queries: unknown[] = []
    const pool = new Proxy(database.pool, {
      get(target, name) {
        if (name === 'query' || name === 'connect') queries.push(name)
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    let handledAtMs = 0
    /** Waits until a second passes without a query. */
    const quiet = async () => {
      for (let before = -1; before !== queries.length; ) {
        before = queries.length
        await delay(1_000)
      }
    }
    queueOf(
      (connection, rows) => {
        handledAtMs = performance.now()
        return finish(connection, rows)
      },
      { pool },
    ).start()
    await expect.poll(() => queries.length).toBeGreaterThan(1)
    await quiet()
    const whenAsleep = queries.length
    await delay(1_000)
    // Skipped if the machine stalled for so long that the row is due by now.
    if (performance.now() - startedAtMs < 3_400) expect(queries).toHaveLength(whenAsleep)
    await until(doneCounts, [{ done: 1, n: 1 }])
    expect(handledAtMs - startedAtMs).toBeGreaterThan(3_400)
    await quiet()
    const whenEmpty = queries.length
    await delay(2_000)
    expect(queries).toHaveLength(whenEmpty)
  })

  test('takes postponed rows when they are due, and not after the pause for locked rows', async () => {
    const batches: number[][] = []
    queueOf((connection, rows) => {
      batches.push(rows.map(({ b }) => b))
      return finish(connection, rows)
    }).start()
    // Woken at 300 ms for a row that has been postponed to 500 ms, the queue finds nothing. The other row is due at
    // 800 ms, within the pause. On a machine that stalls both are found at once, so one round with separate batches
    // is enough proof.
    const isTakenByItself = async () => {
      batches.length = 0
      await database.pool.query('TRUNCATE chore')
      const client = await database.pool.connect()
      await client.query('BEGIN')
      await client.query(`INSERT INTO chore (a, b, next_at)
        SELECT 1, b, now() + b * interval '300 ms' + interval '200 ms' FROM generate_series(1, 2) b`)
      await client.query(wake('chore', 300))
      await client.query('COMMIT')
      client.release()
      await until(doneCounts, [{ done: 1, n: 2 }])
      return batches.length === 2
    }
    await expect.poll(isTakenByItself, { timeout: 50_000 }).toBe(true)
  })

  test('processes the other rows of a batch if the handler fails on one', async () => {
    await insert(9)
    queueOf(
      async (connection, rows) => {
        if (rows.some(({ b }) => b === 4)) throw new Error('cannot do 4')
        return finish(connection, rows)
      },
      { leaseMs: 600_000 },
    ).start()
    await until(doneCounts, [
      { done: 0, n: 1 },
      { done: 1, n: 8 },
    ])
  })

  test.each([
    ['in its transaction', (connection: Connection) => connection.query('SELECT pg_sleep(600)')],
    ['elsewhere', () => withQueryLimit(200, () => database.pool.query('SELECT pg_sleep(600)'))],
  ])('goes on with the other rows if the handler asks for too much %s for one', async (_, ask) => {
    await insert(5)
    // The first one due.
    await database.pool.query("UPDATE chore SET next_at = now() - interval '1 hour' WHERE b = 3")
    queueOf(
      async (connection, rows) => {
        if (rows.some(({ b }) => b === 3)) await ask(connection)
        return finish(connection, rows)
      },
      { leaseMs: 600_000, statementLimitMs: 200 },
    ).start()
    await until(doneCounts, [
      { done: 0, n: 1 },
      { done: 1, n: 4 },
    ])
    const { rows } = await database.pool.query('SELECT b FROM chore WHERE next_at > now()')
    expect(rows).toEqual([{ b: 3 }])
  })

  test('finishes its claimed rows when it is stopped', async () => {
    await insert(3)
    let hasClaimed = () => {}
    const claimed = new Promise<void>((resolve) => {
      hasClaimed = resolve
    })
    let wasActed = false
    const queue = queueOf(async (connection, rows) => {
      hasClaimed()
      await delay(200)
      await finish(connection, rows)
      return () => {
        wasActed = true
      }
    })
    queue.start()
    await claimed
    await queue.stop()
    expect(wasActed).toBe(true)
    expect(await doneCounts()).toEqual([{ done: 1, n: 3 }])
  })

  test('finds rows whose time a clock has jumped over, when it is told of the jump', async () => {
    await insert(3, 3_600_000)
    let claims = 0
    queueOf((connection, rows) => {
      claims += 1
      return finish(connection, rows)
    }).start()
    // What a jump by an hour is to the queue: its rows are due, and nobody wakes it.
    await database.pool.query('UPDATE chore SET next_at = now()')
    notices.tellHere(clockJumped, [3_600_000])
    await until(doneCounts, [{ done: 1, n: 3 }])
    expect(claims).toBe(1)
  })

  test('brings rows back that were put off by a clock which was ahead, and leaves the others', async () => {
    const days = 86_400_000
    await insert(2, 40 * days + 500)
    await database.pool.query(
      `INSERT INTO chore (a, b, next_at) VALUES (2, 1, now() + interval '3 days'), (2, 2, now() + interval '40 days 1 hour')`,
    )
    queueOf(finish).start()
    notices.tellHere(clockJumped, [-40 * days])
    await until(doneCounts, [
      { done: 0, n: 2 },
      { done: 1, n: 2 },
    ])
    const { rows } = await database.pool.query(
      `SELECT round(extract(epoch FROM next_at - now()) / 3600)::int AS hours FROM chore WHERE a = 2 ORDER BY b`,
    )
    expect(rows).toEqual([{ hours: 72 }, { hours: 1 }])
  })
})
