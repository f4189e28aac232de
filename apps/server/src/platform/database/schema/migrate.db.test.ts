import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { migrate } from './migrate.ts'

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
    rmSync(join(directory, '0002_second.sql'))
    await expect(migrate(database.owner, directory)).rejects.toThrow('数据库比程序新')
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
