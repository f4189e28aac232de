// Stations that stay with another platform, which the library ocpp-rpc plays on its side as it does the station: the server
// stands between two programs that are not ours.
import {
  actOnDevice,
  deleteOcppRelay,
  insertOcppRelay,
  listOperations,
  readDevice,
  readOcppRelay,
  updateOcppRelay,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../../test/app.ts'
import { startBackOffice, type TestBackOffice } from '../../../../test/back-office.ts'
import { devicesBecome, startBatch } from '../../../../test/batches.ts'
import { insertModel, type TestDevice } from '../../../../test/factories.ts'
import { connectStation, type Station, until } from '../../../../test/station.ts'
import { insertFleet } from '../../../../test/upgrades.ts'

let app: TestApp
let admin: string
const open: { close(): Promise<unknown> }[] = []
beforeAll(async () => {
  app = await createTestApp({ OCPP_RELAY_NETWORKS: '127.0.0.0/8' })
  admin = await app.asAdmin()
})
afterAll(async () => {
  for (const one of open.reverse()) await one.close()
  await app.close()
})

async function platform(options?: { port: number }): Promise<TestBackOffice> {
  const office = await startBackOffice(options)
  open.push(office)
  return office
}

async function insertStation(): Promise<TestDevice> {
  const fleet = await insertFleet(app.db, 1)
  const device = fleet.devices[0] as TestDevice
  await sql`UPDATE device SET protocol = 'ocpp16' WHERE id = ${device.id}`.execute(app.db)
  await sql`INSERT INTO equip_model_part (equip_model_id, part_type) VALUES (${fleet.modelId}, 'PART_TYPE_EC_MASTER')
    ON CONFLICT DO NOTHING`.execute(app.db)
  return device
}

const relayTo = async ({ id }: TestDevice, url: string, more: object = {}) => {
  const answer = await app.call(insertOcppRelay, { id: String(id), url, ...more }, admin)
  expect(answer).toMatchObject({ code: 200 })
}
const relayOf = async ({ id }: TestDevice) =>
  (await app.call(readOcppRelay, { id: String(id) }, admin)).data.relay

async function comes(device: TestDevice): Promise<Station> {
  const station = await connectStation({ url: app.url, device })
  open.push(station)
  return station
}

const status = (connectorId: number, state: string, errorCode = 'NoError') => ({
  connectorId,
  status: state,
  errorCode,
})
const alarmsOf = async ({ id }: TestDevice) =>
  (
    await app.db
      .selectFrom('alarm_state')
      .select(['semaphore_code as code', 'value'])
      .where('device_id', '=', id)
      .where('is_active', '=', true)
      .execute()
  ).map(({ code, value }) => ({ code, value: Number(value) }))

describe('a station that is relayed', () => {
  test('is answered by its platform, and what it says is read along', async () => {
    const old = await platform()
    const device = await insertStation()
    await relayTo(device, old.url, { identity: 'OLD NAME'.replace(' ', '-'), password: 'their secret' })
    const station = await comes(device)
    // Not of this server, which says 300.
    expect(await station.boot('2.4')).toMatchObject({ status: 'Accepted', interval: 77 })
    expect(await station.call('Heartbeat', {})).toEqual({ currentTime: '2031-01-01T00:00:00.000Z' })
    expect(await station.call('StatusNotification', status(1, 'Faulted', 'GroundFailure'))).toEqual({})
    expect(await station.call('DataTransfer', { vendorId: 'Acme', data: 'x' })).toEqual({
      status: 'Accepted',
      data: 'theirs',
    })
    // No waiting: it was committed before the answer.
    expect(await alarmsOf(device)).toEqual([{ code: 'OCPP0003', value: 2 }])
    const { data } = await app.call(readDevice, { id: String(device.id) }, admin)
    expect(data.equipSoftwareVersions).toMatchObject([{ version: '2.4' }])
    expect(data.speaks.isObserved).toBe(true)
    expect(old.passwords.get('OLD-NAME')).toBe('their secret')
    expect(old.said.map(({ action }) => action)).toEqual([
      'BootNotification',
      'Heartbeat',
      'StatusNotification',
      'DataTransfer',
    ])
    await until(async () => (await relayOf(device))?.state === 'connected')
    await station.close()
    await until(async () => (await relayOf(device))?.state === 'waiting' && old.stations.size === 0)
  })

  test('has its charging sessions numbered there, and none is counted here', async () => {
    const old = await platform()
    const device = await insertStation()
    await relayTo(device, old.url)
    const station = await comes(device)
    await station.boot()
    const timestamp = new Date().toISOString()
    const begun = { connectorId: 2, idTag: 'CARD', meterStart: 0, timestamp }
    expect(await station.call('Authorize', { idTag: 'CARD' })).toEqual({ idTagInfo: { status: 'Accepted' } })
    const { transactionId } = await station.call('StartTransaction', begun)
    expect(transactionId).toBe(7_000_001)
    await station.call('MeterValues', {
      connectorId: 2,
      transactionId,
      meterValue: [{ timestamp, sampledValue: [{ value: '86', measurand: 'SoC', unit: 'Percent' }] }],
    })
    await station.call('StopTransaction', { transactionId, meterStop: 9, timestamp })
    expect(old.said.slice(-4).map(({ action }) => action)).toEqual([
      'Authorize',
      'StartTransaction',
      'MeterValues',
      'StopTransaction',
    ])
    const { rows } = await sql<{ code: string; value: string }>`
      SELECT semaphore_code AS code, value FROM event_history WHERE device_id = ${device.id} ORDER BY id`.execute(
      app.db,
    )
    expect(rows.map(({ code, value }) => [code, Number(value)])).toEqual([
      ['OCPP0101', 2],
      ['OCPP0102', 2],
    ])
    const { data } = await app.call(readDevice, { id: String(device.id) }, admin)
    expect(data.status).toContainEqual({ key: '2.SoC', value: '86' })
    expect(
      await app.db.selectFrom('ocpp_transaction').select('id').where('device_id', '=', device.id).execute(),
    ).toEqual([])
    await station.close()
  })

  test('may name a connector that there is not: the end of its session is of the station itself', async () => {
    const old = await platform()
    const device = await insertStation()
    await relayTo(device, old.url)
    const station = await comes(device)
    await station.boot()
    const timestamp = new Date().toISOString()
    const begun = { connectorId: 1e300, idTag: 'CARD', meterStart: 0, timestamp }
    const { transactionId } = await station.call('StartTransaction', begun)
    await station.call('StopTransaction', { transactionId, meterStop: 9, timestamp })
    const { rows } = await sql<{ code: string; value: string }>`
      SELECT semaphore_code AS code, value FROM event_history WHERE device_id = ${device.id}`.execute(app.db)
    expect(rows).toEqual([{ code: 'OCPP0102', value: '0' }])
    await station.close()
  })

  test('is told what its platform says, and nothing of this one', async () => {
    const old = await platform()
    const device = await insertStation()
    await relayTo(device, old.url)
    const station = await comes(device)
    station.answers('GetConfiguration', {
      configurationKey: [{ key: 'HeartbeatInterval', readonly: false, value: '77' }],
    })
    station.answers('Reset', { status: 'Accepted' })
    await station.boot()
    await station.call('StatusNotification', status(1, 'Available'))
    const theirs = await until(() => old.stations.get(device.code))
    expect(await theirs.call('Reset', { type: 'Soft' })).toEqual({ status: 'Accepted' })
    expect(await theirs.call('GetConfiguration', {})).toMatchObject({
      configurationKey: [{ key: 'HeartbeatInterval', value: '77' }],
    })
    // What it has read is read along.
    await until(async () => {
      const { data } = await app.call(readDevice, { id: String(device.id) }, admin)
      return data.parameters.some(({ id, value }) => id === 'HeartbeatInterval' && value === '77')
    })
    await expect(theirs.call('UnlockConnector', { connectorId: 1 })).rejects.toThrow()
    await until(
      async () => (await app.call(readDevice, { id: String(device.id) }, admin)).data.isOnline === 1,
    )
    const form = { id: String(device.id), action: 'restart' as const, reason: '现场维保' }
    expect(await app.call(actOnDevice, form, admin)).toMatchObject({
      code: 409,
      refusal: 'deviceObserved',
      message: '该设备仅观察，由原平台控制',
    })
    // Asked for nothing by this server, from the beginning.
    expect(station.asked.map(({ action }) => action)).toEqual([
      'Reset',
      'GetConfiguration',
      'UnlockConnector',
    ])
    await station.close()
  })

  test('is left out of batches, with the reason', async () => {
    const old = await platform()
    const fleet = await insertFleet(app.db, 2)
    const [device, other] = fleet.devices as [TestDevice, TestDevice]
    await sql`UPDATE device SET protocol = 'ocpp16' WHERE id IN (${device.id}, ${other.id})`.execute(app.db)
    await relayTo(device, old.url)
    const id = await startBatch(app, admin, fleet, { LightIntensity: '70' })
    await devicesBecome(app, admin, id, { [device.code]: 'skipped', [other.code]: 'waiting' })
  })
})

describe('a platform that is away', () => {
  test('leaves the station working: it is answered, keeps its sessions, and is made known again', async () => {
    const old = await platform()
    const { port } = old
    const device = await insertStation()
    await relayTo(device, old.url)
    await old.close()
    const station = await comes(device)
    expect(await station.boot()).toMatchObject({ status: 'Accepted', interval: 300 })
    await station.call('StatusNotification', status(1, 'Faulted', 'OverVoltage'))
    await station.call('StatusNotification', status(1, 'Available'))
    expect(await station.call('Heartbeat', {})).toHaveProperty('currentTime')
    expect(await station.call('DataTransfer', { vendorId: 'Acme' })).toEqual({ status: 'Rejected' })
    await until(async () => (await relayOf(device))?.state === 'away')
    expect(await relayOf(device)).toMatchObject({ lastError: '原平台拒绝连接' })
    const back = await platform({ port })
    await until(() => back.said.length === 2)
    expect(back.said.map(({ action, params }) => [action, params.status])).toEqual([
      ['BootNotification', undefined],
      ['StatusNotification', 'Available'],
    ])
    await until(async () => (await relayOf(device))?.state === 'connected')
    // In the midst of a session: nobody answers in the platform's place.
    await back.close()
    await until(async () => (await relayOf(device))?.state === 'away')
    const ended = new Promise<{ code: number }>((resolve) => station.client.once('close', resolve))
    const start = { connectorId: 1, idTag: 'CARD', meterStart: 0, timestamp: new Date().toISOString() }
    await expect(station.call('StartTransaction', start)).rejects.toThrow()
    expect((await ended).code).toBe(1013)
  })

  test('in the midst of a call: the station that reports has its answer from here', async () => {
    const old = await platform()
    const device = await insertStation()
    await relayTo(device, old.url)
    const station = await comes(device)
    await station.boot()
    old.answers('StatusNotification', () => {
      setImmediate(() => void old.close())
      return new Promise(() => {})
    })
    expect(await station.call('StatusNotification', status(1, 'Faulted', 'OverVoltage'))).toEqual({})
    expect(await alarmsOf(device)).toEqual([{ code: 'OCPP0009', value: 2 }])
    await station.close()
  })
})

describe('the setting', () => {
  test('is read, changed and taken back; secrets are sealed, and another address needs them again', async () => {
    const device = await insertStation()
    const id = String(device.id)
    expect(await relayOf(device)).toBeNull()
    const url = 'wss://old.example.com/ocpp'
    await relayTo(device, url, { password: 'their secret' })
    expect(await app.call(insertOcppRelay, { id, url }, admin)).toMatchObject({ refusal: 'relayTaken' })
    const relay = await relayOf(device)
    expect(relay).toMatchObject({
      url,
      hasPassword: true,
      hasCertificate: false,
      state: 'waiting',
      version: 1,
    })
    const row = await app.db
      .selectFrom('ocpp_relay')
      .selectAll()
      .where('id', '=', device.id)
      .executeTakeFirst()
    expect(JSON.stringify(row)).not.toContain('their secret')
    const change = (more: object) =>
      app.call(updateOcppRelay, { id, url, version: relay?.version ?? 0, ...more }, admin)
    expect(await change({ url: 'wss://mine.example.com' })).toMatchObject({
      code: 400,
      data: [{ field: 'password' }],
    })
    expect(await change({ url: 'https://old.example.com' })).toMatchObject({ data: [{ field: 'url' }] })
    expect(await change({ certificate: 'no', key: 'no' })).toMatchObject({ data: [{ field: 'certificate' }] })
    expect(await change({ key: 'no' })).toMatchObject({ data: [{ field: 'certificate' }] })
    expect(await change({ ca: 'no' })).toMatchObject({ data: [{ field: 'ca' }] })
    expect(await relayOf(device)).toEqual(relay)
    expect(await change({ url: `${url}/2`, isEnabled: 0 })).toMatchObject({ code: 200 })
    expect(await relayOf(device)).toMatchObject({ url: `${url}/2`, hasPassword: true, state: 'off' })
    expect(await change({})).toMatchObject({ refusal: 'conflict' })
    expect(await app.call(deleteOcppRelay, { id }, admin)).toMatchObject({ code: 200 })
    expect(await relayOf(device)).toBeNull()
    expect(await app.call(deleteOcppRelay, { id }, admin)).toMatchObject({ refusal: 'relayNotFound' })
    const { data } = await app.call(listOperations, { target: device.code }, admin)
    expect(JSON.stringify(data)).not.toContain('their secret')
  })

  test('is of stations alone, and of who changes devices and sees this one', async () => {
    const fleet = await insertFleet(app.db, 1)
    const [other] = fleet.devices as [TestDevice]
    const url = 'wss://old.example.com/ocpp'
    expect(await app.call(insertOcppRelay, { id: String(other.id), url }, admin)).toMatchObject({
      refusal: 'notStation',
    })
    const device = await insertStation()
    const reader = await app.asUser({ functionCodes: ['equip:list'] })
    expect(await app.call(insertOcppRelay, { id: String(device.id), url }, reader.token)).toMatchObject({
      refusal: 'notPermitted',
    })
    const editor = await app.asUser({ functionCodes: ['equip:list', 'equip:update'] })
    expect(await app.call(insertOcppRelay, { id: String(device.id), url }, editor.token)).toMatchObject({
      refusal: 'relayNeedsControl',
    })
    await insertModel(app.db)
  })

  test('that changes has the station come again, and it is then as it was set', async () => {
    const old = await platform()
    const device = await insertStation()
    const first = await comes(device)
    expect(await first.boot()).toMatchObject({ interval: 300 })
    const ended = new Promise<{ code: number }>((resolve) => first.client.once('close', resolve))
    await relayTo(device, old.url)
    expect((await ended).code).toBe(1012)
    const second = await comes(device)
    expect(await second.boot()).toMatchObject({ interval: 77 })
    const again = new Promise<{ code: number }>((resolve) => second.client.once('close', resolve))
    await app.call(deleteOcppRelay, { id: String(device.id) }, admin)
    expect((await again).code).toBe(1012)
    const third = await comes(device)
    expect(await third.boot()).toMatchObject({ interval: 300 })
    await third.close()
  })

  test('that is deleted and made anew is another one, also where the station hears of both at once', async () => {
    const [old, other] = [await platform(), await platform()]
    const device = await insertStation()
    await relayTo(device, old.url)
    const first = await comes(device)
    await first.boot()
    const ended = new Promise<{ code: number }>((resolve) => first.client.once('close', resolve))
    await app.db.transaction().execute(async (trx) => {
      await sql`DELETE FROM ocpp_relay WHERE id = ${device.id}`.execute(trx)
      await sql`INSERT INTO ocpp_relay (id, url, is_enabled) VALUES (${device.id}, ${other.url}, true)`.execute(
        trx,
      )
      const told = JSON.stringify({ name: 'ocppRelaysChanged', ids: [device.id] })
      await sql`SELECT pg_notify('voltkeep', ${told})`.execute(trx)
    })
    expect((await ended).code).toBe(1012)
    const second = await comes(device)
    await second.boot()
    expect(other.said.map(({ action }) => action)).toEqual(['BootNotification'])
    await second.close()
  })
})
