import { deleteOcppCode, insertOcppCode, listOcppCodes, listUnknownOcppCodes } from '@voltkeep/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import { insertDevice, insertOperator } from '../../../test/factories.ts'
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
