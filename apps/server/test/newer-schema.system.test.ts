// A release on the database of a newer one, as it is on the way back and while processes are replaced one by one.
import { readHealth } from '@voltkeep/contract'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseUrlOf } from './embedded-url.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

let server: ServerProcess
beforeAll(async () => {
  server = await startServerProcess({ demoDevices: 40 })
})
afterAll(() => server?.remove())

/** As the owner of the tables. */
async function change(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrlOf(server.dataDir) })
  await client.connect()
  await client.query(statement)
  await client.end()
}

test('an older release goes on with a newer database that has only been extended, and refuses one that has not', async () => {
  await change(`
    CREATE TABLE of_the_future (id int);
    ALTER TABLE device ADD COLUMN of_the_future text NOT NULL DEFAULT 'new';
    INSERT INTO schema_migrations (name, checksum, works_from, release)
    VALUES ('9990_future.sql', '', '0000', '9.0.0')`)
  await server.stop()
  await server.start()
  expect(await server.client.call(readHealth, {})).toMatchObject({ data: { status: 'up' } })
  expect(server.output).toContain('数据库已由更新的版本升级，本版本可以继续与它一起工作')

  await change(`
    INSERT INTO schema_migrations (name, checksum, works_from, release)
    VALUES ('9995_less.sql', '', '9990', '9.1.0')`)
  await server.stop()
  await expect(server.start()).rejects.toThrow(
    '启动失败：数据库比程序新：它已由 Voltkeep 9.1.0 应用迁移 9995_less.sql，本版本不能使用。请启动 9.1.0 或更新的版本。',
  )
})
