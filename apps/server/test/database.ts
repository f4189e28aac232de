import { inject } from 'vitest'
import { type OpenDatabase, openDatabase } from '../src/platform/database/database.ts'
import { onServer, withDatabase } from './postgres.ts'

export interface TestDatabase extends OpenDatabase {
  url: string
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
  const url = withDatabase(serverUrl, name)
  const database = await openDatabase({ url, zone, poolSize })
  return {
    ...database,
    url,
    close: async () => {
      await database.close()
      if (!inject('isScratchServer')) await onServer(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}
