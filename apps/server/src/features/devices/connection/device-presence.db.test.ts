import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { insertDevice } from '../../../../test/factories.ts'
import type { Pending } from '../../../platform/devices/ingest/writer.ts'
import { createPresence, type Presence } from './device-presence.ts'

let database: TestDatabase
let deviceId: number
let opened: Presence[]
beforeAll(async () => {
  database = await createTestDatabase({ isSeeded: true })
})
beforeEach(async () => {
  deviceId = (await insertDevice(database.db)).id
  opened = []
  // Behind the database's clock.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.now() - 3_600_000 })
})
afterEach(() => {
  for (const presence of opened) presence.close()
  vi.useRealTimers()
})
afterAll(() => database.close())

/** A process that receives a share of the reports from an external broker. */
function startProcess() {
  const waiting: Pending[] = []
  const published: unknown[] = []
  const presence = createPresence({
    lanes: { put: (pending) => void waiting.push(pending as Pending) },
    notices: { publish: (_kind, ids) => void published.push(ids) },
  })
  opened.push(presence)
  return {
    published,
    online: () => presence.connected(deviceId, null),
    will: (done?: () => void) => presence.disconnected(deviceId, false, done),
    stop: () => presence.close(),
    /** Writes the waiting reports in order of arrival. */
    async write() {
      const connection = await database.pool.connect()
      for (const { writer, entry, done } of waiting.splice(0)) {
        ;(await writer.write(connection, [entry]))?.()
        done('stored')
      }
      connection.release()
    },
  }
}

const isOnline = async () =>
  (
    await database.db
      .selectFrom('device_state')
      .select('is_online')
      .where('device_id', '=', deviceId)
      .executeTakeFirst()
  )?.is_online

test('a disconnect seen by one process does not end a connection that another one has seen since', async () => {
  const [a, b] = [startProcess(), startProcess()]
  a.online()
  await a.write()
  vi.advanceTimersByTime(60_000)
  b.will()
  vi.advanceTimersByTime(1_000)
  a.online()
  await a.write()
  vi.advanceTimersByTime(10_000)
  await b.write()
  expect(await isOnline()).toBe(true)
})

test('a disconnect counts, whichever process sees it', async () => {
  const [a, b] = [startProcess(), startProcess()]
  a.online()
  await a.write()
  expect(a.published).toEqual([[deviceId]])
  vi.advanceTimersByTime(60_000)
  b.will()
  vi.advanceTimersByTime(10_000)
  await b.write()
  expect(await isOnline()).toBe(false)
  expect(b.published).toEqual([[deviceId]])
})

test('a reconnect counts, even if the process never knew about the disconnect', async () => {
  const [a, b] = [startProcess(), startProcess()]
  a.online()
  await a.write()
  vi.advanceTimersByTime(60_000)
  b.will()
  vi.advanceTimersByTime(10_000)
  await b.write()
  vi.advanceTimersByTime(60_000)
  a.online()
  await a.write()
  expect(await isOnline()).toBe(true)
})

test('a report that is written late does not replace a newer one', async () => {
  const [a, b] = [startProcess(), startProcess()]
  a.online()
  vi.advanceTimersByTime(2_000)
  b.will()
  vi.advanceTimersByTime(10_000)
  await b.write()
  await a.write()
  expect(await isOnline()).toBe(false)
})

test('a clock that was set back does not suppress reports', async () => {
  const process = startProcess()
  process.online()
  await process.write()
  await database.db
    .updateTable('device_state')
    .set({ online_changed_at: new Date(Date.now() + 2 * 3_600_000) })
    .where('device_id', '=', deviceId)
    .execute()
  process.will()
  vi.advanceTimersByTime(10_000)
  await process.write()
  expect(await isOnline()).toBe(false)
})

test('a disconnect is acknowledged when it is written, or when the device is back', async () => {
  const process = startProcess()
  const [mended, written] = [vi.fn(), vi.fn()]
  process.will(mended)
  process.online()
  expect(mended).toHaveBeenCalledOnce()
  await process.write()
  process.will(written)
  vi.advanceTimersByTime(10_000)
  expect(written).not.toHaveBeenCalled()
  await process.write()
  expect(written).toHaveBeenCalledOnce()
  expect(await isOnline()).toBe(false)
})

test('a stop writes the disconnects received so far, and those received while it stops', async () => {
  for (const isEarly of [true, false]) {
    const process = startProcess()
    process.online()
    await process.write()
    vi.advanceTimersByTime(60_000)
    const done = vi.fn()
    if (isEarly) process.will(done)
    process.stop()
    if (!isEarly) process.will(done)
    await process.write()
    expect(done).toHaveBeenCalledOnce()
    expect(await isOnline()).toBe(false)
  }
})

test('a device that could not come back while the database was away is offline only when its time is over', () => {
  const released: number[] = []
  let graceMs = 0
  const presence = createPresence({
    lanes: { put() {} },
    notices: { publish() {} },
    holding: {
      claim: (_id, { line }) => ({ nodeId: 1, epoch: 1, line }),
      release: (id) => void released.push(id),
      now: Date.now,
      graceMs: () => graceMs,
    },
  })
  opened.push(presence)
  const line = { close() {} }
  for (const id of [1, 2]) {
    presence.connected(id, null, undefined, line)
    presence.disconnected(id, false)
  }
  graceMs = 50_000
  vi.advanceTimersByTime(5_000)
  expect(released).toEqual([])
  // It was away once more.
  graceMs = 20_000
  vi.advanceTimersByTime(50_000)
  presence.connected(1, null, undefined, line)
  graceMs = 0
  vi.advanceTimersByTime(19_999)
  expect(released).toEqual([])
  vi.advanceTimersByTime(1)
  expect(released).toEqual([2])
})
