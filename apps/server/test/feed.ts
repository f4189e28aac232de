// Consumers of the feed for tests, and transactions that commit when they are told to.
import { type CloudEvent, readFeed } from '@voltkeep/contract'
import type { Transaction } from 'kysely'
import { expect } from 'vitest'
import type { Db } from '../src/platform/database/database.ts'
import type { Database } from '../src/platform/database/tables.ts'
import type { TestApp } from './app.ts'

export function feedOf(app: TestApp) {
  const read = async (secret: string, input: object = {}) => {
    const answer = await app.call(readFeed, input, secret)
    expect([answer.code, answer.message]).toEqual([200, '操作成功'])
    return answer.data
  }
  return {
    read,
    /** The place behind everything. */
    now: async (secret: string) => (await read(secret, { after: 'latest' })).next,
    /** Everything behind the cursor. `between` is called after each page with its number, the first being 1. */
    async drain(secret: string, cursor: string, limit = 200, between = async (_page: number) => {}) {
      const events: CloudEvent[] = []
      for (let after = cursor, page = 1; ; page += 1) {
        const part = await read(secret, { after, limit })
        events.push(...part.events)
        after = part.next
        await between(page)
        if (!part.hasMore) return { events, next: after }
      }
    },
  }
}

/** Does the work in a transaction, which is held open until the returned function is called. */
export async function beginHeld(
  db: Db,
  work: (trx: Transaction<Database>) => Promise<unknown>,
): Promise<() => Promise<void>> {
  const told = Promise.withResolvers<void>()
  const written = Promise.withResolvers<void>()
  const done = db.transaction().execute(async (trx) => {
    await work(trx)
    written.resolve()
    await told.promise
  })
  done.catch(written.reject)
  await written.promise
  return async () => {
    told.resolve()
    await done
  }
}
