import { deleteOcppCode, insertOcppCode, listOcppCodes, listUnknownOcppCodes } from '@voltkeep/contract'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import { insertDevice, insertOperator, insertOrganization } from '../../../test/factories.ts'
import { connectStation } from '../../../test/station.ts'

let app: TestApp
let admin: string
beforeAll(async () => {
  app = await createTestApp()
  admin = await app.asAdmin()
})
afterAll(() => app.close())

const functionCodes = ['ocppCode:list', 'ocppCode:insert', 'ocppCode:delete']

test('a code that nobody has explained is listed within the scope, until it is; then it is that alarm', async () => {
  const device = await insertDevice(app.db, { protocol: 'ocpp16' })
  const station = await connectStation({ url: app.url, device })
  await station.boot()
  const say = (connectorId: number) =>
    station.call('StatusNotification', {
      connectorId,
      status: 'Faulted',
      errorCode: 'OtherError',
      vendorErrorCode: 'F-17',
      info: 'pump',
    })
  await say(1)
  await say(1)
  const unknown = async (token: string) =>
    (await app.call(listUnknownOcppCodes, {}, token)).data.map(({ vendor, code, info, count }) => ({
      vendor,
      code,
      info,
      count,
    }))
  expect(await unknown(admin)).toEqual([{ vendor: 'Acme', code: 'F-17', info: 'pump', count: 2 }])
  const elsewhere = await app.asUser({
    functionCodes,
    authorities: [['O', String(await insertOperator(app.db))]],
  })
  expect(await unknown(elsewhere.token)).toEqual([])
  // A table that decides about every station's alarms is nobody's who sees some.
  const form = { vendor: 'Acme', code: 'F-17', semaphoreCode: 'OCPP0008' }
  expect((await app.call(insertOcppCode, form, elsewhere.token)).code).toBe(403)
  expect((await app.call(insertOcppCode, { ...form, semaphoreCode: 'NOSUCH' }, admin)).code).toBe(400)
  const added = await app.call(insertOcppCode, form, admin)
  expect(added.code).toBe(200)
  expect((await app.call(insertOcppCode, form, admin)).code).toBe(409)
  expect(await unknown(admin)).toEqual([])
  const active = async () =>
    (
      await app.db
        .selectFrom('alarm_state')
        .select('semaphore_code as code')
        .where('device_id', '=', device.id)
        .where('is_active', '=', true)
        .execute()
    ).map(({ code }) => code)
  // The process reads the table when it is told; the fault that stands becomes the other alarm.
  await expect
    .poll(
      async () => {
        await say(1)
        return await active()
      },
      { timeout: 10_000 },
    )
    .toEqual(['OCPP0008'])
  const listed = await app.call(listOcppCodes, { keyword: 'F-17' }, admin)
  expect(listed.data).toMatchObject([{ semaphoreName: '充电桩过流', alarmLevel: 2, alarmValue: null }])
  expect((await app.call(deleteOcppCode, { id: added.data.id }, admin)).code).toBe(200)
  await station.close()
})

describe('an unknown code', () => {
  /** An organization with a station that is there, and somebody who sees no other. */
  async function place() {
    const operatorId = await insertOperator(app.db, { organizationId: await insertOrganization(app.db) })
    const device = await insertDevice(app.db, { protocol: 'ocpp16', operatorId })
    const station = await connectStation({ url: app.url, device })
    onTestFinished(() => station.close())
    await station.boot()
    const { token } = await app.asUser({ functionCodes, authorities: [['O', String(operatorId)]] })
    return {
      device,
      say: (vendorErrorCode: string, info?: string) =>
        station.call('StatusNotification', {
          connectorId: 1,
          status: 'Faulted',
          errorCode: 'OtherError',
          vendorErrorCode,
          info,
        }),
      read: async () => await app.call(listUnknownOcppCodes, {}, token),
    }
  }

  test('is told as the own stations say it, whoever else says the same', async () => {
    const [mine, theirs] = [await place(), await place()]
    await mine.say('F-31', 'rectifier of hall 3')
    await mine.say('F-31')
    const before = await mine.read()
    expect(before.data).toMatchObject([{ code: 'F-31', info: 'rectifier of hall 3', count: 2 }])
    await theirs.say('F-31')
    expect((await mine.read()).data).toEqual(before.data)
    const { data, total } = await theirs.read()
    expect(data).toMatchObject([{ code: 'F-31', info: null, count: 1 }])
    expect(total).toBe(1)
    expect(data[0]?.firstTime).toBe(data[0]?.lastTime)
    // Who sees both sees one row of both.
    const all = await app.call(listUnknownOcppCodes, { pageSize: 100 }, admin)
    expect(all.data.filter(({ code }) => code === 'F-31')).toMatchObject([
      { info: 'rectifier of hall 3', count: 3, firstTime: before.data[0]?.firstTime },
    ])
    expect(all.total).toBe(all.data.length)
  })

  test('is one of at most fifty of a station, which leaves the others their room', async () => {
    const [loud, quiet] = [await place(), await place()]
    for (let n = 0; n < 53; n += 1) await loud.say(`X-${n}`)
    // One that is counted already goes on.
    await loud.say('X-0')
    const { data, total } = await loud.read()
    expect(total).toBe(50)
    expect(data[0]).toMatchObject({ code: 'X-0', count: 2 })
    await quiet.say('F-32')
    expect((await quiet.read()).data).toMatchObject([{ code: 'F-32', count: 1 }])
    await app.db.deleteFrom('device').where('id', '=', loud.device.id).execute()
    expect((await loud.read()).total).toBe(0)
  })
})
