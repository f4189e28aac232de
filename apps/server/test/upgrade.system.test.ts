// Installations of every release since the first one, each a backup in test/releases, started by this one.
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { listAlarms, listDevices } from '@voltkeep/contract'
import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../src/platform/database/database.ts'
import { migrate, migrationsDir } from '../src/platform/database/schema/migrate.ts'
import { databaseUrlOf } from './embedded-url.ts'
import { startServerProcess } from './server-process.ts'

const keptIn = join(import.meta.dirname, 'releases')
const releases = readdirSync(keptIn).filter((name) => name.endsWith('.tar.zst'))
const directory = mkdtempSync(join(tmpdir(), 'voltkeep-upgrade-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

test('there is an installation of a release to be upgraded', () => {
  expect(releases).toContain('1.0.0.tar.zst')
})

test.each(releases)(
  '%s is upgraded with all that it had, and a migration that its rows do not fit would be met',
  async (file) => {
    const dataDir = join(directory, file, 'data')
    const restored = await promisify(execFile)(
      process.execPath,
      [join(import.meta.dirname, '../src/main.ts'), '--restore', join(keptIn, file)],
      { env: { ...process.env, DATA_DIR: dataDir, LC_ALL: 'C.UTF-8', DATABASE_URL: '' } },
    )
    expect(restored.stdout).toMatch(/设备 {2}20 → 20/)
    const server = await startServerProcess({ keptDataDir: dataDir, environment: { LOG_LEVEL: 'warn' } })
    try {
      expect(server.output).toMatch(
        /数据目录：\S+\/data，系统 [0-9a-f]{12}：设备 20 台，最后写入于 \d{4}-\d\d-\d\d \d\d:\d\d:\d\d/,
      )
      const token = await server.client.signIn('admin', server.adminPassword)
      expect((await server.client.call(listDevices, { pageSize: 1 }, token)).total).toBe(20)
      expect((await server.client.call(listAlarms, { pageSize: 1 }, token)).total).toBe(20)

      const migrations = join(directory, file, 'migrations')
      cpSync(migrationsDir, migrations, { recursive: true })
      // On an empty database it would pass.
      writeFileSync(
        join(migrations, '9999_broken.sql'),
        'ALTER TABLE device ADD CONSTRAINT device_of_old CHECK (id < 0);',
      )
      const database = await openDatabase({ url: databaseUrlOf(dataDir), zone: 'UTC', poolSize: 1 })
      await expect(migrate(database.pool, migrations)).rejects.toThrow('9999_broken.sql 失败，未做任何修改')
      await database.close()
    } finally {
      await server.remove()
    }
  },
)
