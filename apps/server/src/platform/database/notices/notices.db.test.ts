import pg from 'pg'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { lineTo } from '../../../../test/database-line.ts'
import { eventually } from '../../../../test/eventually.ts'
import { openDatabase, openPool } from '../database.ts'
import { clockJumped, type Notices, notice, openNotices } from './notices.ts'

const log = pino({ level: 'silent' })

const doorsMoved = notice<string>('doorsMoved')
const lampsLit = notice<number>('lampsLit')
const mapChanged = notice('mapChanged')

describe('notices', () => {
  let database: TestDatabase
  const opened: Notices[] = []
  const open = async () => {
    const notices = await openNotices({ pool: database.pool, log })
    opened.push(notices)
    return notices
  }
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterEach(async () => {
    for (const notices of opened.splice(0)) await notices.close()
  })
  afterAll(() => database.close())

  test('reach every process, including the sender', async () => {
    const [here, there] = [await open(), await open()]
    const got: unknown[] = []
    here.subscribe(doorsMoved, (ids) => got.push(['here', ids]))
    there.subscribe(doorsMoved, (ids) => got.push(['there', ids]))
    here.publish(doorsMoved, ['7'])
    await eventually(() => expect(got).toHaveLength(2))
    expect(got).toContainEqual(['here', ['7']])
    expect(got).toContainEqual(['there', ['7']])
  })

  test('of one kind within a short time are combined, each id once', async () => {
    const notices = await open()
    const got: unknown[] = []
    notices.subscribe(lampsLit, (ids) => got.push(ids))
    notices.publish(lampsLit, [1, 2])
    notices.publish(lampsLit, [2, 3])
    await eventually(() => expect(got).toEqual([[1, 2, 3]]))
  })

  test('with too many ids are replaced by one without ids', async () => {
    const notices = await open()
    const got: unknown[] = []
    notices.subscribe(doorsMoved, (ids) => got.push(ids))
    notices.publish(
      doorsMoved,
      Array.from({ length: 2000 }, (_, i) => `EC${i}`),
    )
    await eventually(() => expect(got).toEqual([null]))
  })

  test('that cannot be sent now are sent later, combined with those that followed', async () => {
    const notices = await open()
    const got: unknown[] = []
    notices.subscribe(doorsMoved, (ids) => got.push(ids))
    const query = vi.spyOn(database.pool, 'query').mockRejectedValueOnce(new Error('away') as never)
    notices.publish(doorsMoved, ['EC1'])
    await eventually(() => expect(query).toHaveBeenCalled())
    query.mockRestore()
    notices.publish(doorsMoved, ['EC2'])
    await eventually(() => expect(got).toHaveLength(1))
    expect(got).toEqual([expect.arrayContaining(['EC1', 'EC2'])])
  })

  test('are not sent to a removed listener', async () => {
    const notices = await open()
    const stayed = vi.fn()
    const left = vi.fn()
    notices.subscribe(mapChanged, stayed)
    notices.subscribe(mapChanged, left)()
    notices.publish(mapChanged, [])
    await eventually(() => expect(stayed).toHaveBeenCalledOnce())
    expect(left).not.toHaveBeenCalled()
  })

  test('resume after a lost connection, beginning with one without ids', async () => {
    const notices = await open()
    const got: unknown[] = []
    notices.subscribe(doorsMoved, (ids) => got.push(ids))
    await database.pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'voltkeep notices' AND datname = current_database()",
    )
    await eventually(() => expect(got).toEqual([null]))
    notices.publish(doorsMoved, ['8'])
    await eventually(() => expect(got).toContainEqual(['8']))
  })

  test('leave no timer when they are closed during a reconnect', async () => {
    const line = await lineTo(database.url)
    const { pool, close } = await openDatabase({ url: line.url, zone: 'UTC', poolSize: 1 })
    const [started, stopped] = [vi.spyOn(globalThis, 'setInterval'), vi.spyOn(globalThis, 'clearInterval')]
    const [connected, ended] = [
      vi.spyOn(pg.Client.prototype, 'connect'),
      vi.spyOn(pg.Client.prototype, 'end'),
    ]
    const notices = await openNotices({ pool, log })
    await line.cut()
    await line.restore()
    line.hang()
    await eventually(() => expect(connected).toHaveBeenCalledTimes(2))
    ended.mockClear()

    await notices.close()
    await line.restore()
    await eventually(() => expect(ended).toHaveBeenCalled())

    const left = started.mock.results
      .map(({ value }) => value)
      .filter((timer) => !stopped.mock.calls.some(([cleared]) => cleared === timer))
    vi.restoreAllMocks()
    for (const timer of left) clearInterval(timer)
    await close()
    await line.cut()
    expect(left).toEqual([])
  })

  test('of a clock that was set are told in each process where the clock of the database is another one', async () => {
    await database.define(`
      CREATE SCHEMA set_by_hand;
      GRANT USAGE ON SCHEMA set_by_hand TO PUBLIC;
      CREATE TABLE set_by_hand.shift (by interval);
      INSERT INTO set_by_hand.shift VALUES ('0');
      GRANT SELECT ON set_by_hand.shift TO PUBLIC;
      CREATE FUNCTION set_by_hand.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
        'SELECT pg_catalog.clock_timestamp() + by FROM set_by_hand.shift'`)
    const url = `${database.url}${database.url.includes('?') ? '&' : '?'}options=-csearch_path%3Dset_by_hand,pg_catalog,public`
    const pool = openPool({ url, zone: 'Asia/Shanghai', poolSize: 1 })
    const notices = await openNotices({ pool, log, probeMs: 20 })
    const jumps: number[] = []
    notices.subscribe(clockJumped, (byMs) => jumps.push(...(byMs ?? [])))
    try {
      for (const [by, ms] of [
        ['40 days', 40 * 86_400_000],
        ['0', -40 * 86_400_000],
      ] as const) {
        await database.owner.query('UPDATE set_by_hand.shift SET by = $1', [by])
        await eventually(() => expect(Math.round((jumps.at(-1) ?? 0) / 10_000)).toBe(ms / 10_000))
      }
    } finally {
      await notices.close()
      await pool.end()
    }
  })
})
