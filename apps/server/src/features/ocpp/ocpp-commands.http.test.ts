// What stations are told: by a client of another author, with the official schemas on both sides of every call.
import {
  actOnDevice,
  formatDateTime,
  listLogExtractions,
  listRemoteActions,
  type RemoteAction,
  readDevice,
  startLogExtraction,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import { devicesBecome, startBatch } from '../../../test/batches.ts'
import { uploadImage } from '../../../test/ddi-agent.ts'
import type { TestDevice } from '../../../test/factories.ts'
import { connectStation, type Station, until } from '../../../test/station.ts'
import { type Fleet, insertFleet, startTask, targetsBecome } from '../../../test/upgrades.ts'

let app: TestApp
let admin: string
const open: Station[] = []
beforeAll(async () => {
  app = await createTestApp()
  admin = await app.asAdmin()
})
afterAll(async () => {
  for (const station of open) await station.close()
  await app.close()
})

/** A station that has started, with connectors 1 and 2. */
async function world(): Promise<{ fleet: Fleet; device: TestDevice; station: Station }> {
  const fleet = await insertFleet(app.db, 1)
  const device = fleet.devices[0] as TestDevice
  await sql`UPDATE device SET protocol = 'ocpp16' WHERE id = ${device.id}`.execute(app.db)
  await sql`INSERT INTO equip_model_part (equip_model_id, part_type) VALUES (${fleet.modelId}, 'PART_TYPE_EC_MASTER')
    ON CONFLICT DO NOTHING`.execute(app.db)
  const station = await comes(device)
  await until(() => isOnline(device))
  return { fleet, device, station }
}

async function comes(device: TestDevice, firmware?: string): Promise<Station> {
  const station = await connectStation({ url: app.url, device })
  open.push(station)
  await station.boot(firmware)
  for (const connectorId of [1, 2])
    await station.call('StatusNotification', { connectorId, status: 'Available', errorCode: 'NoError' })
  return station
}

const isOnline = async ({ id }: TestDevice) =>
  (await app.call(readDevice, { id: String(id) }, admin)).data.isOnline === 1

const act = async ({ id }: TestDevice, action: RemoteAction, compartment?: number) => {
  const form = {
    id: String(id),
    action,
    reason: '现场维保',
    ...(compartment !== undefined && { compartment }),
  }
  const answer = await app.call(actOnDevice, form, admin)
  if (answer.code !== 200) throw new Error(answer.message)
  return answer.data.commandId as string
}
const becomes = (commandId: string, expected: object) =>
  expect
    .poll(async () => (await app.call(listRemoteActions, { commandId }, admin)).data[0], {
      timeout: 20_000,
      interval: 50,
    })
    .toMatchObject(expected)
const asked = ({ asked: list }: Station, action: string) => list.filter((one) => one.action === action)

describe('a remote action', () => {
  test.each([
    ['openDoor', 1, 'UnlockConnector', { connectorId: 1 }, 'Unlocked'],
    ['disableCompartment', 2, 'ChangeAvailability', { connectorId: 2, type: 'Inoperative' }, 'Scheduled'],
    ['enableCompartment', 2, 'ChangeAvailability', { connectorId: 2, type: 'Operative' }, 'Accepted'],
    ['restart', undefined, 'Reset', { type: 'Soft' }, 'Accepted'],
  ] as const)('%s is asked for in the words of OCPP', async (action, compartment, call, params, status) => {
    const { device, station } = await world()
    station.answers(call, { status })
    const id = await act(device, action, compartment)
    await becomes(id, { state: 'acknowledged' })
    expect(asked(station, call)).toEqual([{ action: call, params }])
    await station.close()
  })

  test('is shown by what the station says afterwards, or failed in its words', async () => {
    const { device, station } = await world()
    station.answers('ChangeAvailability', { status: 'Accepted' })
    const id = await act(device, 'disableCompartment', 1)
    await until(() => asked(station, 'ChangeAvailability').length === 1)
    await station.call('StatusNotification', { connectorId: 1, status: 'Unavailable', errorCode: 'NoError' })
    await becomes(id, { state: 'confirmed' })
    station.answers('UnlockConnector', { status: 'UnlockFailed' })
    await becomes(await act(device, 'openDoor', 2), { state: 'failed', note: '设备解锁失败' })
    station.answers('UnlockConnector', { status: 'NotSupported' })
    await becomes(await act(device, 'openDoor', 1), { state: 'refused', note: '设备不支持解锁' })
    await station.close()
  })

  test('ends the charging session that is under way; without one there is none to end', async () => {
    const { device, station } = await world()
    await becomes(await act(device, 'stopCharging', 1), { state: 'failed', note: '没有进行中的充电' })
    const { transactionId } = await station.call('StartTransaction', {
      connectorId: 1,
      idTag: 'CARD',
      meterStart: 0,
      timestamp: new Date().toISOString(),
    })
    station.answers('RemoteStopTransaction', { status: 'Accepted' })
    const id = await act(device, 'stopCharging', 1)
    await until(() => asked(station, 'RemoteStopTransaction').length === 1)
    expect(asked(station, 'RemoteStopTransaction')[0]?.params).toEqual({ transactionId })
    await becomes(id, { action: 'stopCharging' })
    await station.close()
  })

  test('asks for a report of each connector', async () => {
    const { device, station } = await world()
    await act(device, 'reportStatus')
    await until(() => asked(station, 'TriggerMessage').length === 3)
    expect(asked(station, 'TriggerMessage').map(({ params }) => params)).toEqual([
      { requestedMessage: 'StatusNotification', connectorId: 1 },
      { requestedMessage: 'StatusNotification', connectorId: 2 },
      { requestedMessage: 'MeterValues' },
    ])
    await station.close()
  })

  test('of a restart is not asked for twice: a station that comes back has been restarted', async () => {
    const { device, station } = await world()
    station.answers('Reset', () => {
      // It goes before its answer is out.
      void station.client.close({ code: 1001, reason: 'reset', force: true } as never)
      return { status: 'Accepted' }
    })
    const id = await act(device, 'restart')
    await until(() => asked(station, 'Reset').length === 1)
    await until(async () => !(await isOnline(device)))
    const back = await comes(device)
    await becomes(id, { state: expect.stringMatching(/^(acknowledged|confirmed)$/) })
    expect(asked(back, 'Reset')).toEqual([])
    await back.close()
  })
})

describe('a parameter', () => {
  test('counts when it is read back; one that waits for a restart counts after it', async () => {
    const { fleet, device, station } = await world()
    const values: Record<string, string> = { MeterValueSampleInterval: '60', NumberOfConnectors: '2' }
    const read = (params: Record<string, unknown>) => {
      const keys = (params.key as string[] | undefined) ?? Object.keys(values)
      return {
        configurationKey: keys
          .filter((key) => key in values)
          .map((key) => ({ key, readonly: false, value: values[key] })),
      }
    }
    station.answers('GetConfiguration', read)
    station.answers('ChangeConfiguration', ({ key, value }) => {
      values[String(key)] = String(value)
      return { status: key === 'LightIntensity' ? 'RebootRequired' : 'Accepted' }
    })
    const id = await startBatch(app, admin, fleet, { MeterValueSampleInterval: '30' })
    await devicesBecome(app, admin, id, { [device.code]: 'succeeded' })
    const waits = await startBatch(app, admin, fleet, { LightIntensity: '70' })
    await devicesBecome(app, admin, waits, { [device.code]: 'confirming' })
    await station.close()
    const back = await connectStation({ url: app.url, device })
    open.push(back)
    back.answers('GetConfiguration', read)
    await back.boot()
    await devicesBecome(app, admin, waits, { [device.code]: 'succeeded' })
    await back.close()
  })

  test('that the station has not is refused, and its key is never shown', async () => {
    const { fleet, device, station } = await world()
    station.answers('GetConfiguration', {
      configurationKey: [
        { key: 'AuthorizationKey', readonly: false, value: 'secret' },
        { key: 'HeartbeatInterval', readonly: false, value: '300' },
      ],
    })
    station.answers('ChangeConfiguration', { status: 'NotSupported' })
    const id = await startBatch(app, admin, fleet, { Nonsense: '1' })
    await devicesBecome(app, admin, id, { [device.code]: 'refused' })
    await station.boot()
    const parameters = await until(async () => {
      const { data } = await app.call(readDevice, { id: String(device.id) }, admin)
      return data.parameters.length > 0 && data.parameters
    })
    expect(parameters).toMatchObject([{ id: 'HeartbeatInterval', value: '300' }])
    await station.close()
  })
})

test('an upgrade is downloaded, told of, and counted by the version after the start', async () => {
  const { fleet, device, station } = await world()
  const bytes = Buffer.alloc(20_000, 'firmware')
  const image = await uploadImage(app, admin, fleet, bytes)
  station.answers('UpdateFirmware', {})
  const taskId = await startTask(app, admin, fleet, [{ id: image.id }], { skipGate: true })
  const [update] = await until(() => {
    const list = asked(station, 'UpdateFirmware')
    return list.length > 0 && list
  })
  const file = await fetch(String(update?.params.location))
  expect(Buffer.from(await file.arrayBuffer()).equals(bytes)).toBe(true)
  await until(async () => {
    await station.call('FirmwareStatusNotification', { status: 'Downloading' })
    const { rows } = await sql<{ state: string }>`
      SELECT state FROM upgrade_target WHERE device_id = ${device.id}`.execute(app.db)
    return rows[0]?.state === 'downloading'
  })
  await station.call('FirmwareStatusNotification', { status: 'Installing' })
  await targetsBecome(app, admin, taskId, { [device.code]: 'installing' })
  await station.close()
  const back = await comes(device, '1.4')
  await targetsBecome(app, admin, taskId, { [device.code]: 'succeeded' })
  await back.close()
})

test('a diagnostics file is uploaded to the address with its name, and is the log', async () => {
  const { device, station } = await world()
  station.answers('GetDiagnostics', { fileName: 'diag.txt' })
  const extraction = await app.call(
    startLogExtraction,
    {
      equipCode: device.code,
      equipClassify: 'EC',
      logExtractParam: {
        level: 'RUN',
        fileType: 'txt',
        startTime: formatDateTime(new Date(Date.now() - 3_600_000)),
        endTime: formatDateTime(new Date()),
      },
    },
    admin,
  )
  expect(extraction.message).toBe('已开始提取')
  const [wanted] = await until(() => {
    const list = asked(station, 'GetDiagnostics')
    return list.length > 0 && list
  })
  await station.call('DiagnosticsStatusNotification', { status: 'Uploading' })
  const answer = await fetch(`${wanted?.params.location}diag.txt`, { method: 'PUT', body: 'a line\n' })
  expect(answer.status).toBe(200)
  await station.call('DiagnosticsStatusNotification', { status: 'Uploaded' })
  await expect
    .poll(async () => (await app.call(listLogExtractions, { ids: [extraction.data.id] }, admin)).data[0], {
      timeout: 20_000,
    })
    .toMatchObject({ state: 'done' })
  await station.close()
})

test('what a station has no words for is refused before it is sent', async () => {
  const { device, station } = await world()
  const { data } = await app.call(readDevice, { id: String(device.id) }, admin)
  expect(data.speaks.lacks).toEqual(['advertise', 'withdraw'])
  await station.close()
})
