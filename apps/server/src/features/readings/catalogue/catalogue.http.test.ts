import {
  deleteReadingDefinition,
  insertReadingDefinition,
  listEquipTypes,
  listReadingDefinitions,
  listReadings,
  updateReadingDefinition,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../../test/app.ts'
import { insertDevice, insertModel, insertOperator, insertOrganization } from '../../../../test/factories.ts'
import { equipTypeOf } from '../../../../test/packages.ts'

const functionCodes = [
  'readingCatalogue:list',
  'readingCatalogue:insert',
  'readingCatalogue:update',
  'readingCatalogue:delete',
]
const app = await appOfTests()
const admin = await app.asAdmin()
const token = (await app.asUser({ functionCodes })).token

const modelId = await insertModel(app.db)
const { equip_type_id: typeId } = await app.db
  .selectFrom('equip_model')
  .select('equip_type_id')
  .where('id', '=', modelId)
  .executeTakeFirstOrThrow()
const equipTypeId = String(typeId)

let count = 0
const form = (fields: object = {}) => ({
  equipTypeId,
  key: `读数${++count}`,
  name: `读数 ${count}`,
  ...fields,
})
const definitionOf = async (id: string) =>
  (await app.call(listReadingDefinitions, { id }, token)).data.find((one) => one.id === id)
const lastOperation = async () =>
  (await app.database.pool.query('SELECT * FROM operation_log ORDER BY id DESC LIMIT 1')).rows[0]

describe('the catalogue of readings', () => {
  test('has the readings of cabinets, batteries and storage, with those of compartments', async () => {
    const types = (await app.call(listEquipTypes, {}, token)).data
    const keysOf = async (code: string) => {
      const type = types.find((one) => one.code === code)
      const { data } = await app.call(
        listReadingDefinitions,
        { equipTypeId: type?.id as string, pageSize: 100 },
        token,
      )
      return data.map(({ key }) => key)
    }
    for (const code of ['EC', 'CC']) {
      expect(await keysOf(code)).toEqual(
        expect.arrayContaining(['柜内温度', '市电正常', 'compartments.*.soc', 'compartments.*.temperature']),
      )
    }
    expect(await keysOf('BAT')).toEqual(expect.arrayContaining(['SOC', '总电压', '循环次数']))
    expect(await keysOf('ESS')).toEqual(expect.arrayContaining(['SOC', '光伏功率', '电池舱温度']))
  })

  test('is found by type and by a part of the key or the name', async () => {
    const { data } = await app.call(insertReadingDefinition, form({ key: 'Tmax', name: '最高温度' }), token)
    for (const keyword of ['tMA', '高温']) {
      const found = await app.call(listReadingDefinitions, { equipTypeId, keyword }, token)
      expect(found).toMatchObject({ total: 1, data: [{ id: data.id }] })
    }
    expect((await app.call(listReadingDefinitions, { equipTypeId, keyword: '%' }, token)).total).toBe(0)
  })

  test('is changed with the newest version only, and everything is in the operation log', async () => {
    const given = form({ unit: '℃', decimals: 1, plausibleMin: -40, plausibleMax: '125.5', normalMax: 50 })
    const added = await app.call(insertReadingDefinition, given, token)
    expect(added).toMatchObject({ code: 200, message: '创建成功' })
    const { id } = added.data
    expect(await definitionOf(id)).toEqual({
      id,
      equipTypeId,
      equipTypeName: expect.any(String),
      key: given.key,
      name: given.name,
      unit: '℃',
      decimals: 1,
      plausibleMin: -40,
      plausibleMax: 125.5,
      normalMin: null,
      normalMax: 50,
      group: null,
      keepsHistory: true,
      deadband: 0,
      longestSeconds: 900,
      orderNum: 0,
      version: 1,
    })
    const change = { ...form({ key: given.key, name: '改名' }), id, keepsHistory: false, version: 1 }
    expect(await app.call(updateReadingDefinition, change as never, token)).toMatchObject({ code: 200 })
    expect(await lastOperation()).toMatchObject({
      summary: '修改读数',
      target: expect.stringContaining(given.key),
      changes: { before: { unit: '℃', keepsHistory: true }, after: { unit: null, keepsHistory: false } },
    })
    expect(await definitionOf(id)).toMatchObject({ unit: null, keepsHistory: false, version: 2 })
    expect(await app.call(updateReadingDefinition, change as never, token)).toMatchObject({
      status: 409,
      refusal: 'conflict',
    })
    expect(await app.call(deleteReadingDefinition, { id }, token)).toMatchObject({ message: '删除成功!' })
    expect(await lastOperation()).toMatchObject({
      summary: '删除读数',
      target: expect.stringContaining(given.key),
    })
    for (const answer of [
      await app.call(deleteReadingDefinition, { id }, token),
      await app.call(updateReadingDefinition, { ...change, version: 2 } as never, token),
    ]) {
      expect(answer).toMatchObject({ status: 404, message: '读数不存在' })
    }
  })

  test('has each key of a type once', async () => {
    const one = form()
    expect(await app.call(insertReadingDefinition, one, token)).toMatchObject({ code: 200 })
    expect(await app.call(insertReadingDefinition, one, token)).toMatchObject({
      status: 409,
      refusal: 'readingDefinitionTaken',
      message: '该设备类型下已存在相同的读数键',
    })
  })

  test('reports every missing field', async () => {
    expect((await app.call(insertReadingDefinition, {} as never, token)).data).toEqual([
      { field: 'equipTypeId', message: '请选择设备类型' },
      { field: 'key', message: '请输入读数键' },
      { field: 'name', message: '请输入名称' },
    ])
  })

  test.each([
    [{ equipTypeId: '99999999' }, 'equipTypeId', '设备类型不存在'],
    [{ key: 'x'.repeat(65) }, 'key', '读数键长度不能超过64个字符'],
    [
      { key: 'compartments.1.soc' },
      'key',
      '仓位读数的键应为 compartments.*. 加字段名，如 compartments.*.soc',
    ],
    [{ key: 'compartments.*.no' }, 'key', '仓位读数的键应为 compartments.*. 加字段名，如 compartments.*.soc'],
    [{ unit: 'x'.repeat(17) }, 'unit', '单位长度不能超过16个字符'],
    [{ decimals: 7 }, 'decimals', '小数位数不能大于 6'],
    [{ plausibleMin: 'hot' }, 'plausibleMin', '可信下限应为数字'],
    [{ plausibleMin: 5, plausibleMax: 4 }, 'plausibleMax', '可信上限不能小于可信下限'],
    [{ normalMin: 0.5, normalMax: 0.4 }, 'normalMax', '正常上限不能小于正常下限'],
    [{ deadband: -1 }, 'deadband', '死区不能小于 0'],
    [{ longestSeconds: 0 }, 'longestSeconds', '最长间隔不能小于 1'],
    [{ longestSeconds: 86_401 }, 'longestSeconds', '最长间隔不能大于 86400'],
    [{ keepsHistory: 2 }, 'keepsHistory', '保存历史只能是 0、1'],
  ])('refuses %j', async (fields, field, message) => {
    expect(await app.call(insertReadingDefinition, form(fields) as never, token)).toMatchObject({
      status: 400,
      data: [{ field, message }],
    })
  })

  test('is changed by nobody who does not see all devices of the type: it decides what is kept of them', async () => {
    const ownModel = await insertModel(app.db)
    const foreignModel = await insertModel(app.db)
    const organizationId = await insertOrganization(app.db)
    const operatorId = await insertOperator(app.db, { organizationId })
    await insertDevice(app.db, { modelId: ownModel, operatorId })
    await insertDevice(app.db, { modelId: foreignModel })
    const [ownType = '', foreignType = ''] = await Promise.all(
      [ownModel, foreignModel].map(async (id) => String(await equipTypeOf(app.db, id))),
    )
    const stranger = (await app.asUser({ organizationId, functionCodes })).token
    const refused = { status: 403, refusal: 'readingDefinitionReachesBeyond' }
    const given = form({ equipTypeId: foreignType })
    const { data } = await app.call(insertReadingDefinition, given, admin)
    expect(
      await app.call(insertReadingDefinition, form({ equipTypeId: foreignType }), stranger),
    ).toMatchObject(refused)
    for (const change of [{ keepsHistory: 0 }, { plausibleMin: 1e6 }, { equipTypeId: ownType }])
      expect(
        await app.call(updateReadingDefinition, { ...given, ...change, id: data.id }, stranger),
      ).toMatchObject(refused)
    expect(await app.call(deleteReadingDefinition, { id: data.id }, stranger)).toMatchObject(refused)
    const own = await app.call(insertReadingDefinition, form({ equipTypeId: ownType }), stranger)
    expect(own).toMatchObject({ code: 200 })
    expect(await app.call(deleteReadingDefinition, { id: own.data.id }, stranger)).toMatchObject({
      code: 200,
    })
  })

  test('goes with its type', async () => {
    const gone = await insertModel(app.db)
    const { equip_type_id: of } = await app.db
      .selectFrom('equip_model')
      .select('equip_type_id')
      .where('id', '=', gone)
      .executeTakeFirstOrThrow()
    const { data } = await app.call(insertReadingDefinition, form({ equipTypeId: String(of) }), token)
    await sql`DELETE FROM equip_model WHERE id = ${gone}`.execute(app.db)
    await sql`DELETE FROM equip_type WHERE id = ${of}`.execute(app.db)
    expect(await definitionOf(data.id)).toBeUndefined()
  })
})

describe('a reading of a device', () => {
  test('is shown as the catalogue knows it; one that it does not know as it comes', async () => {
    const device = await insertDevice(app.db, { modelId })
    await sql`
      UPDATE device_state SET status_at = now(),
        status = '{"a 未知（V）": 5, "温度": 80, "湿度": -300, "电压": 220, "门": true}',
        compartments = '[{"no": 2, "soc": 50, "temperature": 70, "state": "full"}]'
      WHERE device_id = ${device.id}`.execute(app.db)
    const definitions = [
      { key: '电压', name: '市电电压', unit: 'V', group: '供电', orderNum: 1, decimals: 1, keepsHistory: 0 },
      { key: '温度', name: '柜温', unit: '℃', normalMax: 60, plausibleMax: 150, orderNum: 2 },
      {
        key: '湿度',
        name: '柜湿',
        unit: '%',
        plausibleMin: 0,
        plausibleMax: 100,
        normalMin: 10,
        orderNum: 3,
      },
      { key: 'compartments.*.temperature', name: '仓温', unit: '℃', normalMax: 55, orderNum: 4 },
    ]
    for (const fields of definitions) await app.call(insertReadingDefinition, form(fields) as never, token)
    const { data } = await app.call(listReadings, { id: String(device.id) }, admin)
    expect(
      data.map(({ key, name, unit, isOutside, isImplausible, hasHistory }) => [
        key,
        name,
        unit,
        isOutside,
        isImplausible,
        hasHistory,
      ]),
    ).toEqual([
      ['电压', '市电电压', 'V', false, false, false],
      ['温度', '柜温', '℃', true, false, true],
      ['湿度', '柜湿', '%', false, true, true],
      ['门', '门', null, false, false, true],
      ['a 未知（V）', 'a 未知', 'V', false, false, true],
      ['compartments.2.state', '2号仓 状态', null, false, false, false],
      ['compartments.2.soc', '2号仓 SOC', '%', false, false, true],
      ['compartments.2.temperature', '2号仓 仓温', '℃', true, false, true],
    ])
    expect(data[0]).toMatchObject({ decimals: 1, group: '供电' })
  })
})
