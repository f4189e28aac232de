import {
  listDevicesByPartType,
  listDeviceVersions,
  readDeviceVersions,
  readPartVersions,
} from '@voltkeep/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import { insertDevice, insertOperator, insertOrganization, type TestDevice } from '../../../test/factories.ts'

describe('versions by device', () => {
  let app: TestApp
  let admin: string
  /** Sees near devices only. */
  let narrow: string
  let near: TestDevice
  let silent: TestDevice
  let far: TestDevice
  let organizationId: number

  const report = (device: TestDevice, versions: readonly [part: string, addrId: string, version: string][]) =>
    app.db
      .insertInto('device_version')
      .values(
        versions.map(([part_type, addr_id, version]) => ({
          device_id: device.id,
          part_type,
          addr_id,
          version,
          reported_at: new Date('2026-11-20T01:00:00Z'),
        })),
      )
      .execute()

  beforeAll(async () => {
    app = await createTestApp()
    admin = await app.asAdmin()
    organizationId = await insertOrganization(app.db)
    const operatorId = await insertOperator(app.db, { organizationId, name: '近处运营商' })
    near = await insertDevice(app.db, { operatorId })
    silent = await insertDevice(app.db, { operatorId })
    far = await insertDevice(app.db)
    await report(near, [
      ['PART_TYPE_EC_BIN', '10', '1.0'],
      ['PART_TYPE_EC_BIN', '2', '1.10'],
      ['PART_TYPE_EC_BIN', '1', '1.9'],
      ['PART_TYPE_EC_MASTER', '1', '1.4'],
      ['OF_ITS_OWN', '1', 'debug'],
    ])
    await report(far, [['PART_TYPE_EC_BIN', '1', '1.9']])
    await app.db
      .updateTable('device_state')
      .set({ is_online: true, last_report_at: new Date('2026-11-20T02:00:00Z') })
      .where('device_id', '=', near.id)
      .execute()
    narrow = (await app.asUser({ organizationId, functionCodes: ['equipVersion:list'] })).token
  })
  afterAll(() => app.close())

  test('are listed with every part, parts in their order and numbered ones by number', async () => {
    const answer = await app.call(listDeviceVersions, {}, narrow)
    expect(answer).toMatchObject({ code: 200, total: 2 })
    expect(answer.data.map(({ code }) => code)).toEqual([silent.code, near.code])
    expect(answer.data[0]?.equipSoftwareVersions).toEqual([])
    expect(answer.data[1]).toMatchObject({
      isOnline: 1,
      operatorName: '近处运营商',
      equipTypeName: expect.stringMatching(/./),
      updateTime: '2026-11-20 10:00:00',
      equipSoftwareVersions: [
        { partType: 'PART_TYPE_EC_MASTER', partTypeName: '主控', addrId: '1', version: '1.4' },
        { partType: 'PART_TYPE_EC_BIN', addrId: '1', version: '1.9' },
        { addrId: '2', version: '1.10' },
        { addrId: '10', version: '1.0' },
        // A part type that nobody has registered is shown by its code.
        { partType: 'OF_ITS_OWN', partTypeName: 'OF_ITS_OWN', version: 'debug' },
      ],
    })
  })

  const codesBy = async (filter: object, token = admin) =>
    (await app.call(listDeviceVersions, filter, token)).data.map(({ code }) => code)

  test('are filtered as devices are, and by a part, its version, or both', async () => {
    expect(await codesBy({ organizationId: String(organizationId) })).toEqual([silent.code, near.code])
    expect(await codesBy({ isOnline: 1 })).toEqual([near.code])
    expect(await codesBy({ code: far.code })).toEqual([far.code])
    expect(await codesBy({ partType: 'part_type_ec_bin' })).toEqual([far.code, near.code])
    expect(await codesBy({ version: '1.9' })).toEqual([far.code, near.code])
    expect(await codesBy({ version: '1.4', partType: 'PART_TYPE_EC_BIN' })).toEqual([])
    expect(await codesBy({ version: '1.9', partType: 'PART_TYPE_EC_BIN' }, narrow)).toEqual([near.code])
    expect(
      await app.call(listDeviceVersions, { version: '1.9', pageSize: 1, pageNum: 2 }, admin),
    ).toMatchObject({
      total: 2,
      data: [{ code: near.code }],
    })
  })

  test('by part show the parts of that kind alone', async () => {
    const answer = await app.call(listDevicesByPartType, { partType: 'PART_TYPE_EC_BIN' }, narrow)
    expect(answer).toMatchObject({ total: 1, data: [{ code: near.code }] })
    expect(answer.data[0]?.equipSoftwareVersions.map(({ addrId }) => addrId)).toEqual(['1', '2', '10'])
    expect(await app.call(listDevicesByPartType, {}, narrow)).toMatchObject({
      status: 400,
      data: [{ field: 'partType' }],
    })
  })

  test('of one device are told part by part, and folded by version, the newest first', async () => {
    const detail = await app.call(readDeviceVersions, { equipId: String(near.id) }, narrow)
    expect(detail.data).toMatchObject({ code: near.code, isOnline: 1 })
    expect(detail.data.equipSoftwareVersions[0]).toMatchObject({
      version: '1.4',
      hwVersion: null,
      reportTime: '2026-11-20 09:00:00',
    })
    const { data } = await app.call(readPartVersions, { equipId: String(near.id) }, narrow)
    expect(data.map(({ partTypeName, count }) => [partTypeName, count])).toMatchObject([
      ['主控', 1],
      [expect.anything(), 3],
      ['OF_ITS_OWN', 1],
    ])
    expect(data[1]?.versions).toEqual([
      { version: '1.10', count: 1, addrIds: ['2'] },
      { version: '1.9', count: 1, addrIds: ['1'] },
      { version: '1.0', count: 1, addrIds: ['10'] },
    ])
    expect((await app.call(readPartVersions, { equipId: String(silent.id) }, narrow)).data).toEqual([])
  })

  test('of a device out of the scope are answered as of one that does not exist', async () => {
    for (const equipId of [String(far.id), '999999999']) {
      for (const endpoint of [readDeviceVersions, readPartVersions]) {
        expect(await app.call(endpoint, { equipId }, narrow)).toMatchObject({
          status: 404,
          refusal: 'deviceNotFound',
        })
      }
    }
  })
})
