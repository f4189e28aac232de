import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { eventually } from '../../../../test/eventually.ts'
import { insertDevice } from '../../../../test/factories.ts'
import { type Nodes, openNodes } from '../../../platform/database/nodes/nodes.ts'
import { openNotices } from '../../../platform/database/notices/notices.ts'
import { createWriteLanes } from '../../../platform/devices/ingest/write-lanes.ts'
import { createLog } from '../../../platform/process/log.ts'
import { createPresence } from './device-presence.ts'
import { createHolding } from './holding.ts'

const log = createLog({ level: 'silent' })

let database: TestDatabase
let deviceId: number
let ends: (() => Promise<void>)[]
beforeEach(async () => {
  database = await createTestDatabase({ poolSize: 8, isSeeded: true })
  deviceId = (await insertDevice(database.db)).id
  ends = []
})
afterEach(async () => {
  for (const end of ends.toReversed()) await end()
  await database.close()
})

/** A process with the embedded broker, as far as it knows who is connected. */
async function startProcess({ freeAfterMs = 60_000, renewMs = 20 } = {}) {
  const nodes = await openNodes({
    pool: database.pool,
    log,
    facts: () => ({ name: 'n', address: '', roles: ['ingest'], version: '' }),
    renewMs,
    freeAfterMs,
  })
  const notices = await openNotices({ pool: database.pool, log })
  const lanes = createWriteLanes({ pool: database.pool, log, now: nodes.now })
  const holding = createHolding({ lanes, notices, pool: database.pool, nodes, log })
  const presence = createPresence({ lanes, notices, holding })
  holding.start()
  ends.push(async () => {
    presence.close()
    await holding.stop()
    await nodes.close()
    await notices.close()
  })
  return {
    nodes,
    holding,
    lanes,
    /** A connection of the device; `closed` once the process has closed it. */
    async connect(id = deviceId) {
      const line = {
        closed: false,
        close() {
          this.closed = true
        },
      }
      presence.connected(id, '192.0.2.1', undefined, line)
      await lanes.drained()
      return line
    },
    async disconnect(id = deviceId) {
      presence.disconnected(id, true)
      await lanes.drained()
    },
  }
}

const state = async (id = deviceId) =>
  (
    await database.pool.query(
      'SELECT is_online AS "isOnline", held_by AS "heldBy", held_epoch AS epoch FROM device_state WHERE device_id = $1',
      [id],
    )
  ).rows[0]
/** As if the process had been stopped for longer than its lease. */
const endLease = ({ nodes }: { nodes: Nodes }, by = '1 millisecond') =>
  database.owner.query(`UPDATE node SET lease_until = clock_timestamp() - $2::interval WHERE id = $1`, [
    nodes.id,
    by,
  ])
const changes = async () =>
  (
    await database.pool.query(
      'SELECT is_online AS "isOnline" FROM device_connection WHERE device_id = $1 ORDER BY id',
      [deviceId],
    )
  ).rows.map(({ isOnline }) => isOnline)

test('each connection of a device is counted, also one to the same process', async () => {
  const a = await startProcess()
  await a.connect()
  expect(await state()).toEqual({ isOnline: true, heldBy: a.nodes.id, epoch: 1 })
  await a.connect()
  expect(await state()).toEqual({ isOnline: true, heldBy: a.nodes.id, epoch: 2 })
  await a.disconnect()
  expect(await state()).toMatchObject({ isOnline: false, epoch: 2 })
})

test('a device that connects to another process is disconnected by the one that had it, which then says nothing about it', async () => {
  const [a, b] = [await startProcess(), await startProcess()]
  await eventually(() => expect([...b.nodes.others]).toEqual([a.nodes.id]))
  const former = await a.connect()
  const present = await b.connect()
  await eventually(() => expect(former.closed).toBe(true))
  await a.disconnect()
  expect(await state()).toEqual({ isOnline: true, heldBy: b.nodes.id, epoch: 2 })
  expect(present.closed).toBe(false)
  expect(await changes()).toEqual([true])
  await b.disconnect()
  expect(await state()).toMatchObject({ isOnline: false })
})

test('a process whose lease has ended takes no device, and closes the connection', async () => {
  const [a, b] = [await startProcess({ renewMs: 60_000 }), await startProcess()]
  await endLease(a)
  await b.connect()
  const late = await a.connect()
  expect(late.closed).toBe(true)
  expect(await state()).toEqual({ isOnline: true, heldBy: b.nodes.id, epoch: 1 })
})

test('a process that was stopped keeps the devices that nobody has taken meanwhile, and closes the others', async () => {
  const [a, b] = [await startProcess({ renewMs: 300 }), await startProcess()]
  const other = (await insertDevice(database.db)).id
  const [stays, leaves] = [await a.connect(), await a.connect(other)]
  const former = a.nodes.id
  await endLease(a)
  await b.connect(other)
  await eventually(() => expect(a.nodes.id).not.toBe(former))
  await eventually(() => expect(leaves.closed).toBe(true))
  expect(stays.closed).toBe(false)
  expect(await state()).toEqual({ isOnline: true, heldBy: a.nodes.id, epoch: 1 })
  expect(await state(other)).toEqual({ isOnline: true, heldBy: b.nodes.id, epoch: 2 })
  await a.disconnect()
  expect(await state()).toMatchObject({ isOnline: false })
})

test('devices of a process that is gone are offline only after their time, and those that were back by then never', async () => {
  const gone = await startProcess({ renewMs: 60_000 })
  const back = (await insertDevice(database.db)).id
  await gone.connect()
  await gone.connect(back)
  await endLease(gone, '10 seconds')
  const stays = await startProcess({ freeAfterMs: 40_000 })
  // It has been here for long enough, and the others' time is not over.
  await database.owner.query(`UPDATE node SET leased_at = leased_at - interval '1 minute' WHERE id = $1`, [
    stays.nodes.id,
  ])
  await stays.connect(back)
  await eventually(async () => expect((await rowsOfNodes()).length).toBe(2))
  expect(await state()).toMatchObject({ isOnline: true })
  await endLease(gone, '1 minute')
  await eventually(async () => expect(await state()).toMatchObject({ isOnline: false }))
  expect(await state(back)).toEqual({ isOnline: true, heldBy: stays.nodes.id, epoch: 2 })
  expect(await changes()).toEqual([true, false])
})

const rowsOfNodes = async () => (await database.pool.query('SELECT FROM node')).rows

test('devices have a keepalive to come back after the database was away', async () => {
  const { holding, nodes } = await startProcess({ renewMs: 60_000 })
  expect(holding.graceMs()).toBe(0)
  const sleeping = database.pool.query('SELECT pg_sleep(600)').catch((error: unknown) => error)
  await eventually(async () => {
    const { rowCount } = await database.owner.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query = 'SELECT pg_sleep(600)'`,
    )
    expect(rowCount).toBe(1)
  })
  expect(await sleeping).toMatchObject({ code: '57P01' })
  expect(holding.graceMs()).toBeGreaterThan(nodes.freeAfterMs / 2)
  expect(holding.graceMs()).toBeLessThanOrEqual(nodes.freeAfterMs)
})

test('a device that is shown online, and that no process says it has, is offline after the same time', async () => {
  await database.pool.query(
    'UPDATE device_state SET is_online = true, online_changed_at = now() WHERE device_id = $1',
    [deviceId],
  )
  const stays = await startProcess({ freeAfterMs: 40_000 })
  await database.owner.query(`UPDATE node SET leased_at = leased_at - interval '1 minute' WHERE id = $1`, [
    stays.nodes.id,
  ])
  await eventually(async () => expect(await state()).toMatchObject({ isOnline: false }))
})

test('a process knows which devices another one has, as long as that has its lease', async () => {
  const [a, b] = [await startProcess(), await startProcess({ renewMs: 60_000 })]
  await eventually(() => expect([...a.nodes.others]).toEqual([b.nodes.id]))
  await b.connect()
  expect(await a.holding.listElsewhere([deviceId, 999_999])).toEqual([deviceId])
  await endLease(b)
  expect(await a.holding.listElsewhere([deviceId])).toEqual([])
})
