// A station's password is changed over its own connection: at no moment is it shut out.
import {
  insertOcppRelay,
  listOperations,
  readOcppKeyChange,
  renewDeviceSecret,
  renewOcppKey,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../../test/app.ts'
import {
  insertDevice,
  insertOperator,
  insertOrganization,
  type TestDevice,
} from '../../../../test/factories.ts'
import { connectStation, type Station, until } from '../../../../test/station.ts'

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

const insertStation = () => insertDevice(app.db, { protocol: 'ocpp16' })

async function comes(device: TestDevice, password?: string): Promise<Station> {
  const station = await connectStation({ url: app.url, device, ...(password && { password }) })
  open.push(station)
  return station
}

const renew = ({ id }: TestDevice) => app.call(renewOcppKey, { id: String(id) }, admin)
const changeOf = async ({ id }: TestDevice) =>
  (await app.call(readOcppKeyChange, { id: String(id) }, admin)).data.change
const becomes = (device: TestDevice, state: string) =>
  until(async () => (await changeOf(device))?.state === state)
const closedWith = (station: Station) =>
  new Promise<number>((resolve) =>
    station.client.once('close', ({ code }: { code: number }) => resolve(code)),
  )

/** Answers the change, and keeps the password that it is given. */
function takesKey(station: Station, status: string): { value: string } {
  const kept = { value: '' }
  station.answers('ChangeConfiguration', ({ key, value }) => {
    expect(key).toBe('AuthorizationKey')
    kept.value = String(value)
    return { status }
  })
  return kept
}

test('a station takes its new password, comes with it, and the former one ends', async () => {
  const device = await insertStation()
  expect(await changeOf(device)).toBeNull()
  const station = await comes(device)
  await station.boot()
  const kept = takesKey(station, 'Accepted')
  const closed = closedWith(station)
  const answer = await renew(device)
  expect(answer).toMatchObject({ code: 200, data: null })
  expect(await closed).toBe(1012)
  expect(kept.value).toMatch(/^[0-9a-f]{40}$/)
  await becomes(device, 'told')
  expect(await renew(device)).toMatchObject({ refusal: 'stationKeyChanging' })
  // Both are valid until it has come with the new one; the former one does not have it told again at once.
  const former = await comes(device)
  expect(await former.boot()).toMatchObject({ status: 'Accepted' })
  const back = await comes(device, kept.value)
  expect(await back.boot()).toMatchObject({ status: 'Accepted' })
  await becomes(device, 'done')
  await expect(connectStation({ url: app.url, device })).rejects.toThrow('Unauthorized')
  expect(former.asked.some(({ action }) => action === 'ChangeConfiguration')).toBe(false)
  // The connection that came with it stays.
  expect(await back.call('Heartbeat', {})).toHaveProperty('currentTime')
  const row = await app.db
    .selectFrom('ocpp_key_change')
    .selectAll()
    .where('id', '=', device.id)
    .executeTakeFirst()
  expect(row?.key).toBeNull()
  const { data } = await app.call(listOperations, { target: device.code }, admin)
  expect(data.length).toBeGreaterThan(0)
  expect(JSON.stringify(data)).not.toContain(kept.value)
  await back.close()
})

test('a station that is away is told when it comes; one that takes it with its next start keeps its connection', async () => {
  const device = await insertStation()
  await renew(device)
  expect((await changeOf(device))?.state).toBe('waiting')
  let taken = ''
  const station = await connectStation({
    url: app.url,
    device,
    answers: {
      ChangeConfiguration: ({ value }: Record<string, unknown>) => {
        taken = String(value)
        return { status: 'RebootRequired' }
      },
    },
  })
  open.push(station)
  await becomes(device, 'told')
  expect(await station.call('Heartbeat', {})).toHaveProperty('currentTime')
  const back = await comes(device, taken)
  await becomes(device, 'done')
  await back.close()
})

test('a station that goes before it has answered has both, and is told again', async () => {
  const device = await insertStation()
  const station = await comes(device)
  await station.boot()
  let taken = ''
  station.answers('ChangeConfiguration', ({ value }) => {
    taken = String(value)
    void station.client.close({ code: 1001, reason: '', force: true } as never)
    return { status: 'Accepted' }
  })
  await renew(device)
  await until(() => taken !== '')
  // It has kept it, though nobody knows.
  const back = await comes(device, taken)
  expect(await back.boot()).toMatchObject({ status: 'Accepted' })
  await becomes(device, 'done')
  await back.close()
})

test('a station that refuses keeps its password, and the other one is none', async () => {
  const device = await insertStation()
  const station = await comes(device)
  await station.boot()
  const kept = takesKey(station, 'NotSupported')
  await renew(device)
  await becomes(device, 'failed')
  expect(await changeOf(device)).toMatchObject({ failure: '设备不支持更换密钥' })
  expect(await station.call('Heartbeat', {})).toHaveProperty('currentTime')
  await until(() =>
    connectStation({ url: app.url, device, password: kept.value }).then(
      async (wrong) => {
        await wrong.close()
        return false
      },
      () => true,
    ),
  )
  // It may be asked for again.
  expect(await renew(device)).toMatchObject({ code: 200 })
  await station.close()
})

test('a secret that is reset by hand ends a change that is under way', async () => {
  const device = await insertStation()
  const station = await comes(device)
  await station.boot()
  const kept = takesKey(station, 'RebootRequired')
  await renew(device)
  await becomes(device, 'told')
  const { data } = await app.call(renewDeviceSecret, { id: String(device.id) }, admin)
  await expect(connectStation({ url: app.url, device, password: kept.value })).rejects.toThrow('Unauthorized')
  const back = await comes(device, data.secret)
  expect(await back.boot()).toMatchObject({ status: 'Accepted' })
  expect((await changeOf(device))?.state).toBe('ended')
  await back.close()
})

test('a station is not told what nobody may decide any more', async () => {
  const organizationId = await insertOrganization(app.db)
  const operatorId = await insertOperator(app.db, { organizationId })
  const begin = async () => {
    const device = await insertDevice(app.db, { protocol: 'ocpp16', operatorId })
    const functionCodes = ['equip:list', String(renewOcppKey.access)]
    const asker = await app.asUser({ organizationId, functionCodes })
    expect(await app.call(renewOcppKey, { id: String(device.id) }, asker.token)).toMatchObject({ code: 200 })
    return { device, asker }
  }
  const comesUntold = async (device: TestDevice, failure: string) => {
    const station = await comes(device)
    const kept = takesKey(station, 'Accepted')
    await station.boot()
    await becomes(device, 'failed')
    expect((await changeOf(device))?.failure).toBe(failure)
    expect(kept.value).toBe('')
    await station.close()
  }
  const disabled = await begin()
  await sql`UPDATE app_user SET is_enabled = false WHERE id = ${disabled.asker.id}`.execute(app.db)
  await comesUntold(disabled.device, `更换人 ${disabled.asker.loginName} 已停用`)
  const moved = await begin()
  const elsewhere = await insertOperator(app.db)
  await sql`UPDATE device SET operator_id = ${elsewhere} WHERE id = ${moved.device.id}`.execute(app.db)
  await comesUntold(moved.device, '设备已不在更换人的数据范围内')
})

test('it is of stations that are controlled from here', async () => {
  const other = await insertDevice(app.db)
  expect(await renew(other)).toMatchObject({ refusal: 'notStation' })
  const device = await insertStation()
  await app.call(insertOcppRelay, { id: String(device.id), url: 'wss://old.example.com' }, admin)
  expect(await renew(device)).toMatchObject({ refusal: 'deviceObserved' })
  const { rows } = await sql`SELECT FROM ocpp_key_change WHERE id IN (${device.id}, ${other.id})`.execute(
    app.db,
  )
  expect(rows).toEqual([])
})
