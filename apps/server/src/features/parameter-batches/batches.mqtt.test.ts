import { listBatchLog } from '@voltkeep/contract'
import type { SettingTroubleName } from '@voltkeep/simulator/commands/trouble'
import type { VirtualDevice } from '@voltkeep/simulator/device'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import {
  batchBecomes,
  batchOf,
  deviceOf,
  devicesBecome,
  devicesOf,
  type Fleet,
  hurry,
  insertFleet,
  logOf,
  overTemperature,
  soc,
  startBatch,
  type Values,
} from '../../../test/batches.ts'
import type { TestDevice } from '../../../test/factories.ts'

let app: TestApp
let token: string
const running: VirtualDevice[] = []

beforeAll(async () => {
  app = await createTestApp()
  token = await app.asAdmin()
})
afterEach(() => {
  for (const device of running.splice(0)) device.cutPower()
})
afterAll(() => app.close())

interface Played {
  values?: Values
  troubles?: readonly (SettingTroubleName | undefined)[]
  lateMs?: number
}

async function switchOn(identity: TestDevice, { values, troubles, lateMs }: Played = {}) {
  const device = deviceOf(app, identity, {
    ...(values && { values }),
    ...(troubles && { troubles }),
    ...(lateMs !== undefined && { settings: { lateMs } }),
  })
  running.push(device)
  device.start()
  await device.whenOnline()
  return device
}

/** One device that is on, of an operator of its own. */
async function single(played: Played = {}): Promise<{ fleet: Fleet; code: string; device: VirtualDevice }> {
  const fleet = await insertFleet(app.db, 1)
  const [identity] = fleet.devices as [TestDevice]
  return { fleet, code: identity.code, device: await switchOn(identity, played) }
}

const states = (id: string, wanted: Record<string, string>) => devicesBecome(app, token, id, wanted)

describe('a batch', () => {
  // proves: screen 3; call POST /equip/param/batchSet/insert; call POST /equip/param/set/log/{id}
  test('is done when the devices report the new values back', async () => {
    const fleet = await insertFleet(app.db, 2)
    const [one, other] = fleet.devices as [TestDevice, TestDevice]
    const first = await switchOn(one)
    const id = await startBatch(app, token, fleet, { [soc]: 88, [overTemperature]: '65' })
    // The other one is away: it gets the values when it comes.
    await states(id, { [one.code]: 'succeeded', [other.code]: 'waiting' })
    expect(first.parameters.get(soc)).toBe(88)
    expect(await batchOf(app, token, id)).toMatchObject({
      state: 'running',
      counts: { total: 2, succeeded: 1, waiting: 1, sent: 0 },
      finishTime: null,
    })
    const second = await switchOn(other)
    await batchBecomes(app, token, id, { state: 'finished', counts: { total: 2, succeeded: 2 } })
    expect(second.parameters.get(overTemperature)).toBe(65)
    const [row] = await devicesOf(app, token, id)
    expect(row).toMatchObject({
      code: one.code,
      attempts: 0,
      reason: null,
      values: [
        { id: soc, name: '仓位满电SOC', value: '88', former: '95', current: '88' },
        { id: overTemperature, name: '过温点', value: '65', former: '60', current: '65' },
      ],
      verifiedTime: expect.any(String),
    })
    const { data: log } = await app.call(listBatchLog, { id }, token)
    expect(log).toHaveLength(2)
    expect(log[1]).toMatchObject({
      code: one.code,
      attempt: 1,
      result: 'succeeded',
      reason: null,
      sendTime: expect.any(String),
      endTime: expect.any(String),
    })
  })

  test('does not believe a device that answers and never reports, and tries it again', async () => {
    const { fleet, code, device } = await single({ troubles: ['never-applies', 'applies-some', undefined] })
    const id = await startBatch(app, token, fleet, { [soc]: 80, [overTemperature]: 70 })
    await states(id, { [code]: 'confirming' })
    await hurry(app.db)
    await expect.poll(() => logOf(app, token, id)).toHaveLength(2)
    await states(id, { [code]: 'confirming' })
    expect(device.parameters.get(soc)).toBe(80)
    expect(device.parameters.get(overTemperature)).toBe(60)
    await hurry(app.db)
    await batchBecomes(app, token, id, { state: 'finished', counts: { succeeded: 1 } })
    expect(await logOf(app, token, id)).toEqual([
      [code, 1, 'unconfirmed', null],
      [code, 2, 'unconfirmed', null],
      [code, 3, 'succeeded', null],
    ])
    expect((await devicesOf(app, token, id))[0]).toMatchObject({ attempts: 2 })
  })
})
