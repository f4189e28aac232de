import { inject } from 'vitest'
import { type OpenDatabase, openDatabase } from '../src/platform/database/database.ts'
import { onServer, withDatabase } from './postgres.ts'

export interface TestDatabase extends OpenDatabase {
  url: string
}

let count = 0

/**
 * A freshly migrated database of this test file's own: a clone of the run's template, some 50 ms.
 * `close()` drops it.
 *
 *     const database = await createTestDatabase()
 *     afterAll(() => database.close())
 */
export async function createTestDatabase({
  zone = 'Asia/Shanghai',
  poolSize = 4,
} = {}): Promise<TestDatabase> {
  const serverUrl = inject('postgresUrl')
  count += 1
  const name = `voltkeep_test_${process.pid}_${count}_${Date.now().toString(36)}`
  await onServer(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${inject('templateDatabase')}`)
  const url = withDatabase(serverUrl, name)
  const database = await openDatabase({ url, zone, poolSize })
  return {
    ...database,
    url,
    close: async () => {
      await database.close()
      await onServer(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}
