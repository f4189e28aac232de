import {
  deleteHwVersion,
  deleteModel,
  deletePartType,
  insertHwVersion as insertHwVersionCall,
  insertPartType,
  listHwVersions,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import { insertModel } from '../../../test/factories.ts'

const functionCodes = ['hwVersion:list', 'hwVersion:insert', 'hwVersion:delete']

const app = await appOfTests()
const token = (await app.asUser({ functionCodes })).token
const model: { id: number; equipType: number } = await modelWith('PART_TYPE_EC_MASTER')
const other: { id: number; equipType: number } = await modelWith('PART_TYPE_EC_BIN')

/** A model of a new type with one part. */
async function modelWith(partType: string) {
  const id = await insertModel(app.db)
  await sql`INSERT INTO equip_model_part (equip_model_id, part_type) VALUES (${id}, ${partType})`.execute(
    app.db,
  )
  const { equip_type_id: equipType } = await app.db
    .selectFrom('equip_model')
    .select('equip_type_id')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return { id, equipType }
}

let count = 0
const form = (changes: object = {}) => ({
  equipType: String(model.equipType),
  equipModelId: String(model.id),
  partType: 'PART_TYPE_EC_MASTER',
  versionName: '主控板',
  versionCode: `H${++count}`,
  ...changes,
})

describe('a hardware version', () => {
  // proves: call GET /equip/hwVersion/page/list; call POST /equip/hwVersion/cearte
  // proves: call POST /equip/hwVersion/delete/{id}; message 创建成功; message 删除成功!
  test('is added, found, and deleted; the operation log records it', async () => {
    const added = await app.call(insertHwVersionCall, form({ versionCode: 'A1', versionNote: '首批' }), token)
    expect(added).toMatchObject({ code: 200, message: '创建成功' })
    const found = await app.call(listHwVersions, { versionName: 'a1' }, token)
    expect(found).toMatchObject({
      total: 1,
      data: [
        {
          id: added.data.id,
          equipType: String(model.equipType),
          equipModelId: String(model.id),
          partType: 'PART_TYPE_EC_MASTER',
          partTypeName: '主控',
          versionName: '主控板',
          versionCode: 'A1',
          versionNote: '首批',
        },
      ],
    })
    const removed = await app.call(deleteHwVersion, { id: added.data.id }, token)
    expect(removed).toMatchObject({ code: 200, message: '删除成功!' })
    expect((await app.call(listHwVersions, { versionName: 'A1' }, token)).total).toBe(0)
    expect(await app.call(deleteHwVersion, { id: added.data.id }, token)).toMatchObject({
      status: 404,
      message: '硬件版本不存在',
    })
    const logged = await app.db
      .selectFrom('operation_log')
      .select(['summary', 'target', 'result_code as code'])
      .where('call', 'like', '/equip/hwVersion/%')
      .orderBy('id')
      .execute()
    expect(logged).toMatchObject([
      { summary: '新增硬件版本', target: expect.stringMatching(/^硬件版本 .+ A1$/), code: 200 },
      { summary: '删除硬件版本', target: expect.stringMatching(/ A1$/), code: 200 },
      { summary: '删除硬件版本', code: 404 },
    ])
  })

  test('is filtered by type, model and part, newest first', async () => {
    const place = { equipType: String(other.equipType), equipModelId: String(other.id) }
    const bin = await app.call(insertHwVersionCall, form({ ...place, partType: 'part_type_ec_bin' }), token)
    expect(bin.code).toBe(200)
    const first = await app.call(insertHwVersionCall, form(), token)
    const second = await app.call(insertHwVersionCall, form(), token)
    const idsBy = async (filter: object) =>
      (await app.call(listHwVersions, filter, token)).data.map(({ id }) => id)
    expect(await idsBy({ equipModelId: String(model.id) })).toEqual([second.data.id, first.data.id])
    expect(await idsBy({ equipType: String(other.equipType) })).toEqual([bin.data.id])
    expect(await idsBy({ equipTypeId: String(other.equipType) })).toEqual([bin.data.id])
    expect(await idsBy({ partType: 'part_type_ec_bin' })).toEqual([bin.data.id])
    expect(await idsBy({ versionName: '%' })).toEqual([])
    expect(await idsBy({ pageNum: 2, pageSize: 1, equipModelId: String(model.id) })).toEqual([first.data.id])
  })

  // proves: rule hwVersion.equipType; rule hwVersion.partType; rule hwVersion.versionName
  // proves: rule hwVersion.versionCode; rule hwVersion.equipModelId; message 设备类型不能为空; message 部件不能为空
  // proves: message 版本名称长度不能超过20个字符; message 版本号长度不能超过10个字符; message 设备型号不能为空; constant versionName
  // proves: constant versionCode
  test('reports every missing or too long field, in the specification’s words', async () => {
    expect(await app.call(insertHwVersionCall, {} as never, token)).toMatchObject({
      status: 400,
      message: '设备类型不能为空',
      data: [
        { field: 'equipType', message: '设备类型不能为空' },
        { field: 'equipModelId', message: '设备型号不能为空' },
        { field: 'partType', message: '部件不能为空' },
        { field: 'versionName', message: '版本名称不能为空' },
        { field: 'versionCode', message: '版本号不能为空' },
      ],
    })
    const long = form({ versionName: '长'.repeat(21), versionCode: 'C'.repeat(11) })
    expect(await app.call(insertHwVersionCall, long, token)).toMatchObject({
      status: 400,
      data: [
        { field: 'versionName', message: '版本名称长度不能超过20个字符' },
        { field: 'versionCode', message: '版本号长度不能超过10个字符' },
      ],
    })
    const longest = form({ versionName: '长'.repeat(20), versionCode: 'C'.repeat(10) })
    expect(await app.call(insertHwVersionCall, longest, token)).toMatchObject({ code: 200 })
  })

  // proves: message 设备类型不存在
  test.each([
    ['a type that does not exist', { equipType: '99999' }, 'equipType', '设备类型不存在'],
    [
      'a model that does not exist',
      { equipModelId: '99999' },
      'equipModelId',
      '设备型号不存在，或不属于该设备类型',
    ],
    ['a part that the model lacks', { partType: 'PART_TYPE_EC_FIRE' }, 'partType', '该型号没有此部件'],
  ])('is refused for %s', async (_, changes, field, message) => {
    expect(await app.call(insertHwVersionCall, form(changes), token)).toMatchObject({
      status: 400,
      data: [{ field, message }],
    })
  })

  test('is refused for a model of another type', async () => {
    const mixed = form({ equipType: String(other.equipType) })
    expect(await app.call(insertHwVersionCall, mixed, token)).toMatchObject({
      status: 400,
      data: [{ field: 'equipModelId' }],
    })
  })

  test('needs a code that is unique for the model’s part', async () => {
    const one = form()
    expect(await app.call(insertHwVersionCall, one, token)).toMatchObject({ code: 200 })
    expect(await app.call(insertHwVersionCall, one, token)).toMatchObject({
      status: 409,
      refusal: 'hwVersionTaken',
    })
  })
})

test('a model or a part type with hardware versions cannot be deleted', async () => {
  const admin = await app.asAdmin()
  expect(await app.call(insertPartType, { code: 'SCREEN', name: '屏幕' }, admin)).toMatchObject({ code: 200 })
  const own = await modelWith('SCREEN')
  const made = { equipType: String(own.equipType), equipModelId: String(own.id), partType: 'SCREEN' }
  expect(await app.call(insertHwVersionCall, form(made), admin)).toMatchObject({ code: 200 })
  expect(await app.call(deleteModel, { id: String(own.id) }, admin)).toMatchObject({
    status: 409,
    refusal: 'modelHasHwVersions',
  })
  await sql`DELETE FROM equip_model_part WHERE equip_model_id = ${own.id}`.execute(app.db)
  expect(await app.call(deletePartType, { code: 'SCREEN' }, admin)).toMatchObject({
    status: 409,
    refusal: 'partTypeHasHwVersions',
  })
})
