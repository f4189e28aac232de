import type pg from 'pg'
import { afterAll, beforeAll, inject } from 'vitest'
import { grantServerRole, serverRole } from '../src/platform/database/connections/server-role.ts'
import { type OpenDatabase, openDatabase, openPool } from '../src/platform/database/database.ts'
import { asServer, onServer, withDatabase } from './postgres.ts'

export interface TestDatabase extends OpenDatabase {
  /** The URL of the server's role, which `db` and `pool` use: it owns no table. */
  url: string
  /** The pool of the tables' owner; connects on first use. */
  owner: pg.Pool
  ownerUrl: string
  /** Runs DDL as the owner, like a migration: new tables are granted to the server's role. */
  define(statements: string): Promise<void>
}

let count = 0

/**
 * A migrated database for this test file: a clone of the run's template, which takes some 50 ms. `close()` closes it;
 * it is dropped with the scratch server, or at once on an external one (a drop waits for a checkpoint, 100 ms and
 * more).
 */
export async function createTestDatabase({
  zone = 'Asia/Shanghai',
  poolSize = 4,
  /** With the rows that seeds plant: menus, roles, regions and others. Planting them takes a second. */
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

/** Ends with its file what was made where the file is loaded, so that a retry does not begin without it. */
export function endWithFile(end: () => Promise<unknown>): void {
  // Vitest reads the pattern of the first argument, and passes the file as the second.
  // biome-ignore lint/correctness/noEmptyPattern: vitest refuses any other argument
  beforeAll(({}, file) => {
    file.meta.isSetUpOnce = true
  })
  afterAll(end)
}

/** The database of a test file, which is closed behind its tests. */
export async function databaseOfTests(
  ...options: Parameters<typeof createTestDatabase>
): Promise<TestDatabase> {
  const database = await createTestDatabase(...options)
  endWithFile(() => database.close())
  return database
}
