import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { createJobs, type Jobs } from '../../platform/database/jobs/jobs.ts'
import { historyJobs } from './history.jobs.ts'

describe('the jobs of the history', () => {
  let database: TestDatabase
  let jobs: Jobs
  beforeAll(async () => {
    database = await createTestDatabase()
    const { db, pool, owner } = database
    const log = pino({ level: 'silent' })
    jobs = createJobs({ pool, log })
    for (const job of historyJobs({ db, owner, log, zone: 'Asia/Shanghai', retentionDays: 365 }))
      jobs.add(job)
  })
  afterAll(async () => {
    await jobs.stop()
    await database.close()
  })
  const insertDeltas = (count: number) =>
    database.pool.query(
      `INSERT INTO history_delta SELECT 1, current_date, n % 50 + 1, 1, 1, 'A', 1 FROM generate_series(1, $1::int) n`,
      [count],
    )
  const insertDistinctDeltas = (count: number) =>
    database.pool.query(
      `INSERT INTO history_delta SELECT 1, current_date, 1, 1, 1, 'B' || n, 1 FROM generate_series(1, $1::int) n`,
      [count],
    )
  const read = async (text: string) => (await database.pool.query(text)).rows[0].n
  const unfolded = () => read('SELECT count(*)::int AS n FROM history_delta')
  const counted = () =>
    read(
      `SELECT sum(n)::int AS n FROM history_count, unnest(days) AS n
       WHERE operator_id = 0 AND model_id = 0 AND region_id = 0 AND semaphore_code = ''`,
    )

  test('all work on a new database', async () => {
    for (const name of ['keep', 'recountLevels', 'recountGroups', 'repairMoves', 'fold']) {
      expect(await jobs.runNow(`history.${name}`)).toBe(true)
    }
  })

  test('leave a few deltas alone, merge many, and fold those that stay many', async () => {
    await insertDeltas(10)
    await jobs.runNow('history.fold')
    expect(await unfolded()).toBe(10)
    await insertDeltas(51_000)
    await jobs.runNow('history.fold')
    expect([await unfolded(), await counted()]).toEqual([50, null])
    await insertDistinctDeltas(60_000)
    await jobs.runNow('history.fold')
    expect([await unfolded(), await counted()]).toEqual([0, 111_010])
  })

  test('end a fold although reports keep adding deltas', async () => {
    await database.owner.query(`
      CREATE FUNCTION add_delta() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO history_delta VALUES (1, current_date, 1, 1, 1, 'A', 1);
        RETURN NULL;
      END $$;
      CREATE TRIGGER report_meanwhile AFTER INSERT ON history_count EXECUTE FUNCTION add_delta()`)
    await insertDistinctDeltas(60_000)
    await jobs.runNow('history.fold')
    expect(await unfolded()).toBe(1)
    await database.owner.query('DROP TRIGGER report_meanwhile ON history_count')
  })

  test('stop in the middle of their work when the process stops', async () => {
    await insertDistinctDeltas(60_000)
    const before = await unfolded()
    const [fold] = historyJobs({
      db: database.db,
      owner: database.owner,
      log: pino({ level: 'silent' }),
      zone: 'Asia/Shanghai',
      retentionDays: 365,
    })
    await fold?.run(AbortSignal.abort())
    expect(await unfolded()).toBe(before)
  })
})
