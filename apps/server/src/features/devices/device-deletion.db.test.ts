import { expect, test } from 'vitest'
import { databaseOfTests } from '../../../test/database.ts'
import { insertDevice, insertUser, type TestDevice } from '../../../test/factories.ts'
import { createWriteLanes } from '../../platform/devices/ingest/write-lanes.ts'
import { createLog } from '../../platform/process/log.ts'
import { createSpokenProtocols } from '../mappings/index.ts'
import { createPresence } from './connection/device-presence.ts'
import { upsertPresence, upsertSightings } from './device-intake.queries.ts'
import { createDevices } from './devices.service.ts'

const database = await databaseOfTests({ isSeeded: true, poolSize: 12 })
const devices = createDevices({
  db: database.db,
  notices: { publish() {}, publishAtOnce() {} },
  ports: { mqttPort: null, mqttTlsPort: null },
  ...createSpokenProtocols({ isShared: false }),
})
const actor = {
  userId: (await insertUser(database.db)).id,
  loginName: 'admin',
  organizationId: 1,
  isSystem: true,
  makerId: null,
  functionCodes: new Set<string>(),
  mustChangePassword: false,
  tokenHash: Buffer.alloc(32),
  client: { address: '127.0.0.1', userAgent: null, requestId: 'r', call: 'c', summary: 's' },
}

const deleted = ({ id }: TestDevice) => devices.deleteDevice(actor, { id: String(id) })
const known = async (ids: readonly number[]) =>
  (await database.pool.query('SELECT id FROM device WHERE id = ANY ($1)', [ids])).rows
const deadlocks = async () => {
  await database.pool.query('SELECT pg_stat_force_next_flush()')
  const { rows } = await database.pool.query<{ deadlocks: number }>(
    'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
  )
  return rows[0]?.deadlocks
}
const lockWaits = async () =>
  (
    await database.pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
  ).rows.length

test('a device can be deleted while a batch that changed its state still refers to it', async () => {
  const device = await insertDevice(database.db)
  const batch = await database.pool.connect()
  const atMs = Date.now()
  try {
    await batch.query('BEGIN')
    await upsertSightings(batch, [{ deviceId: device.id, lastReportAtMs: atMs, clockOffsetMs: null }])
    const deletion = deleted(device)
    await expect.poll(lockWaits, { timeout: 20_000, interval: 5 }).toBeGreaterThan(0)
    const changes = [{ deviceId: device.id, isOnline: true, atMs, address: null }]
    expect(await upsertPresence(batch, changes)).toEqual([device.id])
    await batch.query('COMMIT')
    await deletion
  } finally {
    batch.release()
  }
  expect(await known([device.id])).toEqual([])
  expect(await deadlocks()).toBe(0)
})

test('devices are deleted while they connect and disconnect', async () => {
  const lanes = createWriteLanes({ pool: database.pool, log: createLog({ level: 'silent' }) })
  const presence = createPresence({ lanes, notices: { publish() {} } })
  const all: TestDevice[] = []
  for (let n = 0; n < 40; n += 1) all.push(await insertDevice(database.db))
  const ids = all.map(({ id }) => id)
  let isOver = false
  const comeAndGo = async () => {
    while (!isOver) {
      await Promise.all(ids.map((id) => new Promise((done) => presence.connected(id, null, done))))
      await Promise.all(ids.map((id) => new Promise((done) => presence.disconnected(id, true, done))))
    }
  }
  const flapping = comeAndGo()
  for (let start = 0; start < all.length; start += 4)
    await Promise.all(all.slice(start, start + 4).map(deleted))
  isOver = true
  await flapping
  presence.close()
  await lanes.drained()
  expect(await known(ids)).toEqual([])
  expect(await deadlocks()).toBe(0)
})
