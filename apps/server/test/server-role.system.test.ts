import { listOperations } from '@voltkeep/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serverRole } from '../src/platform/database/connections/server-role.ts'
import { startEmbeddedPostgres } from '../src/platform/database/embedded/embedded.ts'
import { createLog } from '../src/platform/process/log.ts'
import { withDatabase } from './command-ledger.ts'
import { databaseUrlOf } from './embedded-url.ts'
import { asServer, onServer } from './postgres.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

let server: ServerProcess
beforeAll(async () => {
  server = await startServerProcess()
})
afterAll(() => server.remove())

/** The roles of this database's connections by purpose, without the test's own. */
const connectedRoles = () =>
  withDatabase(server, async (pool) => {
    const { rows } = await pool.query<{ name: string; role: string }>(`
      SELECT DISTINCT application_name AS name, usename::text AS role FROM pg_stat_activity
      WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
        AND application_name LIKE 'voltkeep%'`)
    return rows
  })

const entries = async () => {
  const token = await server.client.signIn('admin', server.adminPassword)
  return (await server.client.call(listOperations, {}, token)).total ?? 0
}

async function expectSeparation(): Promise<void> {
  const roles = await connectedRoles()
  expect(roles.length).toBeGreaterThan(1)
  for (const { name, role } of roles)
    expect([name, role]).toEqual([name, name.endsWith(' owner') ? 'voltkeep' : serverRole])
  for (const statement of ['DELETE FROM operation_log', 'ALTER TABLE operation_log DISABLE TRIGGER ALL']) {
    await expect(onServer(asServer(databaseUrlOf(server.dataDir)), statement)).rejects.toThrow(
      /permission denied|must be owner/,
    )
  }
}

test('on a new installation the server works as a role that cannot change the operation log', async () => {
  await entries()
  await expectSeparation()
})

test('data of a release with one role are migrated at the start, with all their entries', async () => {
  const before = await entries()
  await server.stop()
  const { dataDir } = server
  const postgres = await startEmbeddedPostgres({
    dataDir,
    log: createLog({ level: 'error' }),
    zone: 'Asia/Shanghai',
  })
  await onServer(postgres.ownerUrl, `DROP OWNED BY ${serverRole}`)
  await onServer(postgres.ownerUrl, `DROP ROLE ${serverRole}`)
  await postgres.stop()

  await server.start()
  expect(await entries()).toBeGreaterThan(before)
  await expectSeparation()
})
