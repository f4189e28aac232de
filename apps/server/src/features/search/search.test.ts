import { setImmediate } from 'node:timers/promises'
import { type Driver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { expect, test } from 'vitest'
import type { Actor } from '../../platform/calls/actor.ts'
import type { Db } from '../../platform/database/database.ts'
import { createSearch } from './search.service.ts'

test('a search has no more connections at once than a few', async () => {
  let underWay = 0
  let most = 0
  let all = 0
  async function read() {
    underWay += 1
    all += 1
    most = Math.max(most, underWay)
    await setImmediate()
    underWay -= 1
    return []
  }
  const nothing = () => Promise.resolve()
  const driver: Driver = {
    init: nothing,
    destroy: nothing,
    acquireConnection: () =>
      Promise.resolve({
        executeQuery: async () => ({ rows: await read() }),
        async *streamQuery() {},
      }),
    releaseConnection: nothing,
    beginTransaction: nothing,
    commitTransaction: nothing,
    rollbackTransaction: nothing,
  }
  const db = new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver,
      createIntrospector: (own) => new PostgresIntrospector(own),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  }) as unknown as Db
  const search = createSearch({
    db,
    devices: { findDevices: read, listDevices: async () => ({ rows: await read(), total: 0 }) },
    batteries: { findBatteries: read },
    users: { findUsers: read },
  })
  const actor = { userId: 1, organizationId: 1, isSystem: true, functionCodes: new Set() } as unknown as Actor
  expect((await search.searchConsole(actor, { keyword: 'x' })).devices).toEqual([])
  expect(all).toBeGreaterThanOrEqual(8)
  expect(most).toBe(2)
})
