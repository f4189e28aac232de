import {
  deleteBoard,
  deleteEquipType,
  deleteFirmware,
  deleteModel,
  deletePartType,
  insertPartType,
  listBoards,
  saveBoard,
} from '@voltkeep/contract'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import { insertModel } from '../../../test/factories.ts'
import { equipTypeOf, insertBoard, insertPackage } from '../../../test/packages.ts'

const app = await appOfTests()
const token = (await app.asUser({ functionCodes: ['pcb:list', 'pcb:save', 'pcb:delete'] })).token
const first = await insertModel(app.db)
const equipTypeId = await equipTypeOf(app.db, first)
const models: number[] = [first, await insertModel(app.db, { equipTypeId })]

let count = 0
const form = (changes: object = {}) => ({
  pcbCode: `B-${++count}`,
  pcbName: '主控板',
  partType: 'part_type_ec_master',
  equipTypeId: String(equipTypeId),
  ...changes,
})
async function added(changes: object = {}): Promise<{ id: string; pcbCode: string }> {
  const given = form(changes)
  const answer = await app.call(saveBoard, given, token)
  expect(answer).toMatchObject({ code: 200, message: '创建成功' })
  return { id: answer.data.id, pcbCode: given.pcbCode }
}
const rowOf = async (id: string) => (await app.call(listBoards, { ids: [id] }, token)).data[0]
const nameOf = async (table: 'equip_type' | 'equip_model', id: number) =>
  (await app.db.selectFrom(table).select('name').where('id', '=', id).executeTakeFirstOrThrow()).name

describe('a board', () => {
  // proves: call POST /pcb/save
  test('is added, changed and deleted, with its target; the operation log records it', async () => {
    const typeName = await nameOf('equip_type', equipTypeId)
    const { id, pcbCode } = await added()
    const version = (await rowOf(id))?.version ?? 0
    expect(version).toBeGreaterThan(0)
    expect(await rowOf(id)).toMatchObject({
      pcbCode,
      pcbName: '主控板',
      applyTo: typeName,
      partType: 'PART_TYPE_EC_MASTER',
      partTypeName: '主控',
      equipTypeId: String(equipTypeId),
      equipTypeName: typeName,
      equipModelIds: [],
    })
    const change = form({ id, pcbCode, pcbName: '新主控板', equipModelIds: models.map(String), version })
    expect(await app.call(saveBoard, change, token)).toMatchObject({ code: 200, data: { id } })
    const names = await Promise.all(models.map((model) => nameOf('equip_model', model)))
    expect(await rowOf(id)).toMatchObject({
      pcbName: '新主控板',
      applyTo: `${typeName}：${names.join('、')}`,
      equipModelIds: models.map(String),
      version: version + 1,
    })
    expect(await app.call(deleteBoard, { id }, token)).toMatchObject({ code: 200, message: '删除成功!' })
    expect(await rowOf(id)).toBeUndefined()
    expect(await app.call(deleteBoard, { id }, token)).toMatchObject({ status: 404, message: '板卡不存在' })
    expect(await app.call(saveBoard, change, token)).toMatchObject({ status: 404 })
    const logged = await app.db
      .selectFrom('operation_log')
      .select(['summary', 'changes'])
      .where('target', '=', `板卡 ${pcbCode}`)
      .where('result_code', '=', 200)
      .orderBy('id')
      .execute()
    expect(logged).toMatchObject([
      { summary: '保存板卡', changes: { after: { pcbName: '主控板', equipModels: [] } } },
      { summary: '保存板卡', changes: { before: { pcbName: '主控板' }, after: { equipModels: names } } },
      { summary: '删除板卡', changes: { before: { pcbName: '新主控板' } } },
    ])
  })

  test('loses models that were moved to another type, and says so when none is left', async () => {
    const moved = await insertModel(app.db, { equipTypeId })
    const stays = models[0] as number
    const both = await added({ equipModelIds: [stays, moved].map(String) })
    const alone = await added({ equipModelIds: [String(moved)] })
    const other = await equipTypeOf(app.db, await insertModel(app.db))
    await app.db.updateTable('equip_model').set({ equip_type_id: other }).where('id', '=', moved).execute()
    const typeName = await nameOf('equip_type', equipTypeId)
    expect((await rowOf(both.id))?.applyTo).toBe(`${typeName}：${await nameOf('equip_model', stays)}`)
    expect((await rowOf(alone.id))?.applyTo).toBe(`${typeName}：无适用型号`)
  })

  // proves: call GET /pcb/list
  test('is found by code or name, type and part; the list works by GET and POST', async () => {
    const { id, pcbCode } = await added({ pcbName: '找得到', partType: 'BMS' })
    const idsBy = async (filter: object) =>
      (await app.call(listBoards, filter, token)).data.map((row) => row.id)
    expect(await idsBy({ keyword: '找得' })).toEqual([id])
    expect(await idsBy({ keyword: pcbCode.toLowerCase() })).toContain(id)
    expect(await idsBy({ keyword: '_' })).toEqual([])
    expect(await idsBy({ partType: 'bms', equipTypeId: String(equipTypeId) })).toEqual([id])
    expect(await idsBy({ equipTypeId: '99999' })).toEqual([])
    const posted = await app.request('/api/pcb/list', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ keyword: '找得' }),
    })
    expect(posted).toMatchObject({ code: 200, total: 1 })
  })

  test('reports every missing or invalid field', async () => {
    expect(await app.call(saveBoard, {}, token)).toMatchObject({
      status: 400,
      message: '板卡编号不能为空',
      data: [
        { field: 'pcbCode', message: '板卡编号不能为空' },
        { field: 'pcbName', message: '板卡名称不能为空' },
        { field: 'partType', message: '部件不能为空' },
        { field: 'equipTypeId', message: '设备类型不能为空' },
      ],
    })
    for (const pcbCode of ['主控', 'A B', 'A.1', 'A'.repeat(33)]) {
      expect(await app.call(saveBoard, form({ pcbCode }), token)).toMatchObject({
        status: 400,
        data: [{ field: 'pcbCode' }],
      })
    }
  })

  test.each([
    ['a type that does not exist', { equipTypeId: '99999' }, 'equipTypeId', '设备类型不存在'],
    ['a part that does not exist', { partType: 'NOSUCH' }, 'partType', '部件类型不存在'],
    ['a model that does not exist', { equipModelIds: '99999' }, 'equipModelIds', /^设备型号不存在/],
  ])('is refused for %s', async (_, changes, field, message) => {
    expect(await app.call(saveBoard, form(changes), token)).toMatchObject({
      status: 400,
      data: [{ field, message: typeof message === 'string' ? message : expect.stringMatching(message) }],
    })
  })

  test('is refused for a model of another type', async () => {
    const equipModelIds = [String(models[0]), String(await insertModel(app.db))]
    expect(await app.call(saveBoard, form({ equipModelIds }), token)).toMatchObject({
      status: 400,
      data: [{ field: 'equipModelIds' }],
    })
  })

  test('has a unique code, however many are added at the same time', async () => {
    const one = form()
    const answers = await Promise.all([1, 2, 3].map(() => app.call(saveBoard, one, token)))
    expect(answers.map(({ code }) => code).sort()).toEqual([200, 409, 409])
    expect(answers.find(({ code }) => code === 409)).toMatchObject({ refusal: 'boardCodeTaken' })
    // The code of a deleted board can be used again.
    const id = answers.find(({ code }) => code === 200)?.data.id ?? ''
    await app.call(deleteBoard, { id }, token)
    expect(await app.call(saveBoard, one, token)).toMatchObject({ code: 200 })
  })
})

describe('a board with packages', () => {
  test('cannot be deleted, and keeps the fields that its file names contain; its name and models can change', async () => {
    const { id: packageId, board } = await insertPackage(app.db, {
      board: await insertBoard(app.db, { equipTypeId }),
    })
    const same = {
      id: String(board.id),
      pcbCode: board.code,
      pcbName: '改名',
      partType: board.partType,
      equipTypeId: String(equipTypeId),
      equipModelIds: [String(models[1])],
    }
    const refused = { status: 409, refusal: 'boardHasPackages' }
    expect(await app.call(deleteBoard, { id: same.id }, token)).toMatchObject(refused)
    expect(await app.call(saveBoard, { ...same, pcbCode: 'OTHER' }, token)).toMatchObject(refused)
    expect(await app.call(saveBoard, { ...same, partType: 'BMS' }, token)).toMatchObject(refused)
    // Other models are for who reaches the devices of the packages' people: here, of a SYSTEM user.
    expect(await app.call(saveBoard, same, token)).toMatchObject({
      status: 403,
      refusal: 'boardReachesBeyond',
    })
    expect(await app.call(saveBoard, { ...same, equipModelIds: [] }, token)).toMatchObject({
      code: 200,
      message: '保存成功',
    })
    expect(await app.call(saveBoard, same, await app.asAdmin())).toMatchObject({ code: 200 })
    // Without packages it can be deleted, and references to it stay intact.
    const admin = await app.asAdmin()
    await app.call(deleteFirmware, { versionId: String(packageId) }, admin)
    expect(await app.call(deleteBoard, { id: same.id }, token)).toMatchObject({ code: 200 })
    expect(await rowOf(same.id)).toBeUndefined()
    expect(await app.call(saveBoard, form({ pcbCode: board.code }), token)).toMatchObject({ code: 200 })
  })
})

test('types, models and parts with boards cannot be deleted', async () => {
  const admin = await app.asAdmin()
  await app.call(insertPartType, { code: 'BOARDPART', name: '部件' }, admin)
  const modelId = await insertModel(app.db)
  await insertBoard(app.db, {
    equipTypeId: await equipTypeOf(app.db, modelId),
    partType: 'BOARDPART',
    modelIds: [modelId],
  })
  expect(await app.call(deletePartType, { code: 'BOARDPART' }, admin)).toMatchObject({
    status: 409,
    refusal: 'partTypeHasBoards',
  })
  expect(await app.call(deleteModel, { id: String(modelId) }, admin)).toMatchObject({
    status: 409,
    refusal: 'modelHasBoards',
  })
  const bare = await insertModel(app.db)
  const bareType = await equipTypeOf(app.db, bare)
  await insertBoard(app.db, { equipTypeId: bareType })
  await app.call(deleteModel, { id: String(bare) }, admin)
  expect(await app.call(deleteEquipType, { id: String(bareType) }, admin)).toMatchObject({
    status: 409,
    refusal: 'equipTypeHasBoards',
  })
})
