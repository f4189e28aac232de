import { updateUser } from '@voltkeep/contract'
import type { VirtualDevice } from '@voltkeep/simulator/device'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import {
  batchBecomes,
  deviceOf,
  devicesBecome,
  insertFleet,
  logOf,
  overTemperature,
  soc,
  startBatch,
} from '../../../test/batches.ts'
import { lineTo } from '../../../test/database-line.ts'
import { insertOrganization, type TestDevice } from '../../../test/factories.ts'
import { type Mosquitto, skipsMosquitto, startMosquitto } from '../../../test/mosquitto.ts'

/** One attempt: any unnoticed loss fails the device. */
const once = { upgradeCount: 1, interval: 3 }

describe.skipIf(skipsMosquitto)('a batch at an external broker', () => {
  let mosquitto: Mosquitto
  /** A proxy between the server and the broker; devices connect directly. */
  let line: Awaited<ReturnType<typeof lineTo>>
  let app: TestApp
  let token: string
  const registered: TestDevice[] = []
  const running: VirtualDevice[] = []

  beforeAll(async () => {
    mosquitto = await startMosquitto()
    line = await lineTo(mosquitto.url)
    app = await createTestApp({ MQTT_URL: line.url })
    token = await app.asAdmin()
  })
  afterEach(() => {
    for (const device of running.splice(0)) device.cutPower()
  })
  afterAll(async () => {
    await line?.restore()
    await app?.close()
    await line?.cut()
    mosquitto?.stop()
  })

  async function fleetOf(count: number) {
    const fleet = await insertFleet(app.db, count)
    registered.push(...fleet.devices)
    mosquitto.setUsers(registered)
    return fleet
  }

  /** Starts the device and waits until the server sees it online. */
  async function switchOn(identity: TestDevice): Promise<VirtualDevice> {
    const device = deviceOf(app, identity, { mqttPort: mosquitto.port })
    running.push(device)
    device.start()
    await expect
      .poll(() =>
        app.db
          .selectFrom('device_state')
          .select('is_online')
          .where('device_id', '=', identity.id)
          .executeTakeFirst(),
      )
      .toEqual({ is_online: true })
    return device
  }

  test('is sent, answered, reported and logged; an offline device gets it across a restart of the broker', async () => {
    const fleet = await fleetOf(3)
    const [one, two, away] = fleet.devices as [TestDevice, TestDevice, TestDevice]
    const on = [await switchOn(one), await switchOn(two)]
    const id = await startBatch(app, token, fleet, { [soc]: 88, [overTemperature]: 65 }, once)
    await devicesBecome(app, token, id, {
      [one.code]: 'succeeded',
      [two.code]: 'succeeded',
      [away.code]: 'waiting',
    })
    await mosquitto.restart()
    const late = await switchOn(away)
    await batchBecomes(app, token, id, { state: 'finished', counts: { total: 3, succeeded: 3 } })
    for (const device of [...on, late])
      expect([device.parameters.get(soc), device.parameters.get(overTemperature)]).toEqual([88, 65])
    expect([...(await logOf(app, token, id))].sort()).toEqual(
      fleet.devices.map(({ code }) => [code, 1, 'succeeded', null]).sort(),
    )
  })

  test('reaches a device that lost its connection unnoticed when it is back, without using an attempt', async () => {
    const fleet = await fleetOf(1)
    const [identity] = fleet.devices as [TestDevice]
    const device = await switchOn(identity)
    device.cutPower()
    // The server does not know yet: the broker has no connection to send the command to, and drops it.
    const id = await startBatch(app, token, fleet, { [soc]: 87 }, once)
    await devicesBecome(app, token, id, { [identity.code]: 'sent' })
    device.start()
    await batchBecomes(app, token, id, { state: 'finished', counts: { succeeded: 1 } })
    expect(device.parameters.get(soc)).toBe(87)
    expect(await logOf(app, token, id)).toEqual([[identity.code, 1, 'succeeded', null]])
  })

  test('is not sent again to a device that was gone before the server knew, once its creator is disabled', async () => {
    const organizationId = await insertOrganization(app.db)
    const functionCodes = ['batchSet:insert', 'batchSet:list']
    const creator = await app.asUser({ organizationId, functionCodes })
    const fleet = await insertFleet(app.db, 1, { organizationId })
    const [identity] = fleet.devices as [TestDevice]
    registered.push(identity)
    mosquitto.setUsers(registered)
    const device = await switchOn(identity)
    device.cutPower()
    // A broken connection has some seconds to come back, in which the device still counts as online.
    const id = await startBatch(app, creator.token, fleet, { [soc]: 85 }, once)
    await devicesBecome(app, token, id, { [identity.code]: 'sent' })
    const isOnline = () =>
      app.db
        .selectFrom('device_state')
        .select('is_online')
        .where('device_id', '=', identity.id)
        .executeTakeFirst()
    await expect.poll(isOnline, { timeout: 20_000 }).toEqual({ is_online: false })
    await app.call(updateUser, { id: String(creator.id), isEnabled: 0 }, token)
    const since = new Date()
    // A check as it comes by itself: the command keeps the time at which it was sent.
    await sql`UPDATE parameter_batch SET next_at = now(), checked_at = now() - interval '1 hour' WHERE id = ${id}`.execute(
      app.db,
    )
    await sql`SELECT pg_notify('voltkeep', '{"name":"workDue","ids":["parameter_batch 0"]}')`.execute(app.db)
    const checked = async () =>
      (await sql`SELECT FROM parameter_batch WHERE id = ${id} AND checked_at > ${since}`.execute(app.db)).rows
        .length
    await expect.poll(checked).toBe(1)
    device.start()
    // A command that was left comes before this one.
    const next = await startBatch(app, token, fleet, { [overTemperature]: 62 }, once)
    await devicesBecome(app, token, next, { [identity.code]: 'succeeded' })
    expect(device.parameters.get(soc)).toBe(95)
    await devicesBecome(app, token, id, { [identity.code]: 'stopped' })
  })

  test('is sent again if the connection to the broker was lost with it', async () => {
    const fleet = await fleetOf(2)
    const [one, two] = fleet.devices as [TestDevice, TestDevice]
    await switchOn(one)
    await switchOn(two)
    line.strand()
    const id = await startBatch(app, token, fleet, { [soc]: 86 }, once)
    await devicesBecome(app, token, id, { [one.code]: 'sent', [two.code]: 'sent' })
    await line.cut()
    await line.restore()
    await batchBecomes(app, token, id, { state: 'finished', counts: { succeeded: 2 } })
    expect((await logOf(app, token, id)).map(([, attempt, result]) => [attempt, result])).toEqual([
      [1, 'succeeded'],
      [1, 'succeeded'],
    ])
  })
})
