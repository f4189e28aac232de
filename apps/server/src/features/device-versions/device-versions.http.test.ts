import {
  listDevicesByBoard,
  listDevicesByPartType,
  listDeviceVersions,
  readDeviceVersions,
  readPartVersions,
  readUpgradeRate,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import {
  insertDevice,
  insertModel,
  insertOperator,
  insertOrganization,
  type TestDevice,
} from '../../../test/factories.ts'
import { equipTypeOf, insertBoard, insertPackage } from '../../../test/packages.ts'

describe('versions by device', () => {
  let app: TestApp
  let admin: string
  /** A user who sees near devices only. */
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
      .set({
        is_online: true,
        online_changed_at: new Date('2026-11-20T01:30:00Z'),
        last_report_at: new Date('2026-11-20T02:00:00Z'),
      })
      .where('device_id', '=', near.id)
      .execute()
    narrow = (await app.asUser({ organizationId, functionCodes: ['equipVersion:list'] })).token
  })
  afterAll(() => app.close())

  // proves: call POST /equip/version/list
  test('are listed with every part, parts in their order and numbered ones by number', async () => {
    const answer = await app.call(listDeviceVersions, {}, narrow)
    expect(answer).toMatchObject({ code: 200, total: 2 })
    expect(answer.data.map(({ code }) => code)).toEqual([silent.code, near.code])
    // A device that never connected.
    expect(answer.data[0]).toMatchObject({ isOnline: 0, onlineChangedTime: null, equipSoftwareVersions: [] })
    expect(answer.data[1]).toMatchObject({
      isOnline: 1,
      onlineChangedTime: '2026-11-20 09:30:00',
      operatorName: '近处运营商',
      equipTypeName: expect.stringMatching(/./),
      updateTime: '2026-11-20 10:00:00',
      equipSoftwareVersions: [
        { partType: 'PART_TYPE_EC_MASTER', partTypeName: '主控', addrId: '1', version: '1.4' },
        { partType: 'PART_TYPE_EC_BIN', addrId: '1', version: '1.9' },
        { addrId: '2', version: '1.10' },
        { addrId: '10', version: '1.0' },
        // An unknown part type is shown by its code.
        { partType: 'OF_ITS_OWN', partTypeName: 'OF_ITS_OWN', version: 'debug' },
      ],
    })
  })

  const codesBy = async (filter: object, token = admin) =>
    (await app.call(listDeviceVersions, filter, token)).data.map(({ code }) => code)

  // proves: call POST /equip/version/list
  test('are filtered like devices, and by a part, its version, or both', async () => {
    expect(await codesBy({ organizationId: String(organizationId) })).toEqual([silent.code, near.code])
    expect(await codesBy({ isOnline: 1 })).toEqual([near.code])
    // The only device with this status and this address.
    const { equipTypeId, operatorId, regionCode } = await app.db
      .updateTable('device as d')
      .from('equip_model as m')
      .from('region as r')
      .whereRef('m.id', '=', 'd.model_id')
      .whereRef('r.id', '=', 'd.region_id')
      .where('d.id', '=', near.id)
      .set({ business_status: 2, address: '科技园路 1 号' })
      .returning(['m.equip_type_id as equipTypeId', 'd.operator_id as operatorId', 'r.code as regionCode'])
      .executeTakeFirstOrThrow()
    for (const filter of [
      { equipTypeId: String(equipTypeId) },
      { operatorId: String(operatorId), isOnline: 1 },
      { regionCode },
      { statuses: '3,2' },
      { address: '科技园路' },
    ])
      expect(await codesBy(filter), JSON.stringify(filter)).toEqual([near.code])
    expect(await codesBy({ statuses: '1' })).toEqual([far.code, silent.code])
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

  // proves: call GET /equip/version/query/by/partType
  test('by part show only the parts of that kind', async () => {
    const answer = await app.call(listDevicesByPartType, { partType: 'PART_TYPE_EC_BIN' }, narrow)
    expect(answer).toMatchObject({ total: 1, data: [{ code: near.code }] })
    expect(answer.data[0]?.equipSoftwareVersions.map(({ addrId }) => addrId)).toEqual(['1', '2', '10'])
    expect(await app.call(listDevicesByPartType, {}, narrow)).toMatchObject({
      status: 400,
      data: [{ field: 'partType' }],
    })
  })

  // proves: screen 14; call GET /softwareVersion/equip/version/info; call GET /equip/version/detail
  test('of one device are listed by part, and grouped by version, the newest first', async () => {
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

  test('of a device out of scope are answered like those of a device that does not exist', async () => {
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

describe('versions and the packages that there are', () => {
  let app: TestApp
  let admin: string
  let narrow: string
  let modelId: number
  let equipTypeId: number
  let otherModelId: number
  let operatorId: number

  beforeAll(async () => {
    app = await createTestApp()
    admin = await app.asAdmin()
    modelId = await insertModel(app.db)
    equipTypeId = await equipTypeOf(app.db, modelId)
    otherModelId = await insertModel(app.db, { equipTypeId })
    const organizationId = await insertOrganization(app.db)
    operatorId = await insertOperator(app.db, { organizationId })
    narrow = (await app.asUser({ organizationId, functionCodes: ['equipVersion:list'] })).token
  })
  afterAll(() => app.close())

  type Part = [partType: string, addrId: string, version: string, pcbCode?: string]
  async function device(parts: Part[], of: Parameters<typeof insertDevice>[1] = {}) {
    const made = await insertDevice(app.db, { modelId, operatorId, ...of })
    await app.db
      .insertInto('device_version')
      .values(
        parts.map(([part_type, addr_id, version, pcb_code = null]) => ({
          device_id: made.id,
          part_type,
          addr_id,
          version,
          pcb_code,
          reported_at: new Date(),
        })),
      )
      .execute()
    return made
  }
  const bin = 'PART_TYPE_EC_BIN'
  const master = 'PART_TYPE_EC_MASTER'

  test('of a device include the newest release for each part, and how many parts are older', async () => {
    const board = await insertBoard(app.db, { equipTypeId, partType: bin })
    for (const version of ['1.9', '1.10', '1.2']) await insertPackage(app.db, { board, version })
    const { id: testId } = await insertPackage(app.db, { board, version: '3.0', isRelease: false })
    const foreign = await insertBoard(app.db, { partType: bin })
    await insertPackage(app.db, { board: foreign, version: '4.0' })
    const { id } = await device([
      [bin, '1', '1.10'],
      [bin, '2', '1.9'],
      [bin, '3', 'debug'],
      [master, '1', '1.0'],
    ])
    const { data } = await app.call(readPartVersions, { equipId: String(id) }, narrow)
    expect(data).toMatchObject([
      { partType: master, newest: null, outdatedCount: 0 },
      { partType: bin, newest: { version: '1.10', pcbCode: board.code }, outdatedCount: 2 },
    ])
    expect(data[1]?.newest?.softwareVersionId).not.toBe(String(testId))
    await sql`UPDATE software_package SET deleted_at = now() WHERE pcb_board_id = ${board.id} AND minor = 10`.execute(
      app.db,
    )
    expect((await app.call(readPartVersions, { equipId: String(id) }, narrow)).data[1]).toMatchObject({
      newest: { version: '1.9' },
      outdatedCount: 1,
    })
  })

  // proves: call GET /equip/version/query/by/pcb
  test('by board match the parts that report it, and those that report none where the board is built in', async () => {
    const board = await insertBoard(app.db, { equipTypeId, partType: master, modelIds: [otherModelId] })
    const says = await device([[master, '1', '1.0', board.code]], { modelId: otherModelId })
    const silent = await device(
      [
        [master, '1', '1.1'],
        [bin, '1', '1.0'],
      ],
      { modelId: otherModelId },
    )
    await device([[master, '1', '1.0', 'ANOTHER']], { modelId: otherModelId })
    await device([[master, '1', '1.0']])
    const answer = await app.call(listDevicesByBoard, { pcbCode: board.code }, narrow)
    expect(answer).toMatchObject({ total: 2, data: [{ code: silent.code }, { code: says.code }] })
    expect(answer.data[0]?.equipSoftwareVersions).toMatchObject([{ partType: master, version: '1.1' }])
    const codes = async (input: object) =>
      (await app.call(listDevicesByBoard, { pcbCode: board.code, ...input }, narrow)).data.map(
        ({ code }) => code,
      )
    expect(await codes({ version: '1.1' })).toEqual([silent.code])
    // A part's report of an unknown board counts too.
    expect(await codes({ pcbCode: 'ANOTHER' })).toHaveLength(1)
    expect(await app.call(listDevicesByBoard, {}, narrow)).toMatchObject({
      status: 400,
      message: '板卡编号不能为空',
    })
  })

  // proves: call GET /slb/equip/upgrade/rate
  test('of the fleet are the share of devices whose parts all have the newest release for them', async () => {
    const model = await insertModel(app.db)
    const typeId = await equipTypeOf(app.db, model)
    const of = { modelId: model }
    const board = await insertBoard(app.db, { equipTypeId: typeId, partType: bin })
    await insertPackage(app.db, { board, version: '2.0' })
    await insertPackage(app.db, { board, version: '2.5', isRelease: false })
    await device(
      [
        [bin, '1', '2.0'],
        [bin, '2', '2.0'],
        [master, '1', '1.0'],
      ],
      of,
    )
    // A version newer than any release is not outdated.
    await device([[bin, '1', '2.5']], of)
    await device(
      [
        [bin, '1', '2.0'],
        [bin, '2', '1.9'],
      ],
      of,
    )
    await device([[bin, '1', '2.0']], { ...of, operatorId: null })
    await device([[bin, '1', '1.0']], { ...of, businessStatus: 2 })
    // A part on another board, which has no package.
    await device([[bin, '1', '1.0', 'ANOTHER']], of)
    const rate = async (input: object, token = narrow) =>
      (await app.call(readUpgradeRate, { equipTypeId: String(typeId), ...input }, token)).data
    expect(await rate({})).toMatchObject([
      {
        equipTypeId: String(typeId),
        partType: bin,
        version: '2.0',
        deviceCount: 3,
        newestCount: 2,
        rate: 66.6,
      },
    ])
    expect(await rate({}, admin)).toMatchObject([{ deviceCount: 4, newestCount: 3, rate: 75 }])
    expect(await rate({ partType: 'part_type_ec_master' })).toEqual([])
  })
})
