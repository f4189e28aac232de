import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { databaseOfTests } from '../../../../test/database.ts'
import { insertDevice } from '../../../../test/factories.ts'
import { createLog } from '../../../platform/process/log.ts'
import { releaseAbandoned } from './holding.queries.ts'
import { createPolledPresence, type PolledPresence } from './polled-presence.ts'

const database = await databaseOfTests({ isSeeded: true })
const second = 1_000
const minute = 60 * second

let nowMs: number
let told: number[]
let presence: PolledPresence
beforeEach(() => {
  nowMs = Date.now()
  told = []
  presence = make()
})

const make = (pool = database.pool) =>
  createPolledPresence({
    pool,
    notices: {
      publish: (_notice, ids) => {
        for (const id of ids ?? []) told.push(Number(id))
      },
    },
    log: createLog({ level: 'silent' }),
    intervalMs: 5 * minute,
    silentMs: 15 * minute,
    now: () => nowMs,
  })

async function stateOf(id: number) {
  const { rows } = await sql<{ isOnline: boolean; from: string | null; heardAt: Date | null }>`
    SELECT is_online AS "isOnline", connected_from AS "from", last_report_at AS "heardAt"
    FROM device_state WHERE device_id = ${id}`.execute(database.db)
  return rows[0]
}

test('a poll makes a device online, and the next ones are written now and then', async () => {
  const { id } = await insertDevice(database.db, { protocol: 'ddi' })
  await presence.polled(id, '10.0.0.1')
  expect(await stateOf(id)).toEqual({ isOnline: true, from: '10.0.0.1', heardAt: new Date(nowMs) })
  const firstMs = nowMs
  nowMs += 10 * second
  await presence.polled(id, '10.0.0.1')
  expect(await stateOf(id)).toMatchObject({ heardAt: new Date(firstMs) })
  // From elsewhere.
  await presence.polled(id, '10.0.0.2')
  expect(await stateOf(id)).toMatchObject({ from: '10.0.0.2', heardAt: new Date(nowMs) })
  nowMs += minute
  await presence.polled(id, '10.0.0.2')
  expect(await stateOf(id)).toMatchObject({ heardAt: new Date(nowMs) })
  expect(told).toEqual([id])
})

test('a device that misses three polls is offline; one at the broker is not meant', async () => {
  const silent = await insertDevice(database.db, { protocol: 'ddi' })
  const there = await insertDevice(database.db, { protocol: 'ddi' })
  const broker = await insertDevice(database.db)
  await sql`UPDATE device_state SET is_online = true, last_report_at = now() - interval '1 day'
    WHERE device_id = ${broker.id}`.execute(database.db)
  presence.begin()
  await presence.polled(silent.id, '10.0.0.1')
  await presence.polled(there.id, '10.0.0.1')
  nowMs += 14 * minute
  await presence.polled(there.id, '10.0.0.1')
  await presence.look()
  expect(await stateOf(silent.id)).toMatchObject({ isOnline: true })
  nowMs += 2 * minute
  told = []
  await presence.look()
  expect(await stateOf(silent.id)).toMatchObject({ isOnline: false })
  expect(await stateOf(there.id)).toMatchObject({ isOnline: true })
  expect(await stateOf(broker.id)).toMatchObject({ isOnline: true })
  expect(told).toEqual([silent.id])
  await presence.polled(silent.id, '10.0.0.1')
  expect(await stateOf(silent.id)).toMatchObject({ isOnline: true })
  // What the broker looks for after a start.
  const abandoned = await releaseAbandoned(database.pool, {
    freeAfterMs: 0,
    limit: 1_000,
    protocols: ['mqtt'],
  })
  expect(abandoned).toContain(broker.id)
  expect(abandoned).not.toContain(silent.id)
})

test('silence does not count from before this process, nor while the database was away', async () => {
  const { id } = await insertDevice(database.db, { protocol: 'ddi' })
  await presence.polled(id, '10.0.0.1')
  nowMs += 60 * minute
  let isAway = false
  const pool = new Proxy(database.pool, {
    get: (of, name) =>
      name === 'query' && isAway
        ? () => Promise.reject(new Error('Connection terminated unexpectedly'))
        : Reflect.get(of, name, of),
  })
  const restarted = make(pool)
  restarted.begin()
  nowMs += 14 * minute
  await restarted.look()
  expect(await stateOf(id)).toMatchObject({ isOnline: true })
  isAway = true
  nowMs += 2 * minute
  await restarted.look()
  isAway = false
  nowMs += 14 * minute
  await restarted.look()
  expect(await stateOf(id)).toMatchObject({ isOnline: true })
  nowMs += 2 * minute
  await restarted.look()
  expect(await stateOf(id)).toMatchObject({ isOnline: false })
})
