// The second client, of another author: what one library takes for granted, another does not.

import { OcppClient } from 'ocpp-ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import { insertDevice } from '../../../test/factories.ts'
import { isLong, times } from '../../../test/long.ts'
import { bootOf, connectStation, type Station } from '../../../test/station.ts'

let app: TestApp
beforeAll(async () => {
  app = await createTestApp({ HTTP_MAX_CONNECTIONS_PER_ADDRESS: '20', TRUSTED_PROXIES: '192.0.2.1' })
})
afterAll(() => app.close())

test('ocpp-ts starts, says what it has to say and is told what to do, by its own schemas', async () => {
  const { code, secret } = await insertDevice(app.db, { protocol: 'ocpp16' })
  const client = new OcppClient(code)
  const asked: unknown[] = []
  client.on('GetConfiguration', (request, answer) => {
    asked.push(request)
    answer({ configurationKey: [{ key: 'HeartbeatInterval', readonly: false, value: '300' }] })
  })
  client.on('error', () => {})
  await new Promise<void>((resolve, reject) => {
    client.on('connect', resolve)
    client.on('close', (status) => reject(new Error(`closed with ${status}`)))
    const authorization = `Basic ${Buffer.from(`${code}:${secret}`).toString('base64')}`
    client.connect(`${app.url.replace('http', 'ws')}/ocpp/`, { authorization })
  })
  const boot = await client.callRequest('BootNotification', bootOf())
  expect(boot).toMatchObject({ status: 'Accepted', interval: 300 })
  expect(new Date(boot.currentTime).getTime()).toBeGreaterThan(Date.now() - 60_000)
  expect(await client.callRequest('Heartbeat', {})).toHaveProperty('currentTime')
  const free = { connectorId: 1, errorCode: 'NoError', status: 'Available' } as const
  expect(await client.callRequest('StatusNotification', free as never)).toEqual({})
  await expect.poll(() => asked.length, { timeout: 10_000 }).toBe(1)
  ;(client as unknown as { close?(): void }).close?.()
})

const stations = times(60, 500)

const stormMs = 180_000 * Math.max(1, stations / 100)

test(
  'a storm: all stations come at once, speak, are cut off and come again; each call has its answer',
  async () => {
    const devices = await Promise.all(
      Array.from({ length: stations }, () => insertDevice(app.db, { protocol: 'ocpp16' })),
    )
    let answered = 0
    const figures: Record<string, number>[] = []
    const speak = async (station: Station, status: 'Faulted' | 'Available') => {
      await station.boot()
      for (const connectorId of [0, 1, 2])
        await station.call('StatusNotification', {
          connectorId,
          status,
          errorCode: status === 'Faulted' ? 'GroundFailure' : 'NoError',
        })
      await station.call('Heartbeat', {})
      answered += 5
    }
    for (const [status, isActive] of [
      ['Faulted', true],
      ['Available', false],
    ] as const) {
      const begunMs = performance.now()
      const cpu = process.cpuUsage()
      const here = await Promise.all(devices.map((device) => connectStation({ url: app.url, device })))
      const hereMs = performance.now()
      await Promise.all(here.map((station) => speak(station, status)))
      const saidMs = performance.now()
      figures.push({
        connectMs: Math.round(hereMs - begunMs),
        speakMs: Math.round(saidMs - hereMs),
        cpuMs: Math.round(process.cpuUsage(cpu).user / 1_000),
      })
      // No waiting: what was answered is in the database.
      const rows = await app.db
        .selectFrom('alarm_state')
        .select(['is_active as isActive', 'value'])
        .where(
          'device_id',
          'in',
          devices.map(({ id }) => id),
        )
        .execute()
      expect(rows.map(({ value, ...row }) => ({ ...row, value: Number(value) }))).toEqual(
        devices.map(() => ({ isActive, value: isActive ? 7 : 0 })),
      )
      for (const { client } of here) void client.close({ code: 1006, reason: '', force: true } as never)
    }
    if (isLong) console.info({ stations, calls: stations * 5, figures })
    expect(answered).toBe(stations * 10)
    // Stations are counted among devices, not among those who call: more than may call are connected.
    expect(stations).toBeGreaterThan(20)
  },
  stormMs,
)
