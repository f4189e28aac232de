import type pg from 'pg'
import { inject } from 'vitest'
import { type OpenDatabase, openDatabase, openPool } from '../src/platform/database/database.ts'
import { grantServerRole, serverRole } from '../src/platform/database/server-role.ts'
import { asServer, onServer, withDatabase } from './postgres.ts'

export interface TestDatabase extends OpenDatabase {
  /** Of the role that the server's own connections have, and `db` and `pool` too: it owns no table. */
  url: string
  /** Of the tables' owner; connects when first asked. */
  owner: pg.Pool
  ownerUrl: string
  /** Runs statements that define tables, as a migration does: what they make is granted to the server's role. */
  define(statements: string): Promise<void>
}

let count = 0

/**
 * A freshly migrated database of this test file's own: a clone of the run's template, some 50 ms.
 * `close()` closes it; it is dropped with the server, or at once where the server is not ours (a drop
 * waits for a checkpoint, 100 ms and more).
 *
 *     const database = await createTestDatabase()
 *     afterAll(() => database.close())
 */
export async function createTestDatabase({
  zone = 'Asia/Shanghai',
  poolSize = 4,
  /** With menus, roles, regions and the rest that seeds plant: planting them takes a second. */
  isSeeded = false,
} = {}): Promise<TestDatabase> {
  const serverUrl = inject('postgresUrl')
  count += 1
  const name = `voltkeep_test_${process.pid}_${count}_${Date.now().toString(36)}`
  const template = inject(isSeeded ? 'seededTemplate' : 'templateDatabase')
  await onServer(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`)
  const ownerUrl = withDatabase(serverUrl, name)
  const url = asServer(ownerUrl)
  const database = await openDatabase({ url, zone, poolSize })
  const owner = openPool({ url: ownerUrl, zone, poolSize: 2 })
  return {
    ...database,
    url,
    owner,
    ownerUrl,
    define: async (statements) => {
      await owner.query(statements)
      await grantServerRole(owner, serverRole)
    },
    close: async () => {
      await database.close()
      await owner.end()
      if (!inject('isScratchServer')) await onServer(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}
