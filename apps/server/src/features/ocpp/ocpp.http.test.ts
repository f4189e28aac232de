import { once } from 'node:events'
import { listDevices, listIntakeRefusals, readDevice } from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import { eventually } from '../../../test/eventually.ts'
import { insertDevice, insertModel, type TestDevice } from '../../../test/factories.ts'
import { bootOf, connectStation, type Station, type StationOptions } from '../../../test/station.ts'
import { master } from '../../../test/upgrades.ts'
import { hashSecret } from '../devices/index.ts'

let app: TestApp
let admin: string
const open: Station[] = []
beforeAll(async () => {
  app = await createTestApp({ OCPP_PLAIN_NETWORKS: '10.9.0.0/16' })
  admin = await app.asAdmin()
})
afterAll(async () => {
  for (const station of open) await station.close()
  await app.close()
})

async function insertStation(options: Parameters<typeof insertDevice>[1] = {}): Promise<TestDevice> {
  const modelId = await insertModel(app.db)
  await sql`INSERT INTO equip_model_part (equip_model_id, part_type) VALUES (${modelId}, ${master})
    ON CONFLICT DO NOTHING`.execute(app.db)
  return await insertDevice(app.db, { modelId, protocol: 'ocpp16', ...options })
}

async function connected(device: TestDevice, options: Partial<StationOptions> = {}): Promise<Station> {
  const station = await connectStation({ url: app.url, device, ...options })
  open.push(station)
  return station
}

const detailOf = async ({ id }: TestDevice) => (await app.call(readDevice, { id: String(id) }, admin)).data
const alarmsOf = async ({ id }: TestDevice) =>
  (
    await app.db
      .selectFrom('alarm_state')
      .select(['semaphore_code as code', 'value', 'is_active as isActive'])
      .where('device_id', '=', id)
      .orderBy('semaphore_code')
      .execute()
  ).map(({ code, value, isActive }) => ({ code, value: Number(value), isActive }))
const reasonsOf = async (code: string) =>
  (await app.call(listIntakeRefusals, { code }, admin)).data.map(({ reason }) => reason).sort()

describe('a station', () => {
  test('that starts is answered when its row is there; it is online, with its version, and is shown with its protocol', async () => {
    const device = await insertStation()
    const station = await connected(device)
    const answer = await station.boot('1.3')
    expect(answer).toMatchObject({ status: 'Accepted', interval: 300 })
    // No waiting: it was committed before the answer.
    expect(
      await app.db
        .selectFrom('ocpp_station')
        .select(['vendor', 'model', 'firmware'])
        .where('device_id', '=', device.id)
        .executeTakeFirst(),
    ).toEqual({ vendor: 'Acme', model: 'Pillar 7', firmware: '1.3' })
    const detail = await detailOf(device)
    expect(detail.equipSoftwareVersions).toMatchObject([{ version: '1.3', addrId: '0' }])
    expect(detail.speaks).toEqual({ name: 'OCPP 1.6-J', lacks: ['advertise', 'withdraw'], isObserved: false })
    await eventually(async () => expect(await detailOf(device)).toMatchObject({ isOnline: 1 }))
    const { data } = await app.call(listDevices, { code: device.code }, admin)
    expect(data[0]).toMatchObject({ protocol: 'ocpp16' })
    await station.close()
    await eventually(async () => expect(await detailOf(device)).toMatchObject({ isOnline: 0 }))
  })

  test('is let in by its secret, in every form in which stations send it, and by the name that it has', async () => {
    const secret = '00112233445566778899aabbccddeeff00112233'
    const device = await insertStation()
    await sql`UPDATE device SET secret_hash = ${hashSecret(secret)} WHERE id = ${device.id}`.execute(app.db)
    for (const password of [secret, secret.toUpperCase(), Buffer.from(secret, 'hex')]) {
      const station = await connected(device, { password })
      expect(await station.call('Heartbeat', {})).toHaveProperty('currentTime')
      await station.close()
    }
    await sql`UPDATE device SET protocol_identity = 'CP:7' WHERE id = ${device.id}`.execute(app.db)
    const station = await connected(device, { identity: 'CP:7', password: secret })
    expect(await station.call('Heartbeat', {})).toHaveProperty('currentTime')
    await station.close()
  })

  test('with a wrong secret, without one, unknown, or registered otherwise is refused, and that is seen', async () => {
    const device = await insertStation()
    const other = await insertDevice(app.db)
    const refusedWith = (given: Partial<StationOptions>, of: TestDevice = device) =>
      expect(connectStation({ url: app.url, device: of, ...given })).rejects.toThrow('Unauthorized')
    await refusedWith({ password: 'wrong' })
    await refusedWith({ password: null })
    await refusedWith({}, other)
    await refusedWith({ identity: 'NOSUCHSTATION' })
    await eventually(async () => {
      expect(await reasonsOf(device.code)).toEqual(['wrongSecret', 'wrongSecret'])
      expect(await reasonsOf(other.code)).toEqual(['wrongProtocol'])
      expect(await reasonsOf('NOSUCHSTATION')).toEqual(['unknownDevice'])
    })
  })

  test('comes without a secret from networks that are named for it, and from no other', async () => {
    const device = await insertStation()
    const at = (address: string) => ({ password: null, headers: { 'x-forwarded-for': address } })
    const station = await connected(device, at('10.9.3.4'))
    expect(await station.boot()).toMatchObject({ status: 'Accepted' })
    await eventually(async () => expect(await detailOf(device)).toMatchObject({ connectedFrom: '10.9.3.4' }))
    await expect(connectStation({ url: app.url, device, ...at('10.8.3.4') })).rejects.toThrow('Unauthorized')
    await station.close()
  })

  test('that connects again ends its former connection and stays online', async () => {
    const device = await insertStation()
    const former = await connected(device)
    await former.boot()
    const ended = new Promise((resolve) => former.client.once('close', resolve))
    const station = await connected(device)
    await ended
    expect(await station.call('Heartbeat', {})).toHaveProperty('currentTime')
    expect(await detailOf(device)).toMatchObject({ isOnline: 1 })
    await station.close()
  })
})

describe('what a station says', () => {
  const status = (
    connectorId: number,
    state: string,
    errorCode = 'NoError',
    more: Record<string, unknown> = {},
  ) => ({ connectorId, status: state, errorCode, ...more })

  test('of its connectors is alarms by connector, and one error follows another', async () => {
    const device = await insertStation()
    const station = await connected(device)
    await station.boot()
    const say = (...given: Parameters<typeof status>) => station.call('StatusNotification', status(...given))
    await say(0, 'Available')
    await say(1, 'Faulted', 'GroundFailure', { info: 'earth lost' })
    await say(2, 'Faulted', 'GroundFailure')
    expect(await alarmsOf(device)).toEqual([{ code: 'OCPP0003', value: 6, isActive: true }])
    await say(1, 'Faulted', 'OverVoltage')
    expect(await alarmsOf(device)).toEqual([
      { code: 'OCPP0003', value: 4, isActive: true },
      { code: 'OCPP0009', value: 2, isActive: true },
    ])
    await say(1, 'Available')
    await say(2, 'Charging')
    expect((await alarmsOf(device)).map(({ isActive }) => isActive)).toEqual([false, false])
    // Without a word about what is wrong.
    await say(2, 'Faulted')
    expect(await alarmsOf(device)).toContainEqual({ code: 'OCPP0016', value: 4, isActive: true })
    const { data } = await app.call(readDevice, { id: String(device.id) }, admin)
    expect(data.status).toContainEqual({ key: 'status', value: 'Available' })
    const { rows } = await sql<{ compartments: object }>`
      SELECT compartments FROM device_state WHERE device_id = ${device.id}`.execute(app.db)
    expect(rows[0]?.compartments).toEqual([
      { no: 1, state: 'empty' },
      { no: 2, state: 'fault' },
    ])
    await station.close()
  })

  test('under an id that it has used before is new, unless it is the same', async () => {
    const device = await insertStation()
    const { code, secret } = device
    const socket = new WebSocket(`${app.url.replace('http', 'ws')}/ocpp/${code}`, ['ocpp1.6'], {
      auth: `${code}:${secret}`,
    })
    await once(socket, 'open')
    const say = async (id: string, action: string, payload: object) => {
      socket.send(JSON.stringify([2, id, action, payload]))
      const [answer] = await once(socket, 'message')
      expect(JSON.parse(String(answer))[0]).toBe(3)
    }
    const activeOf = async () => (await alarmsOf(device)).filter(({ isActive }) => isActive).length
    const sampledValue = [{ value: '1', measurand: 'SoC' }]
    await say('7', 'MeterValues', { connectorId: 1, meterValue: [{ sampledValue }] })
    const fault = { ...status(1, 'Faulted', 'GroundFailure'), timestamp: new Date().toISOString() }
    await say('7', 'StatusNotification', fault)
    expect(await activeOf()).toBe(1)
    // Without its time also by the same words.
    for (let times = 0; times < 2; times += 1) {
      await say('0', 'StatusNotification', status(1, 'Available'))
      expect(await activeOf()).toBe(0)
      await say('1', 'StatusNotification', status(1, 'Faulted', 'GroundFailure'))
      expect(await activeOf()).toBe(1)
    }
    for (const data of ['a', 'a', 'b']) await say('7', 'DataTransfer', { vendorId: 'Acme', data })
    const { rows } = await sql<{ data: string }>`
      SELECT data->>'data' AS data FROM event_history WHERE device_id = ${device.id} ORDER BY id`.execute(
      app.db,
    )
    expect(rows).toEqual([{ data: 'a' }, { data: 'b' }])
    socket.close()
  })

  test('of an alarm is remembered over connections: what stood is recovered by the next report', async () => {
    const device = await insertStation()
    const station = await connected(device)
    await station.boot()
    await station.call('StatusNotification', status(3, 'Faulted', 'PowerMeterFailure'))
    await station.close()
    const back = await connected(device)
    await back.call('StatusNotification', status(3, 'Available'))
    expect(await alarmsOf(device)).toEqual([{ code: 'OCPP0010', value: 0, isActive: false }])
    await back.close()
  })

  test('by a code of its vendor is an alarm of its own, and stands in the list of what nobody has explained', async () => {
    const device = await insertStation()
    const station = await connected(device)
    await station.boot()
    const said = { vendorId: 'Acme', vendorErrorCode: 'E-210', info: 'Modbus lost' }
    await station.call('StatusNotification', status(1, 'Faulted', 'OtherError', said))
    const [alarm] = await alarmsOf(device)
    expect(alarm).toMatchObject({ value: 2, isActive: true })
    expect(
      await app.db
        .selectFrom('ocpp_unknown_code')
        .select(['vendor', 'code', 'info', 'semaphore_code as semaphoreCode'])
        .where('device_id', '=', device.id)
        .execute(),
    ).toEqual([{ vendor: 'Acme', code: 'E-210', info: 'Modbus lost', semaphoreCode: alarm?.code }])
    await station.close()
  })

  test('with a time that is missing, from before clocks, or with half a zone is taken, as is a word that is in no list', async () => {
    const device = await insertStation()
    // Without schemas: the library would not send it.
    const station = await connected(device, {})
    await station.boot()
    ;(station.client as unknown as { _strictProtocols: string[] })._strictProtocols = []
    const raw = (more: object) =>
      (station.client as unknown as { call(action: string, params: object): Promise<object> }).call(
        'StatusNotification',
        { connectorId: 1, status: 'Faulted', errorCode: 'InternalError', ...more },
      )
    for (const timestamp of [undefined, '1970-01-01T00:00:12Z', '2026-01-05T10:00:00+02', 'nonsense'])
      expect(await raw(timestamp === undefined ? {} : { timestamp })).toEqual({})
    expect(await raw({ status: 'Broken', errorCode: 'Error', info: 'x'.repeat(300) })).toEqual({})
    const alarms = await alarmsOf(device)
    expect(alarms.filter(({ isActive }) => isActive)).toHaveLength(1)
    await station.close()
  })

  test('of what it measures is readings, in the units of the standard', async () => {
    const device = await insertStation()
    const station = await connected(device)
    await station.boot()
    await station.call('MeterValues', {
      connectorId: 1,
      meterValue: [
        {
          timestamp: new Date().toISOString(),
          sampledValue: [
            { value: '12.5', measurand: 'Energy.Active.Import.Register', unit: 'kWh' },
            { value: '230.1', measurand: 'Voltage', unit: 'V' },
            { value: '229', measurand: 'Voltage', phase: 'L1-N', unit: 'V' },
            { value: '86', measurand: 'SoC', unit: 'Percent' },
            { value: '41', measurand: 'Temperature', unit: 'Celcius' },
            { value: '7' },
          ],
        },
      ],
    })
    const { status: readings } = await detailOf(device)
    expect(readings).toEqual(
      expect.arrayContaining([
        { key: '1.Voltage', value: '230.1' },
        { key: '1.Voltage.L1-N', value: '229' },
        { key: '1.SoC', value: '86' },
        { key: '1.Energy.Active.Import.Register', value: '7' },
      ]),
    )
    await station.close()
  })

  test('of charging sessions that never end is kept for so many, the newest, each with its number', async () => {
    const device = await insertStation()
    const station = await connected(device)
    await station.boot()
    await sql`
      INSERT INTO ocpp_transaction (device_id, connector_id, id_tag, meter_start, started_at, stopped_at)
      SELECT ${device.id}, 1, 'OLD', n, now() - interval '2 days', now() FROM generate_series(1, 2100) AS n`.execute(
      app.db,
    )
    const numbers: unknown[] = []
    for (let n = 0; n < 70; n += 1) {
      const begun = { connectorId: 1, idTag: `CARD${n}`, meterStart: n, timestamp: '2026-11-27T08:00:00Z' }
      numbers.push((await station.call('StartTransaction', begun)).transactionId)
    }
    expect(new Set(numbers).size).toBe(70)
    const { rows } = await sql<{ open: number[]; kept: number }>`
      SELECT array_agg(id ORDER BY id) FILTER (WHERE stopped_at IS NULL) AS open, count(*)::int AS kept
      FROM ocpp_transaction WHERE device_id = ${device.id}`.execute(app.db)
    expect(rows).toEqual([{ open: numbers.slice(-64), kept: 2_000 }])
    // What it has been given a number for it may end, also where that is forgotten.
    const [first] = numbers
    expect(
      await station.call('StopTransaction', {
        transactionId: first,
        meterStop: 9,
        timestamp: '2026-11-27T09:00:00Z',
        idTag: 'CARD0',
      }),
    ).toHaveProperty('idTagInfo')
    await station.close()
  })

  test('of a charging session is answered with a number, the same however often it begins', async () => {
    const device = await insertStation()
    const station = await connected(device)
    await station.boot()
    const begun = { connectorId: 1, idTag: 'CARD1', meterStart: 100, timestamp: new Date().toISOString() }
    const first = await station.call('StartTransaction', begun)
    const again = await station.call('StartTransaction', begun)
    expect(first.transactionId).toBe(again.transactionId)
    // Numbers are of one sequence for all stations: a repetition takes none.
    const next = await station.call('StartTransaction', { ...begun, meterStart: 101 })
    expect(next.transactionId).toBe(Number(first.transactionId) + 1)
    expect(first.transactionId).toBeGreaterThan(0)
    expect(first.idTagInfo).toEqual({ status: 'Invalid' })
    const ended = {
      transactionId: first.transactionId,
      meterStop: 900,
      timestamp: new Date().toISOString(),
      idTag: 'CARD1',
      reason: 'Local',
    }
    expect(await station.call('StopTransaction', ended)).toEqual({ idTagInfo: { status: 'Invalid' } })
    const { rows } = await sql<{ code: string }>`
      SELECT semaphore_code AS code FROM event_history WHERE device_id = ${device.id} ORDER BY id`.execute(
      app.db,
    )
    expect(rows.map(({ code }) => code)).toContain('OCPP0101')
    expect(rows.map(({ code }) => code)).toContain('OCPP0102')
    await station.close()
  })
})

test('every call that must be answered gets a result of the standard, checked by its schema', async () => {
  const device = await insertStation()
  const station = await connected(device)
  const now = new Date().toISOString()
  const obligations: readonly (readonly [action: string, params: object, shape: object])[] = [
    ['BootNotification', bootOf(), { status: 'Accepted' }],
    ['BootNotification', { chargePointVendor: 'A', chargePointModel: 'B' }, { status: 'Accepted' }],
    ['Heartbeat', {}, {}],
    ...(
      [
        'Available',
        'Preparing',
        'Charging',
        'SuspendedEVSE',
        'SuspendedEV',
        'Finishing',
        'Reserved',
        'Unavailable',
        'Faulted',
      ] as const
    ).map((status) => ['StatusNotification', { connectorId: 1, status, errorCode: 'NoError' }, {}] as const),
    ...(
      [
        'ConnectorLockFailure',
        'EVCommunicationError',
        'GroundFailure',
        'HighTemperature',
        'InternalError',
        'LocalListConflict',
        'OtherError',
        'OverCurrentFailure',
        'OverVoltage',
        'PowerMeterFailure',
        'PowerSwitchFailure',
        'ReaderFailure',
        'ResetFailure',
        'UnderVoltage',
        'WeakSignal',
      ] as const
    ).map(
      (errorCode) => ['StatusNotification', { connectorId: 0, status: 'Faulted', errorCode }, {}] as const,
    ),
    ['MeterValues', { connectorId: 0, meterValue: [{ timestamp: now, sampledValue: [{ value: '1' }] }] }, {}],
    [
      'MeterValues',
      {
        connectorId: 1,
        transactionId: 1,
        meterValue: [{ timestamp: now, sampledValue: [{ value: 'AA==', format: 'SignedData' }] }],
      },
      {},
    ],
    ['Authorize', { idTag: 'X' }, { idTagInfo: { status: 'Invalid' } }],
    ['StartTransaction', { connectorId: 1, idTag: 'X', meterStart: 0, timestamp: now }, {}],
    ['StopTransaction', { transactionId: 999_999, meterStop: 5, timestamp: now }, {}],
    [
      'StopTransaction',
      {
        transactionId: 1,
        meterStop: 5,
        timestamp: now,
        transactionData: [{ timestamp: now, sampledValue: [{ value: '5' }] }],
      },
      {},
    ],
    ['DataTransfer', { vendorId: 'Acme' }, { status: 'UnknownVendorId' }],
    ['DataTransfer', { vendorId: 'Acme', messageId: 'm', data: '{"slot":1}' }, { status: 'UnknownVendorId' }],
    ...(
      [
        'Idle',
        'Downloading',
        'Downloaded',
        'DownloadFailed',
        'Installing',
        'Installed',
        'InstallationFailed',
      ] as const
    ).map((status) => ['FirmwareStatusNotification', { status }, {}] as const),
    ...(['Idle', 'Uploading', 'Uploaded', 'UploadFailed'] as const).map(
      (status) => ['DiagnosticsStatusNotification', { status }, {}] as const,
    ),
    ['SecurityEventNotification', { type: 'InvalidFirmwareSignature', timestamp: now }, {}],
    ['LogStatusNotification', { status: 'Uploaded', requestId: 1 }, {}],
    ['SignedFirmwareStatusNotification', { status: 'Downloading', requestId: 1 }, {}],
  ]
  for (const [action, params, shape] of obligations)
    expect(await station.call(action, params), `${action} ${JSON.stringify(params)}`).toMatchObject(shape)
  await station.close()
})

test('what is no call of a station is answered with an error, and is seen', async () => {
  const device = await insertStation()
  const station = await connected(device)
  await station.boot()
  const code = (promise: Promise<unknown>) =>
    promise.then(
      () => 'answered',
      (error: { rpcErrorCode?: string }) => error.rpcErrorCode,
    )
  ;(station.client as unknown as { _strictProtocols: string[] })._strictProtocols = []
  expect(await code(station.call('Frobnicate', {}))).toBe('NotImplemented')
  expect(await code(station.call('SignCertificate', { csr: 'x' }))).toBe('NotSupported')
  expect(await code(station.call('StatusNotification', { connectorId: 'x' }))).toBe('FormationViolation')
  expect(await code(station.call('MeterValues', { connectorId: 1 }))).toBe('FormationViolation')
  const ended = { meterStop: 1, timestamp: new Date().toISOString() }
  expect(await code(station.call('StopTransaction', { ...ended, transactionId: 2 ** 31 }))).toBe(
    'FormationViolation',
  )
  expect(await code(station.call('StopTransaction', { ...ended, transactionId: 2 ** 31 - 1 }))).toBe(
    'answered',
  )
  const said = { connectorId: 1, status: 'Available', errorCode: 'NoError' }
  expect(await code(station.call('StatusNotification', { ...said, timestamp: 'T'.repeat(41) }))).toBe(
    'FormationViolation',
  )
  await eventually(async () =>
    expect(await reasonsOf(device.code)).toEqual([
      'badPayload',
      'badPayload',
      'badPayload',
      'badPayload',
      'unknownTopic',
      'unknownTopic',
    ]),
  )
  await station.close()
})
