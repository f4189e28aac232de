import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { dayOf } from '../../../platform/process/clock.ts'
import { dropPartitions, historyWindow, makePartitions, partitionedTables } from './partitions.ts'

const local = (text: string) => new Date(text.replace(' ', 'T'))

describe('partitions', () => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await createTestDatabase()
    // The template has partitions for today; these tests use other dates.
    for (const { name } of await partitions()) await query(`DROP TABLE ${name}`)
  })
  afterEach(() => database.close())

  const query = async (text: string, values: unknown[] = []) =>
    (await database.owner.query(text, values)).rows
  const partitions = async (table?: string) =>
    (await query(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits
       JOIN pg_class parent ON parent.oid = inhparent
       WHERE parent.relkind = 'p' AND ($1::text IS NULL OR parent.relname = $1) ORDER BY 1`,
      [table ?? null],
    )) as { name: string }[]
  const names = async (table: string) => (await partitions(table)).map(({ name }) => name)
  const keep = async (now: string, retentionDays = 60) => ({
    made: await makePartitions(database.owner, { at: [local(now)], retentionDays }),
    dropped: await dropPartitions(database.owner, { now: local(now), retentionDays }),
  })
  const insertAlarm = (at: string) =>
    query(
      `INSERT INTO alarm_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code, first_value, value)
       VALUES (1, $1, 1, 1, 1, 1, 'A', 1, 1)`,
      [local(at)],
    )

  test('cover the first month kept to two months ahead, and a second run changes nothing', async () => {
    await keep('2026-03-10 12:00:00')
    expect(await names('alarm_history')).toEqual(
      ['01', '02', '03', '04', '05'].map((month) => `alarm_history_2026_${month}`),
    )
    expect(await keep('2026-03-10 12:00:00')).toEqual({ made: [], dropped: [] })
  })

  test('of receipts are weeks, from the last one to the next', async () => {
    await keep('2026-03-11 12:00:00')
    expect(await names('message_receipt')).toEqual([
      'message_receipt_2026_03_02',
      'message_receipt_2026_03_09',
      'message_receipt_2026_03_16',
    ])
  })

  test('begin and end at midnight of the time zone', async () => {
    await keep('2026-03-10 12:00:00')
    await insertAlarm('2026-03-01 00:00:00')
    await insertAlarm('2026-03-31 23:59:59')
    expect(await query('SELECT count(*)::int AS n FROM alarm_history_2026_03')).toEqual([{ n: 2 }])
  })

  test('that have expired are dropped with their counters; the others stay', async () => {
    await keep('2026-03-10 12:00:00')
    await insertAlarm('2026-01-15 08:00:00')
    await insertAlarm('2026-02-15 08:00:00')
    await query(
      `INSERT INTO history_delta SELECT 1, day, 1, 1, 1, 'A', 1 FROM unnest('{2026-01-15,2026-02-15}'::date[]) AS day`,
    )
    const { dropped } = await keep('2026-04-20 12:00:00')
    expect(dropped).toContain('alarm_history_2026_01')
    expect(dropped).toContain('history_count_2026_01')
    expect(await query('SELECT count(*)::int AS n FROM alarm_history')).toEqual([{ n: 1 }])
    expect(await query('SELECT day FROM history_delta')).toEqual([{ day: '2026-02-15' }])
    expect(await query("SELECT to_regclass('alarm_history_2026_01') AS gone")).toEqual([{ gone: null }])
  })

  test('cover every time that ingest may store', async () => {
    await keep('2026-03-31 23:00:00', 365)
    const { from, to } = historyWindow(local('2026-03-31 23:00:00'), 365)
    await insertAlarm(`${dayOf(from)} 00:00:00`)
    await insertAlarm(`${dayOf(new Date(to.getTime() - 1))} 23:59:59`)
    await expect(insertAlarm(`${dayOf(new Date(from.getTime() - 1))} 23:59:59`)).rejects.toThrow(
      'no partition',
    )
  })

  test('join without gap or overlap after a change of the time zone', async () => {
    await keep('2026-03-10 12:00:00')
    await query(`ALTER TABLE alarm_history DETACH PARTITION alarm_history_2026_05`)
    await query(`DROP TABLE alarm_history_2026_05`)
    await query(`ALTER TABLE alarm_history DETACH PARTITION alarm_history_2026_04`)
    await query(
      `ALTER TABLE alarm_history ATTACH PARTITION alarm_history_2026_04 FOR VALUES FROM ('2026-04-01 00:00+08') TO ('2026-04-30 19:00+08')`,
    )
    await keep('2026-03-10 12:00:00')
    await insertAlarm('2026-04-30 20:00:00')
    expect(await query('SELECT count(*)::int AS n FROM alarm_history_2026_05')).toEqual([{ n: 1 }])
  })

  test('that a crash left half created or half dropped are completed', async () => {
    await query('CREATE TABLE alarm_history_2026_03 (LIKE alarm_history)')
    await keep('2026-03-10 12:00:00')
    expect(await names('alarm_history')).toContain('alarm_history_2026_03')
    await query('ALTER TABLE alarm_history DETACH PARTITION alarm_history_2026_01')
    const { dropped } = await keep('2026-06-20 12:00:00')
    expect(dropped).toContain('alarm_history_2026_01')
    expect(await query("SELECT to_regclass('alarm_history_2026_01') AS gone")).toEqual([{ gone: null }])
  })

  test('neither block a running insert nor are blocked by it', async () => {
    await keep('2026-03-10 12:00:00', 3650)
    const client = await database.pool.connect()
    await client.query('BEGIN')
    await client.query(
      `INSERT INTO alarm_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code, first_value, value)
       VALUES (1, '2026-03-10 12:00', 1, 1, 1, 1, 'A', 1, 1)`,
    )
    const { made } = await keep('2026-04-10 12:00:00', 3650)
    await client.query('COMMIT')
    client.release()
    expect(made).toHaveLength(partitionedTables.filter(({ by }) => by === 'month').length + 3)
  })
})
