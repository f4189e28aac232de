import { readdirSync } from 'node:fs'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { migrate, migrationsDir } from '../../platform/database/schema/migrate.ts'
import { makePartitions } from './index.ts'

const migration = '0007_counts_by_month.sql'

describe('counters by day of an older release', () => {
  let database: TestDatabase
  let older: string
  const query = async (text: string) => (await database.owner.query(text)).rows

  beforeEach(async () => {
    older = await mkdtemp(join(tmpdir(), 'voltkeep-migrations-'))
    const names = readdirSync(migrationsDir).filter((name) => /^\d{4}_/.test(name) && name < migration)
    for (const name of names) await copyFile(join(migrationsDir, name), join(older, name))
    database = await createTestDatabase()
    await query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
    await migrate(database.owner, older)
  })
  afterEach(async () => {
    await database.close()
    await rm(older, { recursive: true })
  })

  test('become counters by month with the same totals, in partitions that are kept as before', async () => {
    await query(`
      CREATE TABLE history_count_2026_01 PARTITION OF history_count
        FOR VALUES FROM ('2026-01-01') TO ('2026-02-01') WITH (fillfactor = 80);
      CREATE TABLE history_count_2026_02 PARTITION OF history_count
        FOR VALUES FROM ('2026-02-01') TO ('2026-03-01') WITH (fillfactor = 80);
      INSERT INTO history_count VALUES
        (1, 0, 0, 0, '', '2026-01-01', 5), (1, 0, 0, 0, '', '2026-01-31', 7), (1, 0, 0, 0, '', '2026-02-28', 11),
        (1, 4, 0, 0, 'A', '2026-01-15', 3), (2, 4, 0, 9, '', '2026-02-02', 2)`)
    expect(await migrate(database.owner, migrationsDir)).toContain(migration)

    expect(
      await query(`
        SELECT source, operator_id AS operator, region_id AS region, semaphore_code AS code, month + (k - 1)::int AS day, n
        FROM history_count, unnest(days) WITH ORDINALITY AS one (n, k) WHERE n <> 0 ORDER BY 1, 2, 5`),
    ).toEqual([
      { source: 1, operator: 0, region: 0, code: '', day: '2026-01-01', n: 5 },
      { source: 1, operator: 0, region: 0, code: '', day: '2026-01-31', n: 7 },
      { source: 1, operator: 0, region: 0, code: '', day: '2026-02-28', n: 11 },
      { source: 1, operator: 4, region: 0, code: 'A', day: '2026-01-15', n: 3 },
      { source: 2, operator: 4, region: 9, code: '', day: '2026-02-02', n: 2 },
    ])
    expect(await query('SELECT DISTINCT cardinality(days) AS length FROM history_count')).toEqual([
      { length: 31 },
    ])
    expect(await query("SELECT reloptions FROM pg_class WHERE relname = 'history_count_2026_01'")).toEqual([
      { reloptions: ['fillfactor=80'] },
    ])

    const made = await makePartitions(database.owner, {
      at: [new Date('2026-02-10T12:00:00+08:00')],
      retentionDays: 30,
    })
    expect(made).not.toContain('history_count_2026_02')
    expect(made).toContain('history_count_2026_03')
  })
})
