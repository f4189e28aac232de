import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { topicOf } from '@voltkeep/contract/topics/index'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import { insertDevice, type TestDevice } from '../../../test/factories.ts'
import { connectDevice } from '../../../test/mqtt-client.ts'

const mosquitto = '/usr/sbin/mosquitto'

describe.skipIf(!existsSync(mosquitto))('at an external broker (mosquitto)', () => {
  const directory = mkdtempSync(join(tmpdir(), 'voltkeep-mosquitto-'))
  let broker: ChildProcess
  let port: number
  let app: TestApp
  let serial = 0

  async function startBroker(): Promise<void> {
    broker = spawn(mosquitto, ['-c', join(directory, 'mosquitto.conf')], { stdio: 'ignore' })
    await vi.waitFor(
      () =>
        new Promise<void>((resolve, reject) => {
          const probe = connect(port, '127.0.0.1', () => {
            probe.end()
            resolve()
          })
          probe.on('error', reject)
        }),
      { timeout: 10_000, interval: 50 },
    )
  }
  async function stopBroker(): Promise<void> {
    const exited = once(broker, 'exit')
    broker.kill()
    await exited
  }
  const isReady = async () => (await app.request('/api/ready')).status === 200

  beforeAll(async () => {
    port = await freePort()
    writeFileSync(
      join(directory, 'mosquitto.conf'),
      `listener ${port} 127.0.0.1\nallow_anonymous true\npersistence true\npersistence_location ${directory}/\nuser root\n`,
    )
    await startBroker()
    app = await createTestApp({ MQTT_URL: `mqtt://127.0.0.1:${port}` })
    await vi.waitFor(async () => expect(await isReady()).toBe(true), { timeout: 10_000, interval: 50 })
  })
  afterAll(async () => {
    await app.close()
    await stopBroker()
    rmSync(directory, { recursive: true, force: true })
  })

  const up = (device: { code: string }, name: string) => topicOf(device.code, 'up', name)
  const head = () => ({ id: `x${++serial}`, time: Date.now() })
  const codesOf = async (device: TestDevice) =>
    (
      await app.db
        .selectFrom('alarm_history')
        .select('semaphore_code')
        .where('device_id', '=', device.id)
        .orderBy('semaphore_code')
        .execute()
    ).map(({ semaphore_code }) => semaphore_code)
  const isOnline = async (device: TestDevice) =>
    (
      await app.db
        .selectFrom('device_state')
        .select('is_online')
        .where('device_id', '=', device.id)
        .executeTakeFirstOrThrow()
    ).is_online
  const eventually = (look: () => Promise<void>) => vi.waitFor(look, { timeout: 20_000, interval: 50 })

  test('messages of registered devices are stored, those of unknown ones recorded as refusals', async () => {
    const device = await insertDevice(app.db)
    const client = await connectDevice(port, device)
    await client.publish(up(device, 'alarm'), { ...head(), code: 'A1', value: 3 })
    await client.publish(up({ code: 'STRANGER' }, 'alarm'), { ...head(), code: 'A1', value: 3 })
    await client.publish(up(device, 'alarm'), 'not json')
    await eventually(async () => expect(await codesOf(device)).toEqual(['A1']))
    await eventually(async () => {
      const rows = await app.db.selectFrom('intake_refusal').selectAll().orderBy('id').execute()
      expect(rows.map((row) => [row.device_code, row.reason]).sort()).toEqual(
        [
          ['STRANGER', 'unknownDevice'],
          [device.code, 'notJson'],
        ].sort(),
      )
    })
    await client.disconnect()
  })

  test('presence follows the devices’ messages and last wills', async () => {
    const device = await insertDevice(app.db)
    const client = await connectDevice(port, device, {
      will: {
        topic: up(device, 'connection'),
        payload: Buffer.from(JSON.stringify({ ...head(), isOnline: false })),
        qos: 1,
        retain: false,
      },
    })
    await client.publish(up(device, 'connection'), { ...head(), isOnline: true })
    await eventually(async () => expect(await isOnline(device)).toBe(true))
    client.breakOff()
    await eventually(async () => expect(await isOnline(device)).toBe(false))
  })

  test('messages are acknowledged after the commit only, and none is lost while either side restarts', async () => {
    const device = await insertDevice(app.db)
    const client = await connectDevice(port, device)
    const holder = await app.database.pool.connect()
    await holder.query('BEGIN; LOCK TABLE alarm_history IN ACCESS EXCLUSIVE MODE')
    await client.publish(up(device, 'alarm'), { ...head(), code: 'B1', value: 1 })
    // The broker restarts before the message is committed: it is delivered again, and stored once.
    await stopBroker()
    await startBroker()
    await holder.query('COMMIT')
    holder.release()
    await eventually(async () => expect(await isReady()).toBe(true))
    await eventually(async () => expect(await codesOf(device)).toEqual(['B1']))
    const again = await connectDevice(port, device)
    await again.publish(up(device, 'alarm'), { ...head(), code: 'B2', value: 1 })
    await eventually(async () => expect(await codesOf(device)).toEqual(['B1', 'B2']))
    await again.disconnect()
  })

  test('readiness reports the loss of the broker', async () => {
    await stopBroker()
    await eventually(async () => expect((await app.request('/api/ready')).code).toBe(503))
    await startBroker()
    await eventually(async () => expect(await isReady()).toBe(true))
  })
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
