import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { openPool } from '../database.ts'
import { findMissing, listAhead, migrate } from './migrate.ts'

describe('migrations', () => {
  let database: TestDatabase
  let directory: string
  const put = (name: string, sql: string) => writeFileSync(join(directory, name), sql)

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'voltkeep-migrations-'))
    database = await createTestDatabase()
    // The clone's table lists the product's own migrations.
    await database.owner.query('DROP TABLE schema_migrations')
    put('0001_first.sql', 'CREATE TABLE first_one (id int);')
  })
  afterEach(async () => {
    await database.close()
    rmSync(directory, { recursive: true })
  })

  test('are applied in order, once', async () => {
    put('0002_second.sql', 'ALTER TABLE first_one ADD COLUMN name text; CREATE INDEX ON first_one (name);')
    expect(await migrate(database.owner, directory)).toEqual(['0001_first.sql', '0002_second.sql'])
    expect(await migrate(database.owner, directory)).toEqual([])
  })

  test('are applied by one of several processes that start at the same time', async () => {
    const results = await Promise.all([1, 2, 3].map(() => migrate(database.owner, directory)))
    expect(results.flat()).toEqual(['0001_first.sql'])
  })

  test('roll back a file that fails half way, and name the place', async () => {
    put('0002_broken.sql', 'CREATE TABLE half (id int);\nCREATE TABLE nonsense (id nonsense);')
    await expect(migrate(database.owner, directory)).rejects.toThrow(
      '0002_broken.sql 失败，未做任何修改：第 2 行',
    )
    const { rows } = await database.pool.query(
      "SELECT to_regclass('half') AS half, to_regclass('first_one') AS first",
    )
    expect(rows[0]).toEqual({ half: null, first: 'first_one' })
  })

  test('report the first error if the connection is lost with it', async () => {
    put('0002_cut.sql', 'SELECT pg_terminate_backend(pg_backend_pid());')
    await expect(migrate(database.owner, directory)).rejects.toThrow(
      '0002_cut.sql 失败，未做任何修改：terminating',
    )
    put('0002_cut.sql', 'SELECT 1;')
    expect(await migrate(database.owner, directory)).toEqual(['0002_cut.sql'])
  })

  test('refuse a file that was changed after it was applied, except for its line endings', async () => {
    put('0001_first.sql', 'CREATE TABLE first_one (\nid int);')
    await migrate(database.owner, directory)
    put('0001_first.sql', 'CREATE TABLE first_one (\r\nid int);')
    expect(await migrate(database.owner, directory)).toEqual([])
    put('0001_first.sql', 'CREATE TABLE first_one (\nid bigint);')
    await expect(migrate(database.owner, directory)).rejects.toThrow('在应用之后被修改过')
  })

  test('refuse a database that is newer than the program', async () => {
    put('0002_second.sql', 'SELECT 1;')
    await migrate(database.owner, directory)
    await database.owner.query(
      "UPDATE schema_migrations SET works_from = NULL WHERE name = '0002_second.sql'",
    )
    rmSync(join(directory, '0002_second.sql'))
    await expect(migrate(database.owner, directory)).rejects.toThrow('数据库比程序新')
  })

  test('go on with a newer database that extends what there is, and whose record an older release has begun', async () => {
    await database.owner.query(`
      CREATE TABLE schema_migrations (name text PRIMARY KEY, checksum text, applied_at timestamptz DEFAULT now())`)
    put('0002_more.sql', 'ALTER TABLE first_one ADD COLUMN note text;')
    put('0003_less.sql', '-- contract: since 0002\nALTER TABLE first_one DROP COLUMN id;')
    await migrate(database.owner, directory, { release: '1.0.0' })
    rmSync(join(directory, '0003_less.sql'))
    expect(await migrate(database.owner, directory)).toEqual([])
    expect(await listAhead(database.owner, directory)).toEqual(['0003_less.sql'])
    expect(await findMissing(database.owner, directory)).toBeUndefined()
    rmSync(join(directory, '0002_more.sql'))
    const refusal =
      '数据库比程序新：它已由 Voltkeep 1.0.0 应用迁移 0003_less.sql，本版本不能使用。请启动 1.0.0 或更新的版本。'
    await expect(migrate(database.owner, directory)).rejects.toThrow(refusal)
    await expect(findMissing(database.owner, directory)).rejects.toThrow(refusal)
  })

  test('refuse a file with a lower number than an applied one, and two with the same number', async () => {
    put('0003_third.sql', 'SELECT 1;')
    await migrate(database.owner, directory)
    put('0002_late.sql', 'SELECT 1;')
    await expect(migrate(database.owner, directory)).rejects.toThrow(
      '0002_late.sql 的编号早于已应用的 0003_third.sql',
    )
    put('0003_other.sql', 'SELECT 1;')
    await expect(migrate(database.owner, directory)).rejects.toThrow('编号重复')
  })
})

describe('beside a server that goes on writing, migrations', () => {
  let database: TestDatabase
  let directory: string
  let other: pg.PoolClient
  const put = (name: string, sql: string) => writeFileSync(join(directory, name), sql)
  /** Whether a statement of a migration waits for somebody's lock, or for the end of somebody's transaction. */
  const waits = async (like: string) => {
    const { rowCount } = await database.owner.query(
      "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1 AND datname = current_database()",
      [like],
    )
    return (rowCount ?? 0) > 0
  }

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'voltkeep-migrations-'))
    database = await createTestDatabase()
    await database.owner.query('DROP TABLE schema_migrations')
    put('0001_first.sql', 'CREATE TABLE report (id int, note text);')
    put(
      '0002_parts.sql',
      `CREATE TABLE parted (id int, month int NOT NULL) PARTITION BY RANGE (month);
       CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (1) TO (2);
       CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (2) TO (3);`,
    )
    await migrate(database.owner, directory)
    await database.define('SELECT')
    other = await database.pool.connect()
    await other.query('BEGIN; INSERT INTO report VALUES (1)')
  })
  afterEach(async () => {
    other.release()
    await database.close()
    rmSync(directory, { recursive: true })
  })
  /** With pools of their own: the tests' owner has two connections only. */
  const migrating = () => {
    const own = openPool({ url: database.ownerUrl, zone: 'UTC', poolSize: 1 })
    return migrate(own, directory).finally(() => own.end())
  }

  test('that need a table for a moment let others pass until they get it', async () => {
    put('0003_column.sql', 'ALTER TABLE report ADD COLUMN more text;')
    const applied = migrating()
    await expect.poll(() => waits('ALTER TABLE report%')).toBe(true)
    // It stands behind the migration, which gives way.
    await database.pool.query('INSERT INTO report VALUES (2)')
    await other.query('COMMIT')
    expect(await applied).toEqual(['0003_column.sql'])
  })

  test('give up in the end, and say that nothing was changed', async () => {
    put('0003_column.sql', 'ALTER TABLE report ADD COLUMN more text;')
    await expect(migrate(database.owner, directory, { patienceMs: 0 })).rejects.toThrow(
      '0003_column.sql 失败，未做任何修改：canceling statement due to lock timeout',
    )
    await other.query('COMMIT')
    expect(await migrate(database.owner, directory)).toEqual(['0003_column.sql'])
  })

  test('make an index without keeping anybody from writing, also while another process waits to migrate', async () => {
    put(
      '0003_index.sql',
      '-- online\nCREATE INDEX CONCURRENTLY report_note ON report (note)\n  WHERE id > 0;\n',
    )
    const first = migrating()
    await expect.poll(() => waits('CREATE INDEX CONCURRENTLY%')).toBe(true)
    const second = migrating()
    await database.pool.query('INSERT INTO report VALUES (2)')
    await other.query('COMMIT')
    expect(await Promise.all([first, second])).toEqual([['0003_index.sql'], []])
    const { rows } = await database.owner.query(
      "SELECT indisvalid AS valid, pg_get_indexdef(indexrelid) AS text FROM pg_index WHERE indexrelid = 'report_note'::regclass",
    )
    expect(rows).toEqual([
      { valid: true, text: expect.stringContaining('ON public.report USING btree (note) WHERE (id > 0)') },
    ])
  })

  test('make the index of a partitioned table by its partitions, and go on where a start was killed', async () => {
    await other.query('COMMIT; INSERT INTO parted SELECT n, 1 FROM generate_series(1, 3) AS n')
    put('0003_index.sql', '-- online\nCREATE UNIQUE INDEX CONCURRENTLY parted_id ON parted (id, month);\n')
    await database.owner.query('INSERT INTO parted VALUES (1, 1)')
    await expect(migrate(database.owner, directory)).rejects.toThrow('下次启动时继续')
    await database.owner.query('DELETE FROM parted WHERE ctid = (SELECT max(ctid) FROM parted)')
    expect(await migrate(database.owner, directory)).toEqual(['0003_index.sql'])
    await database.owner.query('CREATE TABLE parted_3 PARTITION OF parted FOR VALUES FROM (3) TO (4)')
    const { rows } = await database.owner.query(`
      SELECT indrelid::regclass::text AS of, indisvalid AS valid FROM pg_index
      WHERE indrelid::regclass::text LIKE 'parted%' ORDER BY 1`)
    expect(rows).toEqual(['parted', 'parted_1', 'parted_2', 'parted_3'].map((of) => ({ of, valid: true })))
  })

  test('fill a column in portions, and may not do more than once what is done', async () => {
    await other.query('COMMIT; INSERT INTO report SELECT n FROM generate_series(2, 25) AS n')
    put(
      '0003_fill.sql',
      `-- online
-- repeat
UPDATE report SET note = 'filled'
WHERE id IN (SELECT id FROM report WHERE note IS NULL ORDER BY id LIMIT 10);
`,
    )
    expect(await migrate(database.owner, directory)).toEqual(['0003_fill.sql'])
    const { rows } = await database.owner.query('SELECT DISTINCT note FROM report')
    expect(rows).toEqual([{ note: 'filled' }])
  })
})
