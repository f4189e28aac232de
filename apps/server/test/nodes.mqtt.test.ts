// Two processes with the embedded broker on one database, as behind a TCP balancer.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readReadiness } from '@voltkeep/contract'
import { downFilterOf, topicOf } from '@voltkeep/contract/topics/index'
import type { IPublishPacket } from 'mqtt-packet'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, createApp } from '../src/app.ts'
import { type Commands, createCommands } from '../src/platform/devices/commands/commands.ts'
import { createLog } from '../src/platform/process/log.ts'
import type { Ports } from '../src/platform/process/own-url.ts'
import { createTestApp, type TestApp } from './app.ts'
import { clientOf } from './client.ts'
import { eventually } from './eventually.ts'
import { insertDevice, type TestDevice } from './factories.ts'
import { connectDevice, connectRaw, type RawClient } from './mqtt-client.ts'

let app: TestApp
let second: App
let secondPorts: Ports
let secondDir: string

beforeAll(async () => {
  app = await createTestApp()
  secondDir = mkdtempSync(join(tmpdir(), 'voltkeep-second-'))
  second = await createApp({
    config: {
      ...app.config,
      dataDir: secondDir,
      roles: new Set(['api', 'ingest'] as const),
      drainSeconds: 1,
    },
    log: createLog({ level: 'silent' }),
    database: app.database,
    owner: app.database.owner,
  })
  secondPorts = { ...(await second.listen()) }
  // The first has renewed its lease since the other came.
  await eventually(async () => {
    const { rows } = await app.database.pool.query(`
      SELECT FROM node a JOIN node b ON a.id < b.id AND a.lease_until - interval '12 seconds' > b.leased_at`)
    expect(rows).toHaveLength(1)
  })
})
afterAll(async () => {
  await second.close()
  await app.close()
  rmSync(secondDir, { recursive: true, force: true })
})

const firstPort = () => app.ports.mqttPort as number
const secondPort = () => secondPorts.mqttPort as number

async function listen(port: number, device: TestDevice): Promise<RawClient> {
  const client = await connectDevice(port, device)
  client.send({
    cmd: 'subscribe',
    messageId: 1,
    subscriptions: [{ topic: downFilterOf(device.code), qos: 1 }],
  })
  await client.next('suback')
  return client
}

/** Commands of another process. */
const commands: Commands = createCommands({ log: createLog({ level: 'silent' }), metrics: new Registry() })
let serial = 0
async function withdraw({ id: deviceId, code: deviceCode }: TestDevice): Promise<string> {
  serial += 1
  const [id] = await app.db.transaction().execute((trx) =>
    commands.send(trx, [
      {
        deviceId,
        deviceCode,
        topic: 'withdraw',
        body: { advertisementId: `ad-${serial}` },
        deadline: new Date(Date.now() + 600_000),
        rule: { maxAttempts: 5, intervalMs: 60_000 },
      },
    ]),
  )
  return id as string
}
const publishedTo = (client: RawClient) =>
  client.received.filter(({ cmd }) => cmd === 'publish').map((packet) => idOf(packet as IPublishPacket))
const idOf = ({ payload }: IPublishPacket) => (JSON.parse(String(payload)) as { id: string }).id
const deliveredCount = async (devices: readonly TestDevice[]) =>
  (
    await app.database.pool.query(
      `SELECT FROM device_command WHERE device_id = ANY ($1) AND state = 'delivered'`,
      [devices.map(({ id }) => id)],
    )
  ).rows.length
const stateOf = async ({ id }: TestDevice) =>
  (
    await app.database.pool.query(
      'SELECT is_online AS "isOnline", held_epoch AS epoch FROM device_state WHERE device_id = $1',
      [id],
    )
  ).rows[0]
const event = (id: string) => ({ id, time: Date.now(), code: '02110001', value: 1 })

test('a device that connects to the other process is disconnected by the first, and stays online', async () => {
  const device = await insertDevice(app.db)
  const former = await listen(firstPort(), device)
  await eventually(async () => expect(await stateOf(device)).toEqual({ isOnline: true, epoch: 1 }))
  const present = await listen(secondPort(), device)
  await former.closed()
  expect(await present.publish(topicOf(device.code, 'up', 'event'), event('a'))).toBe(true)
  expect(await stateOf(device)).toEqual({ isOnline: true, epoch: 2 })
  await present.disconnect()
  await eventually(async () => expect(await stateOf(device)).toMatchObject({ isOnline: false }))
})

test('commands go out where the device is, wherever they are made, and each once', async () => {
  const devices = [await insertDevice(app.db), await insertDevice(app.db)] as const
  const clients = [await listen(firstPort(), devices[0]), await listen(secondPort(), devices[1])] as const
  for (const [place, device] of devices.entries()) {
    const id = await withdraw(device)
    const packet = (await clients[place]?.next('publish')) as IPublishPacket
    expect(idOf(packet)).toBe(id)
    clients[place]?.send({ cmd: 'puback', messageId: packet.messageId as number })
  }
  // The device moves, and its next command goes after it. What it had acknowledged does not.
  await eventually(async () => expect(await deliveredCount(devices)).toBe(2))
  const moved = await listen(secondPort(), devices[0])
  await clients[0].closed()
  const next = await withdraw(devices[0])
  expect(idOf((await moved.next('publish')) as IPublishPacket)).toBe(next)
  expect(publishedTo(moved)).toEqual([])
  const { rows } = await app.database.pool.query(
    'SELECT attempts FROM device_command WHERE device_id = ANY ($1)',
    [devices.map(({ id }) => id)],
  )
  expect(rows.map(({ attempts }) => attempts)).toEqual([1, 1, 1])
  await moved.disconnect()
  await clients[1].disconnect()
})

test('a report that was taken by one process and is repeated to the other is kept once', async () => {
  const device = await insertDevice(app.db)
  const topic = topicOf(device.code, 'up', 'event')
  for (const port of [firstPort(), secondPort()]) {
    const client = await connectDevice(port, device)
    expect(await client.publish(topic, event('twice'))).toBe(true)
    await client.disconnect()
  }
  const { rows } = await app.database.pool.query('SELECT FROM event_history WHERE device_id = $1', [
    device.id,
  ])
  expect(rows).toHaveLength(1)
})

test('a process that stops is not ready, takes no device, sends its own away and says of none that it is offline', async () => {
  const devices = await Promise.all(Array.from({ length: 20 }, () => insertDevice(app.db)))
  const clients = await Promise.all(devices.map((device) => listen(secondPort(), device)))
  const reading = devices.map(({ code }, at) =>
    (clients[at] as RawClient).publish(topicOf(code, 'up', 'event'), event(`last-${at}`)),
  )
  const ends: number[] = []
  const began = performance.now()
  for (const client of clients) void client.closed().then(() => ends.push(performance.now() - began))
  const drained = second.drain()
  expect((await connectRaw(secondPort(), devices[0] as TestDevice)).returnCode).toBe(-1)
  const acknowledged = await Promise.all(reading)
  const { call } = clientOf(`http://127.0.0.1:${secondPorts.httpPort}`)
  await expect.poll(async () => (await call(readReadiness, {})).refusal).toBe('serverStopping')
  await drained
  await Promise.all(clients.map((client) => client.closed()))
  // Not all at once.
  expect(new Set(ends.map((ms) => Math.round(ms / 100))).size).toBeGreaterThan(4)
  // What was read is committed and acknowledged, and nothing else is acknowledged.
  expect(acknowledged.filter(Boolean).length).toBeGreaterThan(0)
  const { rows } = await app.database.pool.query<{ deviceId: number }>(
    'SELECT device_id AS "deviceId" FROM event_history WHERE device_id = ANY ($1)',
    [devices.map(({ id }) => id)],
  )
  const kept = new Set(rows.map(({ deviceId }) => deviceId))
  expect(devices.filter(({ id }, at) => acknowledged[at] && !kept.has(id))).toEqual([])
  const back = await listen(firstPort(), devices[0] as TestDevice)
  await second.close()
  const states = await Promise.all(devices.map(stateOf))
  expect(states.map(({ isOnline }) => isOnline)).toEqual(Array(20).fill(true))
  await back.disconnect()
})
