import {
  deleteEquipType,
  deleteModel,
  deleteModelPart,
  deletePartType,
  insertEquipType,
  insertModel,
  insertModelPart,
  insertPartType,
  listEquipTypes,
  listModelParts,
  listPartTypes,
  updateEquipType,
  updateModel,
  updateModelPart,
  updatePartType,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import { insertDevice, insertOperator, insertOrganization, insertUser } from '../../../test/factories.ts'

const app = await appOfTests()
const token = await app.asAdmin()

let count = 0
const typeForm = (fields: Record<string, unknown> = {}) => ({
  name: `类型${++count}`,
  code: `TYPE-${count}`,
  classify: 'ESS',
  partTypes: ['WIFI', 'BMS'],
  ...fields,
})
const madeType = async (fields: Record<string, unknown> = {}) => {
  const form = typeForm(fields)
  const answer = await app.call(insertEquipType, form, token)
  expect(answer).toMatchObject({ code: 200 })
  return { ...form, id: answer.data.id }
}
const madeModel = async (equipTypeId: string, fields: Record<string, unknown> = {}) => {
  const form = { equipTypeId, name: `型号${++count}`, code: `MODEL-${count}`, ...fields }
  const answer = await app.call(insertModel, form, token)
  expect(answer).toMatchObject({ code: 200 })
  return { ...form, id: answer.data.id }
}
const typeOf = async (id: string) =>
  (await app.call(listEquipTypes, {}, token)).data.find((type) => type.id === id)
const partsOf = async (equipModelId: string) => (await app.call(listModelParts, { equipModelId }, token)).data
const partTypesOf = async (modelId: string) => (await partsOf(modelId)).map(({ partType }) => partType)

describe('an equipment type', () => {
  // proves: call POST /equipType/insert
  test('is added with its parts, at the end of the list', async () => {
    const { id, name, code } = await madeType({ partTypes: 'wifi,Bms,WIFI' })
    const { data } = await app.call(listEquipTypes, {}, token)
    expect(data.at(-1)).toEqual({
      id,
      name,
      code,
      classify: 'ESS',
      classifyName: '储能设备',
      hasDevices: false,
      equipModels: [],
      partTypes: [
        { code: 'WIFI', name: 'WIFI模块' },
        { code: 'BMS', name: '电池管理系统' },
      ],
      version: 1,
    })
  })

  test('reports every missing or invalid field', async () => {
    expect((await app.call(insertEquipType, {}, token)).data).toEqual([
      { field: 'name', message: '请输入设备类型名称' },
      { field: 'code', message: '请输入设备类型编码' },
      { field: 'classify', message: '请选择设备类别' },
    ])
    const wrong = async (fields: Record<string, unknown>) =>
      (await app.call(insertEquipType, typeForm(fields), token)).data
    expect(await wrong({ code: '有中文' })).toEqual([
      { field: 'code', message: '设备类型编码只能是字母、数字、下划线和短横线' },
    ])
    expect(await wrong({ code: 'X'.repeat(33) })).toEqual([
      { field: 'code', message: '设备类型编码长度不能超过32个字符' },
    ])
    expect(await wrong({ classify: 'UFO' })).toEqual([{ field: 'classify', message: '设备类别不存在' }])
    expect(await wrong({ partTypes: ['BMS', 'NONE'] })).toEqual([
      { field: 'partTypes', message: '部件类型NONE不存在' },
    ])
  })

  test('needs a unique code', async () => {
    const taken = { status: 409, message: '设备类型编码已存在' }
    expect(await app.call(insertEquipType, typeForm({ code: 'EC' }), token)).toMatchObject(taken)
    const type = await madeType()
    expect(await app.call(updateEquipType, { ...type, code: 'EC' }, token)).toMatchObject(taken)
  })

  // proves: call POST /equipType/update
  test('is changed with its newest version only; parts that the call leaves out are kept', async () => {
    const type = await madeType()
    const change = { id: type.id, name: '改名', code: type.code, classify: 'BAT' }
    expect(await app.call(updateEquipType, { ...change, version: 1 }, token)).toMatchObject({ code: 200 })
    expect(await typeOf(type.id)).toMatchObject({
      name: '改名',
      classify: 'BAT',
      version: 2,
      partTypes: [{ code: 'WIFI' }, { code: 'BMS' }],
    })
    expect(await app.call(updateEquipType, { ...change, version: 1 }, token)).toMatchObject({
      status: 409,
      refusal: 'conflict',
    })
    expect(await app.call(updateEquipType, { ...change, partTypes: [] }, token)).toMatchObject({ code: 200 })
    expect((await typeOf(type.id))?.partTypes).toEqual([])
  })

  test('keeps its class where a device of it is just being registered', async () => {
    const type = await madeType({ classify: 'EC' })
    const model = await madeModel(type.id)
    const { version } = (await typeOf(type.id)) as { version: number }
    const registered = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const registering = app.db.transaction().execute(async (trx) => {
      await insertDevice(trx, { modelId: Number(model.id) })
      registered.resolve()
      await release.promise
    })
    await registered.promise
    const changing = app.call(updateEquipType, { ...type, classify: 'BAT', version }, token)
    await expect
      .poll(async () => (await sql`SELECT FROM pg_locks WHERE NOT granted`.execute(app.db)).rows.length)
      .toBe(1)
    release.resolve()
    await registering
    expect(await changing).toMatchObject({ status: 409, refusal: 'equipTypeHasDevices' })
  })

  test('with devices keeps its class, by which advertisements and logs reach them', async () => {
    const type = await madeType({ classify: 'EC' })
    const device = await insertDevice(app.db, { modelId: Number((await madeModel(type.id)).id) })
    // Of an organization without devices: the type is everybody's.
    const organizationId = await insertOrganization(app.db)
    const stranger = await app.asUser({ organizationId, functionCodes: ['equipType:update'] })
    expect(await typeOf(type.id)).toMatchObject({ hasDevices: true })
    const change = (classify: string) =>
      app.call(updateEquipType, { ...type, name: '改名', classify }, stranger.token)
    expect(await change('ESS')).toMatchObject({
      status: 409,
      message: '设备类型下存在设备，不能修改设备类别',
    })
    expect(await typeOf(type.id)).toMatchObject({ name: type.name, classify: 'EC' })
    expect(await change('EC')).toMatchObject({ code: 200 })
    await app.db.deleteFrom('device').where('id', '=', device.id).execute()
    expect(await typeOf(type.id)).toMatchObject({ hasDevices: false })
    expect(await change('ESS')).toMatchObject({ code: 200 })
  })

  // proves: call POST /equipType/delete/{id}; call POST /model/insert; call POST /model/delete/{id}
  test('is deleted only without models, and while no data permission names it', async () => {
    const type = await madeType()
    const model = await madeModel(type.id)
    const remove = () => app.call(deleteEquipType, { id: type.id }, token)
    expect(await remove()).toMatchObject({ status: 409, message: '设备类型下存在型号，不能删除' })
    await app.call(deleteModel, { id: model.id }, token)
    const user = await insertUser(app.db, { authorities: [['ET', type.id]] })
    expect(await remove()).toMatchObject({
      status: 409,
      message: '设备类型已用于用户的数据权限，不能删除',
    })
    await app.db.deleteFrom('user_authority').where('user_id', '=', user.id).execute()
    expect(await remove()).toMatchObject({ code: 200 })
    expect(await remove()).toMatchObject({ status: 404, message: '设备类型不存在' })
    expect(await app.call(updateEquipType, { ...type, id: '99999999999' }, token)).toMatchObject({
      status: 404,
      message: '设备类型不存在',
    })
  })
})

describe('a model', () => {
  test('reports every missing or invalid field', async () => {
    expect((await app.call(insertModel, {}, token)).data).toEqual([
      { field: 'equipTypeId', message: '设备类型不能为空' },
      { field: 'name', message: '请输入型号名称' },
      { field: 'code', message: '请输入型号编码' },
    ])
    const lost = { equipTypeId: '99999999999', name: '无类型', code: 'LOST' }
    expect((await app.call(insertModel, lost, token)).data).toEqual([
      { field: 'equipTypeId', message: '设备类型不存在' },
    ])
    const type = await madeType()
    expect(
      await app.call(insertModel, { equipTypeId: type.id, name: '重复', code: 'VK-EC08' }, token),
    ).toMatchObject({ status: 409, message: '设备型号编码已存在' })
  })

  test('is changed with its newest version only', async () => {
    const type = await madeType()
    const model = await madeModel(type.id)
    const change = { ...model, name: '改名', version: 1 }
    expect(await app.call(updateModel, change, token)).toMatchObject({ code: 200 })
    expect(await app.call(updateModel, change, token)).toMatchObject({ status: 409 })
    expect((await typeOf(type.id))?.equipModels).toEqual([
      {
        id: model.id,
        name: '改名',
        code: model.code,
        compartmentCount: null,
        compartmentColumns: null,
        version: 2,
      },
    ])
    const gone = { status: 404, message: '设备型号不存在' }
    expect(await app.call(updateModel, { ...change, id: '2000000000' }, token)).toMatchObject(gone)
    expect(await app.call(deleteModel, { id: '2000000000' }, token)).toMatchObject(gone)
  })

  test('says how many compartments it has and in how many columns, or that it has none', async () => {
    const type = await madeType()
    const model = await madeModel(type.id, { compartmentCount: 64, compartmentColumns: 8 })
    const arrangement = async () => {
      const [one] = (await typeOf(type.id))?.equipModels ?? []
      return [one?.compartmentCount, one?.compartmentColumns]
    }
    expect(await arrangement()).toEqual([64, 8])
    const without = { id: model.id, equipTypeId: type.id, name: model.name, code: model.code }
    await app.call(updateModel, { ...without, compartmentCount: 5 }, token)
    expect(await arrangement()).toEqual([5, null])
    await app.call(updateModel, without, token)
    expect(await arrangement()).toEqual([null, null])
  })

  test.each([
    [{ compartmentCount: 0 }, 'compartmentCount', '仓位数不能小于 1'],
    [{ compartmentCount: 65 }, 'compartmentCount', '仓位数不能大于 64'],
    [{ compartmentCount: 1.5 }, 'compartmentCount', '仓位数应为整数'],
    [{ compartmentCount: 4, compartmentColumns: 0 }, 'compartmentColumns', '列数不能小于 1'],
    [{ compartmentCount: 4, compartmentColumns: 5 }, 'compartmentColumns', '列数不能大于仓位数'],
    [{ compartmentColumns: 2 }, 'compartmentColumns', '列数不能大于仓位数'],
  ])('of arrangement %j is refused', async (fields, field, message) => {
    const type = await madeType()
    const model = await madeModel(type.id)
    for (const answer of [
      await app.call(insertModel, { ...model, code: 'ARRANGED', ...fields }, token),
      await app.call(updateModel, { ...model, ...fields }, token),
    ]) {
      expect(answer).toMatchObject({ status: 400, data: [{ field, message }] })
    }
  })

  test('with devices is neither deleted nor given another type, which would change who sees them', async () => {
    const type = await madeType()
    const other = await madeType()
    const model = await madeModel(type.id)
    await insertDevice(app.db, { modelId: Number(model.id) })
    const kept = { status: 409, message: '型号下存在设备，不能更换设备类型或删除' }
    expect(await app.call(deleteModel, { id: model.id }, token)).toMatchObject(kept)
    expect(await app.call(updateModel, { ...model, equipTypeId: other.id }, token)).toMatchObject(kept)
    expect(await app.call(updateModel, { ...model, name: '改名' }, token)).toMatchObject({ code: 200 })
  })
})

test('a user limited to a type moves no model to or from another type, which would move its history', async () => {
  const [own, other] = [await madeType(), await madeType()]
  const [inside, outside] = [await madeModel(own.id), await madeModel(other.id)]
  const limited = await app.asUser({ functionCodes: ['model:update'], authorities: [['ET', own.id]] })
  for (const change of [
    { ...outside, equipTypeId: own.id },
    { ...inside, equipTypeId: other.id },
  ]) {
    expect(await app.call(updateModel, change, limited.token)).toMatchObject({
      status: 403,
      message: '不能授予自己没有的权限',
    })
  }
  expect((await app.call(updateModel, { ...inside, name: '另名' }, limited.token)).code).toBe(200)
})

describe('the number of compartments of a model', () => {
  const codes = ['model:update']
  const refused = {
    status: 403,
    refusal: 'modelReachesBeyond',
    message: '该型号有无权查看的设备，不能修改仓位数',
  }

  test('is changed by who sees all of its devices: nobody opens a compartment beyond it', async () => {
    const model = await madeModel((await madeType()).id, { compartmentCount: 12, compartmentColumns: 3 })
    const [own, other] = [await insertOperator(app.db), await insertOperator(app.db)]
    await insertDevice(app.db, { modelId: Number(model.id), operatorId: own })
    const narrow = await app.asUser({ functionCodes: codes, authorities: [['O', String(own)]] })
    const fewer = { ...model, compartmentCount: 4, compartmentColumns: 2 }
    expect(await app.call(updateModel, fewer, narrow.token)).toMatchObject({ code: 200 })
    await insertDevice(app.db, { modelId: Number(model.id), operatorId: other })
    for (const change of [
      { ...fewer, compartmentCount: 1, compartmentColumns: 1 },
      { ...fewer, compartmentCount: undefined, compartmentColumns: undefined },
    ])
      expect(await app.call(updateModel, change, narrow.token)).toMatchObject(refused)
    const shown = { ...fewer, name: '改名', compartmentColumns: 4 }
    expect(await app.call(updateModel, shown, narrow.token)).toMatchObject({ code: 200 })
    expect(await app.call(updateModel, { ...shown, compartmentCount: 9 }, token)).toMatchObject({ code: 200 })
  })

  test('is not changed by who sees no device, of another organization or without any', async () => {
    const model = await madeModel((await madeType()).id)
    await insertDevice(app.db, { modelId: Number(model.id) })
    const elsewhere = await app.asUser({
      organizationId: await insertOrganization(app.db),
      functionCodes: codes,
    })
    expect(await app.call(updateModel, { ...model, compartmentCount: 1 }, elsewhere.token)).toMatchObject(
      refused,
    )
  })
})

describe('the parts of a model', () => {
  test('are those of its type, and follow them unless the model has its own', async () => {
    const type = await madeType({ partTypes: ['WIFI', 'BMS', 'SC'] })
    const model = await madeModel(type.id)
    expect(await partsOf(model.id)).toMatchObject([
      { partType: 'WIFI', partTypeName: 'WIFI模块', name: null, addrCount: 1, isDefault: true },
      { partType: 'BMS' },
      { partType: 'SC' },
    ])
    const written = { equipModelId: model.id, partType: 'bms', addrCount: 4, remark: '四簇' }
    expect(await app.call(insertModelPart, written, token)).toMatchObject({ code: 200 })
    await app.call(updateEquipType, { ...type, partTypes: ['MPPT', 'WIFI'] }, token)
    expect(await partTypesOf(model.id)).toEqual(['WIFI', 'MPPT', 'BMS'])
    expect((await partsOf(model.id)).at(-1)).toMatchObject({
      partType: 'BMS',
      addrCount: 4,
      remark: '四簇',
      isDefault: false,
    })
  })

  // proves: call POST /model/update
  test('with a new type are those of that type, and its own', async () => {
    const [from, to] = [await madeType({ partTypes: ['WIFI', 'SC'] }), await madeType({ partTypes: ['BMS'] })]
    const model = await madeModel(from.id)
    await app.call(insertModelPart, { equipModelId: model.id, partType: 'SC', addrCount: 2 }, token)
    await app.call(updateModel, { ...model, equipTypeId: to.id }, token)
    expect(await partTypesOf(model.id)).toEqual(['BMS', 'SC'])
  })

  // proves: call POST /model/add/part; call POST /model/update/part; call GET /model/part/delete
  // proves: call GET /model/part/list
  test('are added, changed and deleted, the latter by GET and POST', async () => {
    const model = await madeModel((await madeType({ partTypes: [] })).id)
    const add = (fields: Record<string, unknown>) =>
      app.call(insertModelPart, { equipModelId: model.id, ...fields }, token)
    const { data: bms } = await add({ partType: 'BMS', name: '主簇', addrCount: '2' })
    expect(await add({ partType: 'BMS' })).toMatchObject({ status: 409, message: '该型号已有此部件' })
    expect((await add({})).data).toEqual([{ field: 'partType', message: '请选择部件类型' }])
    expect((await add({ partType: 'NONE' })).data).toEqual([{ field: 'partType', message: '部件类型不存在' }])
    expect((await add({ partType: 'SC', addrCount: 0 })).data).toEqual([
      { field: 'addrCount', message: '数量不能小于 1' },
    ])
    const change = { id: bms.id, partType: 'sc', name: '', remark: '换成控制器', version: 1 }
    expect(await app.call(updateModelPart, change, token)).toMatchObject({ code: 200 })
    expect(await app.call(updateModelPart, change, token)).toMatchObject({ status: 409 })
    expect(await partsOf(model.id)).toMatchObject([
      { id: bms.id, partType: 'SC', name: null, remark: '换成控制器', addrCount: 1, version: 2 },
    ])
    const { data: wifi } = await add({ partType: 'WIFI' })
    expect(await app.call(updateModelPart, { id: wifi.id, partType: 'SC' }, token)).toMatchObject({
      status: 409,
      message: '该型号已有此部件',
    })
    expect(await app.call(deleteModelPart, { id: wifi.id }, token)).toMatchObject({ code: 200 })
    const byPost = await app.request('/api/model/part/delete', {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: JSON.stringify({ id: bms.id }),
    })
    expect(byPost).toMatchObject({ code: 200 })
    expect(await partsOf(model.id)).toEqual([])
    expect(await app.call(deleteModelPart, { id: bms.id }, token)).toMatchObject({
      status: 404,
      message: '型号部件不存在',
    })
    const logged = await app.db
      .selectFrom('operation_log')
      .select('target')
      .where('call', '=', '/model/part/delete')
      .where('result_code', '=', 200)
      .orderBy('id')
      .execute()
    expect(logged).toEqual([
      { target: `设备型号 ${model.name} 的部件 WIFI` },
      { target: `设备型号 ${model.name} 的部件 SC` },
    ])
  })

  test('of the planted models exist from the first start', async () => {
    const cabinet = (await app.call(listEquipTypes, {}, token)).data
      .flatMap(({ equipModels }) => equipModels)
      .find(({ code }) => code === 'VK-EC12')
    expect(await partTypesOf(cabinet?.id ?? '')).toContain('PART_TYPE_EC_BIN')
  })
})

describe('a part type', () => {
  test('is stored in upper case, renamed, and deleted while it is not used', async () => {
    const named = async (code: string) =>
      (await app.call(listPartTypes, {}, token)).data.find((part) => part.code === code)?.name
    expect(await app.call(insertPartType, { code: 'pcs', name: '变流器' }, token)).toMatchObject({
      code: 200,
    })
    expect(await app.call(insertPartType, { code: 'PCS', name: '变流器' }, token)).toMatchObject({
      status: 409,
      message: '部件类型编码已存在',
    })
    expect(await app.call(updatePartType, { code: 'pcs', name: '双向变流器' }, token)).toMatchObject({
      code: 200,
    })
    expect(await named('PCS')).toBe('双向变流器')

    const used = { status: 409, message: '部件类型已用于设备类型或型号，不能删除' }
    const type = await madeType({ partTypes: ['PCS'] })
    expect(await app.call(deletePartType, { code: 'PCS' }, token)).toMatchObject(used)
    const model = await madeModel(type.id)
    await app.call(insertModelPart, { equipModelId: model.id, partType: 'PCS' }, token)
    await app.call(updateEquipType, { ...type, partTypes: [] }, token)
    expect(await app.call(deletePartType, { code: 'PCS' }, token)).toMatchObject(used)
    await app.call(deleteModel, { id: model.id }, token)
    expect(await app.call(deletePartType, { code: 'Pcs' }, token)).toMatchObject({ code: 200 })
    expect(await named('PCS')).toBeUndefined()
    for (const call of [updatePartType, deletePartType]) {
      expect(await app.call(call, { code: 'PCS', name: '无' }, token)).toMatchObject({
        status: 404,
        message: '部件类型不存在',
      })
    }
  })

  test('needs a code and a name', async () => {
    expect((await app.call(insertPartType, {}, token)).data).toEqual([
      { field: 'code', message: '请输入部件类型编码' },
      { field: 'name', message: '请输入部件类型名称' },
    ])
    expect((await app.call(insertPartType, { code: '变流器', name: '变流器' }, token)).data).toEqual([
      { field: 'code', message: '部件类型编码只能是字母、数字和下划线' },
    ])
  })
})
