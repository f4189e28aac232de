// The trial of a batch with devices that answer.
import {
  continueParameterBatch,
  insertParameterBatch,
  listBatchDevices,
  stopParameterBatch,
} from '@voltkeep/contract'
import type { SettingTroubleName } from '@voltkeep/simulator/commands/trouble'
import type { VirtualDevice } from '@voltkeep/simulator/device'
import { afterEach, expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import { batchBecomes, batchOf, deviceOf, entitysOf, insertFleet, soc } from '../../../test/batches.ts'
import { insertOperator } from '../../../test/factories.ts'

const app = await appOfTests()
const admin = await app.asAdmin()
const running: VirtualDevice[] = []
afterEach(() => {
  for (const device of running.splice(0)) device.cutPower()
})

/** Four devices that are connected; the first has these troubles. */
async function begin(trial: object, troubles: readonly (SettingTroubleName | undefined)[] = []) {
  const fleet = await insertFleet(app.db, 4)
  const devices = await Promise.all(
    fleet.devices.map(async (identity, at) => {
      const device = deviceOf(app, identity, at === 0 ? { troubles } : {})
      running.push(device)
      device.start()
      await device.whenOnline()
      return device
    }),
  )
  const codes = fleet.devices.map(({ code }) => code)
  const { data } = await app.call(
    insertParameterBatch,
    {
      queryParam: { codes },
      entitys: entitysOf({ [soc]: 88 }),
      paramSetRule: { upgradeCount: 1, interval: 3 },
      trial: 'codes' in trial ? { codes: codes.slice(0, 1) } : trial,
    },
    admin,
  )
  return { id: data.id, devices, codes, fleet }
}
const valuesOf = (devices: readonly VirtualDevice[]) => devices.map((device) => device.parameters.get(soc))

test('sets a few devices, waits, and sets the others once a user has continued it', async () => {
  const { id, devices } = await begin({ count: 1 })
  await batchBecomes(app, admin, id, { state: 'paused', counts: { total: 4, succeeded: 1, held: 3 } })
  expect(valuesOf(devices).filter((value) => value === 88)).toHaveLength(1)
  expect(await batchOf(app, admin, id)).toMatchObject({ trial: { state: 'waiting', devices: 1 } })
  expect((await app.call(continueParameterBatch, { id }, admin)).data).toEqual({ count: 3 })
  await batchBecomes(app, admin, id, { state: 'finished', counts: { total: 4, succeeded: 4 } })
  expect(valuesOf(devices)).toEqual([88, 88, 88, 88])
  expect(await batchOf(app, admin, id)).toMatchObject({ trial: { state: 'continued', continueBy: 'admin' } })
  expect(await app.call(continueParameterBatch, { id }, admin)).toMatchObject({ status: 409 })
})

test('shows why its device has failed, and stopped sets nothing else', async () => {
  const { id, devices, codes } = await begin({ codes: true }, ['refuses'])
  await batchBecomes(app, admin, id, { state: 'paused', counts: { total: 4, held: 3 } })
  const { data } = await app.call(listBatchDevices, { id, isTrial: 1 }, admin)
  expect(data).toMatchObject([{ code: codes[0], state: 'refused', reason: expect.any(String) }])
  await app.call(stopParameterBatch, { id }, admin)
  await batchBecomes(app, admin, id, { state: 'stopped', counts: { total: 4, stopped: 3 } })
  expect(valuesOf(devices)).not.toContain(88)
})

test('is continued by nobody who does not see its devices', async () => {
  const { id } = await begin({ count: 2 })
  await batchBecomes(app, admin, id, { state: 'paused' })
  const narrow = await app.asUser({
    functionCodes: ['batchSet:list', 'batchSet:retry', 'batchSet:insert'],
    authorities: [['O', String(await insertOperator(app.db))]],
  })
  expect(await app.call(continueParameterBatch, { id }, narrow.token)).toMatchObject({ status: 403 })
  expect(await batchOf(app, admin, id)).toMatchObject({ state: 'paused', counts: { held: 2 } })
})
