import {
  deleteOperator,
  insertOperator as insertOperatorCall,
  listDevices,
  listOperators,
  searchOperators,
  updateOperator,
} from '@voltkeep/contract'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import { insertDevice, insertOperator, insertOrganization, insertUser } from '../../../test/factories.ts'

const app = await appOfTests()
const maker = await insertOrganization(app.db)
const branch = await insertOrganization(app.db, { parentId: maker })
const other = await insertOrganization(app.db)
const makersOperator = await insertOperator(app.db, { organizationId: maker, name: '顺达_运营' })
const branchsOperator = await insertOperator(app.db, { organizationId: branch })
const othersOperator = await insertOperator(app.db, { organizationId: other })

const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => Number(id))

// proves: call POST /operator/all
test('operators are limited to the data scope; a manufacturer includes the organizations below it', async () => {
  const admin = await app.asAdmin()
  // Includes the one of the seeds.
  expect(idsOf((await app.call(listOperators, {}, admin)).data)).toHaveLength(4)
  const ofMaker = await app.call(listOperators, { organId: String(maker) }, admin)
  expect(idsOf(ofMaker.data)).toEqual([makersOperator, branchsOperator])
  expect(ofMaker.data[1]?.organizationId).toBe(String(branch))

  const below = await app.asUser({ organizationId: branch })
  expect(idsOf((await app.call(listOperators, {}, below.token)).data)).toEqual([branchsOperator])
  expect((await app.call(listOperators, { organId: String(other) }, below.token)).data).toEqual([])
  const narrowed = await app.asUser({
    organizationId: maker,
    authorities: [['O', String(makersOperator)]],
  })
  expect(idsOf((await app.call(listOperators, { organId: String(maker) }, narrowed.token)).data)).toEqual([
    makersOperator,
  ])
})

test('an unknown organization has no operators, and a malformed id is refused', async () => {
  const token = await app.asAdmin()
  expect((await app.call(listOperators, { organId: '99999999999' }, token)).data).toEqual([])
  const refused = await app.call(listOperators, { organId: 'x' }, token)
  expect(refused).toMatchObject({ status: 400, data: [{ field: 'organId', message: '厂商无效' }] })
})

const functionCodes = ['operator:list', 'operator:insert', 'operator:update', 'operator:delete', 'equip:list']
const asManager = async (organizationId = maker, authorities: ['O' | 'ET' | 'R', string][] = []) =>
  (await app.asUser({ organizationId, functionCodes, authorities })).token
let count = 0
const freshCode = () => `FRESH${++count}`

describe('the list of operators', () => {
  test('is found by part of name or code, and by organization including those below it', async () => {
    const token = await asManager()
    const found = async (filters: object) =>
      idsOf((await app.call(searchOperators, filters, token)).data).sort((a, b) => a - b)
    expect(await found({})).toEqual([makersOperator, branchsOperator])
    expect(await found({ name: '达_运' })).toEqual([makersOperator])
    expect(await found({ name: '达%运' })).toEqual([])
    expect(await found({ organizationId: String(maker) })).toEqual([makersOperator, branchsOperator])
    expect(await found({ organizationId: String(branch) })).toEqual([branchsOperator])
    expect(await found({ organizationId: String(other) })).toEqual([])
    const { code } =
      (await app.call(searchOperators, { organizationId: String(branch) }, token)).data[0] ?? {}
    expect(await found({ code: code?.toLowerCase() })).toEqual([branchsOperator])
    expect(await found({ ids: [String(branchsOperator), String(othersOperator)] })).toEqual([branchsOperator])
    const page = await app.call(searchOperators, { pageSize: 1, pageNum: 2 }, token)
    expect(page).toMatchObject({ total: 2, data: [{ id: String(makersOperator) }] })
  })

  test('counts the devices that the user may see', async () => {
    const organizationId = await insertOrganization(app.db)
    const operatorId = await insertOperator(app.db, { organizationId })
    const device = await insertDevice(app.db, { operatorId })
    await insertDevice(app.db, { operatorId })
    const { code } = await app.db
      .selectFrom('device')
      .innerJoin('region', 'region.id', 'device.region_id')
      .select('region.code')
      .where('device.id', '=', device.id)
      .executeTakeFirstOrThrow()
    const counted = async (token: string) => (await app.call(searchOperators, {}, token)).data[0]?.deviceCount
    expect(await counted(await asManager(organizationId))).toBe(2)
    expect(await counted(await asManager(organizationId, [['R', code]]))).toBe(1)
  })
})

describe('an administrator of operators', () => {
  // proves: call POST /operator/insert; call POST /operator/update; call POST /operator/delete/{id}
  test('adds, changes and deletes them, and the operation log records it', async () => {
    const token = await asManager()
    const code = freshCode()
    const form = { name: '新运营', code, organizationId: String(branch) }
    const { data, code: status } = await app.call(insertOperatorCall, form, token)
    expect(status).toBe(200)
    const read = async () =>
      (await app.call(searchOperators, { code }, token)).data.find(({ id }) => id === data.id)
    expect(await read()).toMatchObject({ ...form, deviceCount: 0, version: 1 })
    const changed = { ...form, id: data.id, name: '改名', version: 1 }
    expect(await app.call(updateOperator, changed, token)).toMatchObject({ code: 200 })
    expect(await app.call(updateOperator, changed, token)).toMatchObject({
      status: 409,
      refusal: 'conflict',
    })
    expect(await read()).toMatchObject({ name: '改名', version: 2 })
    expect(await app.call(deleteOperator, { id: data.id }, token)).toMatchObject({ code: 200 })
    expect(await read()).toBeUndefined()
    const logged = await app.db
      .selectFrom('operation_log')
      .select(['target', 'result_code as result', 'changes'])
      .where('call', 'like', '/operator/%')
      .orderBy('id')
      .execute()
    expect(logged).toMatchObject([
      { target: `运营商 新运营（${code}）`, changes: { after: { name: '新运营' } } },
      { result: 200, changes: { before: { name: '新运营' }, after: { name: '改名' } } },
      { result: 409 },
      { result: 200, changes: { before: { name: '改名' } } },
    ])
  })

  test('gets an error for each missing field, and for a code in use', async () => {
    const token = await asManager()
    expect(await app.call(insertOperatorCall, {}, token)).toMatchObject({
      status: 400,
      data: [
        { field: 'name', message: '请输入运营商名称' },
        { field: 'code', message: '请输入运营商编码' },
        { field: 'organizationId', message: '请选择所属组织' },
      ],
    })
    const form = { name: '甲', code: freshCode(), organizationId: String(maker) }
    await app.call(insertOperatorCall, form, token)
    expect(await app.call(insertOperatorCall, form, token)).toMatchObject({
      status: 409,
      message: '运营商编码已存在',
    })
  })

  test('cannot access operators out of scope, nor move any into it', async () => {
    const token = await asManager()
    const own = { name: '乙', code: freshCode(), organizationId: String(maker) }
    for (const id of [String(othersOperator), '99999']) {
      const missing = { status: 404, message: '运营商不存在' }
      expect(await app.call(updateOperator, { ...own, id }, token)).toMatchObject(missing)
      expect(await app.call(deleteOperator, { id }, token)).toMatchObject(missing)
    }
    for (const organizationId of [String(other), '1', '99999']) {
      const refused = { status: 400, data: [{ field: 'organizationId', message: '组织不存在' }] }
      expect(await app.call(insertOperatorCall, { ...own, organizationId }, token)).toMatchObject(refused)
      expect(
        await app.call(updateOperator, { ...own, id: String(makersOperator), organizationId }, token),
      ).toMatchObject(refused)
    }
  })

  test('cannot add any if their data permissions name operators: the new one would be out of scope', async () => {
    const token = await asManager(maker, [['O', String(makersOperator)]])
    const form = { name: '丙', code: freshCode(), organizationId: String(maker) }
    expect(await app.call(insertOperatorCall, form, token)).toMatchObject({
      status: 403,
      message: '您的数据权限限定了运营商，不能新增运营商',
    })
    expect(await app.call(updateOperator, { ...form, id: String(branchsOperator) }, token)).toMatchObject({
      status: 404,
    })
  })

  test('cannot delete one that has devices or is named by data permissions', async () => {
    const admin = await app.asAdmin()
    const busy = await insertOperator(app.db)
    await insertDevice(app.db, { operatorId: busy })
    const named = await insertOperator(app.db)
    await insertUser(app.db, { authorities: [['O', String(named)]] })
    const remove = (id: number) => app.call(deleteOperator, { id: String(id) }, admin)
    expect(await remove(busy)).toMatchObject({ status: 409, message: '运营商下存在设备，不能删除' })
    expect(await remove(named)).toMatchObject({
      status: 409,
      message: '运营商已用于用户的数据权限，不能删除',
    })
  })
})

describe('an operator that moves to another organization', () => {
  test('makes its devices visible to that one at once', async () => {
    const [from, to] = [await insertOrganization(app.db), await insertOrganization(app.db)]
    const operatorId = await insertOperator(app.db, { organizationId: from })
    await insertDevice(app.db, { operatorId })
    const [before, after] = [await asManager(from), await asManager(to)]
    const seen = async (token: string) => (await app.call(listDevices, {}, token)).total
    expect([await seen(before), await seen(after)]).toEqual([1, 0])
    const form = { id: String(operatorId), organizationId: String(to), name: '迁移', code: freshCode() }
    expect(await app.call(updateOperator, form, await app.asAdmin())).toMatchObject({ code: 200 })
    expect([await seen(before), await seen(after)]).toEqual([0, 1])
  })

  test('can be moved only by a user who sees all of its devices, though others may rename it', async () => {
    const token = await asManager(maker, [['R', '440000']])
    const form = { id: String(branchsOperator), name: '改名', code: freshCode() }
    expect(await app.call(updateOperator, { ...form, organizationId: String(maker) }, token)).toMatchObject({
      status: 403,
      message: '不能授予自己没有的权限',
    })
    expect(await app.call(updateOperator, { ...form, organizationId: String(branch) }, token)).toMatchObject({
      code: 200,
    })
  })
})

test('a data permission for a deleted operator matches nothing', async () => {
  const token = await asManager(maker, [['O', '99999']])
  expect((await app.call(searchOperators, {}, token)).total).toBe(0)
  expect((await app.call(listDevices, {}, token)).total).toBe(0)
})
