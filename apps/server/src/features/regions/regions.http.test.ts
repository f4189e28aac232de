import {
  countRegions,
  deleteRegion,
  insertRegion as insertRegionCall,
  listAlarmHistory,
  listDevices,
  listRegions,
  type RegionNode,
  updateRegion,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import {
  insertAlarm,
  insertDevice,
  insertOperator,
  insertRegion,
  insertUser,
} from '../../../test/factories.ts'
import { recount } from '../../domain/history/counters.ts'

const app = await appOfTests()

const child = (nodes: RegionNode[] | undefined, value: string) => nodes?.find((node) => node.value === value)

// proves: call POST /region/tree; constant default regions
test('the region tree contains the default options, and reaches down to districts', async () => {
  const { token } = await app.asUser()
  const { data } = await app.call(listRegions, {}, token)
  expect(data.map(({ value, label, parentCode }) => [value, label, parentCode])).toEqual([
    ['86', '中国', null],
    ['01', '美国', null],
    ['49', '欧洲', null],
    ['all', '全部', null],
  ])
  const provinces = data[0]?.childrens
  expect(provinces).toHaveLength(34)
  const guangdong = child(provinces, '440000')
  expect(guangdong).toMatchObject({ label: '广东省', parentCode: '86' })
  const nanshan = child(child(guangdong?.childrens, '440300')?.childrens, '440305')
  expect(nanshan).toMatchObject({ value: '440305', label: '南山区', parentCode: '440300', childrens: [] })
})

test('a region has its code and name, also as the value and label of the cascader', async () => {
  const { token } = await app.asUser()
  const { data } = await app.call(listRegions, {}, token)
  const all = (nodes: RegionNode[]): RegionNode[] => nodes.flatMap((node) => [node, ...all(node.childrens)])
  expect(all(data).length).toBeGreaterThan(3_000)
  for (const { code, name, value, label } of all(data)) {
    expect([code, name]).toEqual([value, label])
    expect(code).not.toBe('')
  }
})

test('each region has the numbers of the devices in it that its reader may see', async () => {
  const regionId = await insertRegion(app.db, { code: '97300' })
  const operatorId = await insertOperator(app.db)
  const device = await insertDevice(app.db, { regionId, operatorId })
  await insertDevice(app.db, { regionId })
  await insertAlarm(app.db, device, 'REGTALLY', 5)
  const counted = async (token: string) =>
    (await app.call(countRegions, {}, token)).data.filter(({ code }) => code === '97300')
  expect(await counted(await app.asAdmin())).toEqual([
    { code: '97300', devices: 2, online: 0, alarms: 1, shelved: 0 },
  ])
  const { token } = await app.asUser({ authorities: [['O', String(operatorId)]] })
  expect(await counted(token)).toEqual([{ code: '97300', devices: 1, online: 0, alarms: 1, shelved: 0 }])
  const elsewhere = await app.asUser({ authorities: [['R', '01']] })
  expect(await counted(elsewhere.token)).toEqual([])
})

const functionCodes = ['region:insert', 'region:update', 'region:delete', 'equip:list']
const asManager = async (...regions: string[]) =>
  (await app.asUser({ functionCodes, authorities: regions.map((code) => ['R', code] as const) })).token
const find = (nodes: readonly RegionNode[], code: string): RegionNode | undefined => {
  for (const node of nodes) {
    const found = node.value === code ? node : find(node.childrens, code)
    if (found) return found
  }
  return undefined
}
const read = async (code: string, token: string) => find((await app.call(listRegions, {}, token)).data, code)
const stored = (code: string) =>
  app.db
    .selectFrom('region')
    .select(['id', 'path', 'full_name as fullName'])
    .where('code', '=', code)
    .executeTakeFirstOrThrow()
let count = 0
const freshCode = () => `9900${String(++count).padStart(2, '0')}`

describe('an administrator of regions', () => {
  // proves: call POST /region/insert
  test('adds them below others and at the top level, visible to every page at once', async () => {
    const token = await asManager()
    const [country, city] = [freshCode(), freshCode()]
    expect(await app.call(insertRegionCall, { code: country, name: '新国' }, token)).toMatchObject({
      code: 200,
      data: { id: country },
    })
    const form = { code: city, name: '新城', parentCode: country }
    expect(await app.call(insertRegionCall, form, token)).toMatchObject({ code: 200 })
    expect(await read(country, token)).toMatchObject({
      parentCode: null,
      childrens: [{ value: city, label: '新城', parentCode: country, version: 1 }],
    })
    expect((await stored(city)).fullName).toBe('新国 / 新城')
    expect((await stored(city)).path).toBe(`/${(await stored(country)).id}/${(await stored(city)).id}/`)
    expect(await app.call(insertRegionCall, form, token)).toMatchObject({
      status: 409,
      message: '地区编码已存在',
    })
  })

  test('nests them at most ten deep, by adding and by moving', async () => {
    const token = await app.asAdmin()
    const add = async (parentCode?: string) => {
      const code = freshCode()
      return { code, answer: await app.call(insertRegionCall, { code, name: '某级', parentCode }, token) }
    }
    const chain = [(await add()).code]
    while (chain.length < 10) chain.push((await add(chain.at(-1))).code)
    const message = '地区最多 10 级'
    expect((await add(chain.at(-1))).answer).toMatchObject({ status: 400, message })
    const tall = (await add()).code
    await add(tall)
    const move = (parentCode = '') => app.call(updateRegion, { id: tall, name: '某级', parentCode }, token)
    expect(await move(chain.at(-2))).toMatchObject({ status: 400, message })
    expect((await move(chain.at(-3))).code).toBe(200)
  })

  test('gets an error for each problem of a form', async () => {
    const token = await asManager()
    const problems = async (form: Record<string, unknown>) =>
      (await app.call(insertRegionCall, form, token)).data
    expect(await problems({})).toEqual([
      { field: 'code', message: '请输入地区编码' },
      { field: 'name', message: '请输入地区名称' },
    ])
    expect(await problems({ code: '4403-1', name: '甲' })).toEqual([
      { field: 'code', message: '地区编码只能是 1 到 12 位字母或数字' },
    ])
    expect(await problems({ code: freshCode(), name: '甲', parentCode: 'NOSUCH' })).toEqual([
      { field: 'parentCode', message: '上级地区不存在' },
    ])
    expect(await problems({ code: freshCode(), name: '甲', parentCode: 'all' })).toEqual([
      { field: 'parentCode', message: '“全部”之下不能有地区' },
    ])
    const refused = await app.call(updateRegion, { id: '440000', code: '440001', name: '甲' }, token)
    expect(refused).toMatchObject({ status: 400, message: '地区编码不能修改' })
  })

  // proves: call POST /region/update
  test('renames one including the full names below it, and gets a conflict after another user’s change', async () => {
    const token = await asManager()
    const rename = (name: string, version?: number) =>
      app.call(updateRegion, { id: '460000', name, version }, token)
    expect(await rename('海南自由贸易港', 1)).toMatchObject({ code: 200 })
    expect(await rename('海南', 1)).toMatchObject({ status: 409, refusal: 'conflict' })
    expect((await stored('460105')).fullName).toBe('中国 / 海南自由贸易港 / 海口市 / 秀英区')
    // A level that only groups is left out of the full name, before and after.
    expect((await stored('469001')).fullName).toBe('中国 / 海南自由贸易港 / 五指山市')
    expect(await read('460000', token)).toMatchObject({ label: '海南自由贸易港', version: 2 })
    expect(await app.call(updateRegion, { code: '460000', name: '海南省' }, token)).toMatchObject({
      code: 200,
    })
    expect((await stored('460105')).fullName).toBe('中国 / 海南省 / 海口市 / 秀英区')
  })

  // proves: call POST /region/delete/{id}
  test('deletes only unreferenced ones, and is told the references', async () => {
    const token = await asManager()
    const remove = async (code: string) => (await app.call(deleteRegion, { id: code }, token)).message
    expect(await remove('440000')).toBe('地区下存在下级地区，不能删除')
    await insertDevice(app.db, { regionId: (await stored('440305')).id })
    expect(await remove('440305')).toBe('地区下存在设备，不能删除')
    await insertUser(app.db, { authorities: [['R', '440306']] })
    expect(await remove('440306')).toBe('地区已用于用户的数据权限，不能删除')
    expect(await remove('NOSUCH')).toBe('地区不存在')
    expect(await remove('440307')).toBe('删除成功!')
    expect(await read('440307', token)).toBeUndefined()
  })

  test('does not delete one by which something chooses devices: another region might get its code', async () => {
    const token = await asManager()
    const code = freshCode()
    await app.call(insertRegionCall, { code, name: '选中' }, token)
    const remove = async () => (await app.call(deleteRegion, { id: code }, token)).message
    const filter = JSON.stringify({ regionCode: code })
    await sql`
      INSERT INTO notify_rule (organization_id, name, events, alarm_levels, filter, group_wait_s, decided_by, decided_by_name)
      VALUES (1, ${code}, '{raised}', '{1}', ${filter}::jsonb, 0, 1, 'a')`.execute(app.db)
    expect(await remove()).toBe('地区已用于通知规则，不能删除')
    await sql`
      INSERT INTO alarm_shelf (kind, organization_id, filter, reason, start_at, decided_by, decided_by_name)
      VALUES ('outOfService', 1, ${filter}::jsonb, 'x', now(), 1, 'a')`.execute(app.db)
    await sql`
      INSERT INTO upgrade_task (type, upgrade_at, rule, devices, equip_type_id, created_by, created_by_name, organization_id)
      VALUES ('SCHEDULE', now() + interval '1 day', '{}', ${JSON.stringify({ filters: { regionCode: code } })}::jsonb, 1, 1,
        'a', 1)`.execute(app.db)
    expect(await remove()).toBe('地区已用于通知规则、告警搁置、升级任务，不能删除')
    await sql`DELETE FROM notify_rule WHERE name = ${code}`.execute(app.db)
    await sql`UPDATE alarm_shelf SET ended_at = now(), ended_by_name = 'a'`.execute(app.db)
    expect(await app.call(deleteRegion, { id: code }, token)).toMatchObject({
      status: 409,
      refusal: 'regionInChoices',
      message: '地区已用于升级任务，不能删除',
    })
    await sql`UPDATE upgrade_task SET state = 'cancelled', finished_at = now()`.execute(app.db)
    expect(await remove()).toBe('删除成功!')
  })

  test('cannot change the region that stands for all', async () => {
    const admin = await app.asAdmin()
    const stays = { status: 409, message: '“全部”代表所有地区，不能修改或删除' }
    expect(await app.call(updateRegion, { id: 'all', name: '任意' }, admin)).toMatchObject(stays)
    expect(await app.call(deleteRegion, { id: 'all' }, admin)).toMatchObject(stays)
  })
})

describe('a user limited to regions', () => {
  test('adds, changes and deletes only within them', async () => {
    const token = await asManager('440300')
    const missing = { status: 404, message: '地区不存在' }
    for (const id of ['440000', '440100', '86', 'all', 'NOSUCH']) {
      expect(await app.call(updateRegion, { id, name: '甲' }, token)).toMatchObject(missing)
      expect(await app.call(deleteRegion, { id }, token)).toMatchObject(missing)
      const form = { code: freshCode(), name: '甲', parentCode: id }
      expect(await app.call(insertRegionCall, form, token)).toMatchObject({
        status: 400,
        message: '上级地区不存在',
      })
    }
    expect(await app.call(insertRegionCall, { code: freshCode(), name: '甲' }, token)).toMatchObject({
      status: 400,
      data: [{ field: 'parentCode', message: '请选择上级地区' }],
    })
    const form = { code: freshCode(), name: '新区', parentCode: '440300' }
    expect(await app.call(insertRegionCall, form, token)).toMatchObject({ code: 200 })
    expect(await app.call(deleteRegion, { id: form.code }, token)).toMatchObject({ code: 200 })
  })

  test('sees nothing through an entry whose region was deleted', async () => {
    expect((await app.call(listDevices, {}, await asManager('GONE'))).total).toBe(0)
  })

  test('cannot move a region into their own, and only SYSTEM may move regions', async () => {
    const refused = { status: 403, message: '只有系统用户可以移动地区' }
    const form = { id: '440305', name: '南山区', parentCode: '440100' }
    expect(await app.call(updateRegion, form, await asManager())).toMatchObject(refused)
    expect(await app.call(updateRegion, form, await asManager('440000'))).toMatchObject(refused)
    expect(await app.call(updateRegion, form, await asManager('440100'))).toMatchObject({ status: 404 })
  })
})

describe('a region that moves', () => {
  test('keeps its devices and their history, with exact totals', async () => {
    const admin = await app.asAdmin()
    const region = await stored('330106')
    const device = await insertDevice(app.db, { regionId: region.id })
    const { operator_id, model_id } = await app.db
      .selectFrom('device')
      .select(['operator_id', 'model_id'])
      .where('id', '=', device.id)
      .executeTakeFirstOrThrow()
    await app.db
      .insertInto('alarm_history')
      .values({
        id: '1',
        occurred_at: new Date(),
        device_id: device.id,
        operator_id,
        model_id,
        region_id: region.id,
        semaphore_code: 'T0001',
        first_value: '1',
        value: '1',
      })
      .execute()
    const totals = async (regionCode: string, token = admin) => [
      (await app.call(listDevices, { regionCode }, token)).total,
      (await app.call(listAlarmHistory, { regionCode }, token)).total,
    ]
    // Folded: the row is in the counters of 杭州 and 浙江.
    await recount(app.db)
    expect([await totals('330000'), await totals('320000')]).toEqual([
      [1, 1],
      [0, 0],
    ])
    const limited = (
      await app.asUser({ functionCodes: ['equip:list', 'alarm:history'], authorities: [['R', '320000']] })
    ).token

    const move = (parentCode: string) =>
      app.call(updateRegion, { id: '330100', name: '杭州市', parentCode }, admin)
    expect(await move('320000')).toMatchObject({ code: 200 })
    expect([await totals('330000'), await totals('320000')]).toEqual([
      [0, 0],
      [1, 1],
    ])
    expect(await totals('320000', limited)).toEqual([1, 1])
    expect((await stored('330106')).fullName).toBe('中国 / 江苏省 / 杭州市 / 西湖区')

    const circle = { status: 400, data: [{ field: 'parentCode', message: '上级地区不能是自己或自己的下级' }] }
    expect(await move('330106')).toMatchObject(circle)
    expect(await move('330100')).toMatchObject(circle)
    expect(await move('330000')).toMatchObject({ code: 200 })
    expect([await totals('330000'), await totals('320000')]).toEqual([
      [1, 1],
      [0, 0],
    ])
  })
})
