import { listParameterBatches } from '@voltkeep/contract'
import type { VirtualDevice } from '@voltkeep/simulator/device'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../src/platform/database/database.ts'
import { createTestApp, type TestApp } from './app.ts'
import * as batches from './batches.ts'
import { lineTo } from './database-line.ts'
import type { TestDevice } from './factories.ts'
import { scriptedDevice, type UpgradeOrder } from './upgrade-device.ts'
import * as upgrades from './upgrades.ts'

let app: TestApp
let line: Awaited<ReturnType<typeof lineTo>>
let token: string
const running: VirtualDevice[] = []

beforeAll(async () => {
  app = await createTestApp({}, async (database, config) => {
    line = await lineTo(database.url)
    return openDatabase({ url: line.url, zone: config.zone, poolSize: config.dbPoolSize })
  })
  token = await app.asAdmin()
})
afterEach(async () => {
  await line.restore()
  for (const device of running.splice(0)) device.cutPower()
})
afterAll(async () => {
  await line?.restore()
  await app?.close()
  await line?.cut()
})

/** Disconnects the database, waits until the server has noticed, runs `meanwhile`, and reconnects. */
async function withoutDatabase(meanwhile: () => Promise<void>): Promise<void> {
  await line.cut()
  await expect.poll(async () => (await app.call(listParameterBatches, {}, token)).status).toBe(503)
  await meanwhile()
  await line.restore()
}

const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 60_000, interval: 50 })

describe('while the database is away,', () => {
  test('devices of a batch continue, and after its return each has been commanded once and its report counts', async () => {
    const fleet = await batches.insertFleet(app.db, 4)
    const [first, second, third, late] = fleet.devices as [TestDevice, TestDevice, TestDevice, TestDevice]
    const lateMs = 500
    const on = [first, second, third].map((identity) => {
      const device = batches.deviceOf(app, identity, { troubles: ['applies-late'], settings: { lateMs } })
      running.push(device)
      device.start()
      return device
    })
    await Promise.all(on.map((device) => device.whenOnline()))
    const id = await batches.startBatch(app, token, fleet, { [batches.soc]: 83 }, { upgradeCount: 1 })
    await eventually(() =>
      app.db
        .selectFrom('parameter_target')
        .select('state')
        .where('batch_id', '=', Number(id))
        .where('state', '=', 'confirming')
        .execute(),
    ).toHaveLength(3)
    const back = batches.deviceOf(app, late)
    running.push(back)
    await withoutDatabase(async () => {
      // The devices apply the value and cannot report it; another device connects and cannot get its command.
      await eventually(() => on.map(({ parameters }) => parameters.get(batches.soc))).toEqual([83, 83, 83])
      expect(on.map(({ outboxSize }) => outboxSize)).toEqual([1, 1, 1])
      back.start()
    })
    await batches.batchBecomes(app, token, id, { state: 'finished', counts: { total: 4, succeeded: 4 } })
    expect(back.parameters.get(batches.soc)).toBe(83)
    expect([...(await batches.logOf(app, token, id))].sort()).toEqual(
      fleet.devices.map(({ code }) => [code, 1, 'succeeded', null]).sort(),
    )
  })

  test('an upgrade continues, and its reports are stored after the return', async () => {
    const fleet = await upgrades.insertFleet(app.db, 2)
    const [one, other] = fleet.devices as [TestDevice, TestDevice]
    const port = app.ports.mqttPort as number
    const device = await scriptedDevice(port, one)
    const taskId = await upgrades.startTask(app, token, fleet, [
      await upgrades.insertPackageFor(app.db, fleet),
    ])
    const order = await device.order()
    await device.reply(order, 'done')
    let told: Promise<boolean[]> = Promise.resolve([])
    await withoutDatabase(async () => {
      told = Promise.all([
        device.tell(order, 'downloading', { percent: 50 }),
        device.tell(order, 'installed'),
        device.versions({ [`${upgrades.master} 0`]: order.version }),
      ])
    })
    expect(await told).toEqual([true, true, true])
    await upgrades.targetsBecome(app, token, taskId, { [one.code]: 'succeeded', [other.code]: 'sent' })
    const another = await scriptedDevice(port, other)
    const second: UpgradeOrder = await another.order()
    await another.versions({ [`${upgrades.master} 0`]: second.version })
    await upgrades.taskBecomes(app, token, taskId, { state: 'finished', counts: { total: 2, succeeded: 2 } })
    device.breakOff()
    another.breakOff()
  })
})
