import {
  type Endpoint,
  formatDateTime,
  insertUpgradeTask,
  listAlarmHistory,
  listAlarms,
  listDevices,
  listDevicesByBoard,
  listDevicesByPartType,
  listDeviceVersions,
  listEvents,
  listIntakeRefusals,
  listLogExtractions,
  listRemoteActions,
  listStock,
  listUpgradeLog,
} from '@voltkeep/contract'
import { describe, expect, test, vi } from 'vitest'
import { appOfTests } from './app.ts'
import { endpoints } from './endpoints.ts'
import { insertLogExtraction, insertRemoteAction } from './factories.ts'
import { equipTypeOf, insertBoard, insertPackage } from './packages.ts'
import { makeWorld } from './scope-world.ts'
import { bin, reportVersions, taskOf } from './upgrades.ts'

const pcbCode = 'LISTED'

const app = await appOfTests()
const admin = await app.asAdmin()
const world = await makeWorld(app.db, { seed: 7, devices: 20, users: 0, functionCodes: [] })
const [one] = world.devices
const other = world.devices.find((device) => device !== one && device.modelId === one?.modelId)
if (!one || !other) throw new Error('no two devices of one model')
/** Codes of devices that each have an alarm, an event, a refusal, a version, an upgrade and a log extraction. */
const codes: [string, string] = [one.code, other.code]
for (const device of [one, other]) await reportVersions(app.db, device, { [`${bin} 0`]: '1.3' })
const board = await insertBoard(app.db, {
  code: pcbCode,
  partType: bin,
  equipTypeId: await equipTypeOf(app.db, one.modelId),
})
const upgrade = await insertPackage(app.db, { board, version: '1.4' })
const task = {
  softwareVersionId: String(upgrade.id),
  upgradeTime: formatDateTime(new Date()),
  devices: { codes },
}
const { data: made } = await app.call(insertUpgradeTask, task, admin)
await vi.waitUntil(async () => (await taskOf(app, admin, made.id)).state === 'running', { timeout: 30_000 })
const { id: userId } = await app.asUser()
for (const device of [one, other]) {
  await insertLogExtraction(app.db, { deviceId: device.id, userId })
  await insertRemoteAction(app.db, { deviceId: device.id, userId })
}
await app.db
  .insertInto('intake_refusal')
  .values({ device_code: 'stranger-01', reason: 'unknownDevice' })
  .execute()

/** The lists, each with its other required input. */
const lists: readonly (readonly [Endpoint, object])[] = [
  [listDevices, {}],
  [listAlarms, {}],
  [listAlarmHistory, {}],
  [listEvents, {}],
  [listIntakeRefusals, {}],
  [listDeviceVersions, {}],
  [listDevicesByPartType, { partType: bin }],
  [listDevicesByBoard, { pcbCode }],
  [listUpgradeLog, {}],
  [listLogExtractions, {}],
  [listRemoteActions, {}],
  [listStock, {}],
]

/** Lists whose `code` belongs to their own rows, not to a device. */
const ofOtherCodes = ['/equip/param/batchSet/list', '/battery/track']

test('every list of devices or of their reports is tested', () => {
  const byCode = endpoints.filter(({ endpoint }) => {
    if (ofOtherCodes.includes(endpoint.path)) return false
    const { shape } = endpoint.input as unknown as { shape?: Record<string, unknown> }
    return (
      endpoint.reply.kind === 'page' &&
      shape &&
      'code' in shape &&
      ('startTime' in shape || 'address' in shape)
    )
  })
  expect(byCode.map(({ endpoint }) => endpoint.path).sort()).toEqual(lists.map(([{ path }]) => path).sort())
})

// proves: rule device codes; call POST /alarm/history/list; call POST /event/list
describe('codes pasted one per line find their devices', () => {
  for (const [endpoint, more] of lists) {
    test(`at ${endpoint.path}`, async () => {
      const found = async (code: unknown) => {
        const { data, code: answer } = await app.call(endpoint, { ...more, code, pageSize: 100 }, admin)
        expect(answer).toBe(200)
        return [
          ...new Set(
            (data as { code?: string; equipCode?: string }[]).map((row) => row.code ?? row.equipCode),
          ),
        ].sort()
      }
      const [one, other] = codes
      const both = [one, other].sort()
      expect(await found(`${one}\n${other}\n`)).toEqual(both)
      expect(await found(` ${one} \r\n\t${other.slice(0, 2)}-${other.slice(2)}`)).toEqual(both)
      expect(await found(`${one},${other}`)).toEqual(both)
      expect(await found(one)).toEqual([one])
      expect(await found(`${one} ${other}`)).toEqual(both)
      expect(await found('NOSUCH1\nNOSUCH2')).toEqual([])
      // Something was asked for, of which no code is left.
      for (const code of ['%_', ['柜'], '，、']) expect(await found(code)).toEqual([])
    })
  }
})

test('a refused client whose code has other characters is found by its letters and digits', async () => {
  const { data } = await app.call(listIntakeRefusals, { code: 'stranger-01' }, admin)
  expect(data.map(({ code }) => code)).toEqual(['stranger-01'])
})
