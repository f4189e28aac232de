import {
  countOrganizations,
  deleteOrganization,
  insertOrganization as insertOrganizationCall,
  listDevices,
  listOrganizations,
  type OrganizationNode,
  updateOrganization,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import {
  insertAlarm,
  insertDevice,
  insertOperator,
  insertOrganization,
  insertUser,
} from '../../../test/factories.ts'
import { ownedTables } from './organizations.queries.ts'

const app = await appOfTests()
const maker = await insertOrganization(app.db)
const branch = await insertOrganization(app.db, { parentId: maker })
const other = await insertOrganization(app.db)

const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => Number(id))

// proves: call POST /organization/all
test('a system user gets every organization as a tree', async () => {
  const { data } = await app.call(listOrganizations, {}, await app.asAdmin())
  expect(data).toHaveLength(1)
  expect(data[0]).toMatchObject({ id: '1', parentId: '0', name: '平台' })
  const found = data[0]?.children.find(({ id }) => id === String(maker))
  expect(found).toMatchObject({ parentId: '1', children: [{ id: String(branch), parentId: String(maker) }] })
})

test('any other user gets the tree from their own organization down', async () => {
  const { token } = await app.asUser({ organizationId: maker })
  const { data } = await app.call(listOrganizations, {}, token)
  expect(idsOf(data)).toEqual([maker])
  expect(data[0]?.parentId).toBe('0')
  expect(idsOf(data[0]?.children ?? [])).toEqual([branch])
})

test('each organization has the numbers of what its reader may see of it', async () => {
  const top = await insertOrganization(app.db)
  const below = await insertOrganization(app.db, { parentId: top })
  const [own, others] = [
    await insertOperator(app.db, { organizationId: below }),
    await insertOperator(app.db, { organizationId: below }),
  ]
  const device = await insertDevice(app.db, { operatorId: own })
  await insertDevice(app.db, { operatorId: own })
  await insertDevice(app.db, { operatorId: others })
  await app.db
    .updateTable('device_state')
    .set({ is_online: true, online_changed_at: new Date() })
    .where('device_id', '=', device.id)
    .execute()
  await insertAlarm(app.db, device, 'ORGTALLY1', 5)
  await insertAlarm(app.db, device, 'ORGTALLY2', 5, { recovered: true })
  await insertUser(app.db, { organizationId: below })

  const counted = async (user: Parameters<typeof app.asUser>[0]) => {
    const { token } = await app.asUser({ organizationId: top, ...user })
    return (await app.call(countOrganizations, {}, token)).data
  }
  const whole = await counted({ functionCodes: ['user:list'] })
  expect(whole).toEqual([
    { id: String(top), operators: 0, users: 1, devices: 0, online: 0, alarms: 0, shelved: 0 },
    { id: String(below), operators: 2, users: 1, devices: 3, online: 1, alarms: 1, shelved: 0 },
  ])
  const narrowed = await counted({ functionCodes: [], authorities: [['O', String(own)]] })
  expect(narrowed).toEqual([
    { id: String(top), operators: 0, users: null, devices: 0, online: 0, alarms: 0, shelved: 0 },
    { id: String(below), operators: 1, users: null, devices: 2, online: 1, alarms: 1, shelved: 0 },
  ])
})

const functionCodes = ['organization:insert', 'organization:update', 'organization:delete', 'equip:list']
const asManager = async (organizationId = maker, authorities: ['O' | 'ET' | 'R', string][] = []) =>
  (await app.asUser({ organizationId, functionCodes, authorities })).token

function find(nodes: readonly OrganizationNode[], id: number | string): OrganizationNode | undefined {
  for (const node of nodes) {
    const found = node.id === String(id) ? node : find(node.children, id)
    if (found) return found
  }
  return undefined
}
async function read(id: number | string, token: string) {
  return find((await app.call(listOrganizations, {}, token)).data, id)
}
let count = 0
const freshCode = () => `NEW${++count}`

describe('an administrator of organizations', () => {
  // proves: call POST /organization/insert; call POST /organization/update; call POST /organization/delete/{id}
  test('adds, changes and deletes them within the own tree, and the operation log records it', async () => {
    const token = await asManager()
    const code = freshCode()
    const added = await app.call(
      insertOrganizationCall,
      { parentId: String(branch), name: ' 南方分部 ', code, orderNum: 3 },
      token,
    )
    expect(added).toMatchObject({ code: 200 })
    const { id } = added.data
    const shown = { name: '南方分部', code, parentId: String(branch), orderNum: 3, version: 1 }
    expect(await read(id, token)).toMatchObject(shown)

    const changed = { id, name: '华南分部', code, parentId: String(maker), version: 1 }
    expect(await app.call(updateOrganization, changed, token)).toMatchObject({ code: 200, data: null })
    expect(await read(id, token)).toMatchObject({
      name: '华南分部',
      // The tree is cut above the own organization.
      parentId: String(maker),
      orderNum: 3,
      version: 2,
    })
    expect(await app.call(deleteOrganization, { id }, token)).toMatchObject({ code: 200 })
    expect(await read(id, token)).toBeUndefined()

    const logged = await app.db
      .selectFrom('operation_log')
      .select(['call', 'target', 'changes'])
      .where('target', 'like', `%${code}%`)
      .orderBy('id')
      .execute()
    expect(logged).toMatchObject([
      { call: '/organization/insert', target: `组织 南方分部（${code}）`, changes: { after: { code } } },
      {
        call: '/organization/update',
        changes: { before: { name: '南方分部' }, after: { name: '华南分部' } },
      },
      { call: '/organization/delete/:id', changes: { before: { name: '华南分部' } } },
    ])
  })

  test('gets an error for each missing field, and for a code in use', async () => {
    const token = await asManager()
    expect(await app.call(insertOrganizationCall, { parentId: String(maker) }, token)).toMatchObject({
      status: 400,
      message: '请输入组织名称',
      data: [
        { field: 'name', message: '请输入组织名称' },
        { field: 'code', message: '请输入组织编码' },
      ],
    })
    const code = freshCode()
    const form = { parentId: String(maker), name: '甲', code }
    await app.call(insertOrganizationCall, form, token)
    expect(await app.call(insertOrganizationCall, form, token)).toMatchObject({
      status: 409,
      message: '组织编码已存在',
    })
  })

  test('cannot access organizations outside the own tree', async () => {
    const token = await asManager()
    const missing = { status: 404, message: '组织不存在' }
    for (const id of [String(other), '1', '99999']) {
      expect(await app.call(updateOrganization, { id, name: '丙', code: 'C' }, token)).toMatchObject(missing)
      expect(await app.call(deleteOrganization, { id }, token)).toMatchObject(missing)
      const below = { parentId: id, name: '丙', code: freshCode() }
      const refused = { status: 400, data: [{ field: 'parentId', message: '上级组织不存在' }] }
      expect(await app.call(insertOrganizationCall, below, token)).toMatchObject(refused)
      expect(
        await app.call(updateOrganization, { id: String(branch), ...below, code: 'B' }, token),
      ).toMatchObject(refused)
    }
  })

  test('cannot create one at the top level, move or delete the own one, unless SYSTEM', async () => {
    const token = await asManager()
    const top = { name: '顶级', code: freshCode() }
    const refused = { status: 403, message: '只有系统用户可以设立顶级组织' }
    expect(await app.call(insertOrganizationCall, top, token)).toMatchObject(refused)
    expect(await app.call(insertOrganizationCall, { ...top, parentId: '0' }, token)).toMatchObject(refused)
    const lifted = { id: String(branch), parentId: '0', name: '分部', code: freshCode() }
    expect(await app.call(updateOrganization, lifted, token)).toMatchObject(refused)

    const own = { id: String(maker), name: '本厂', code: freshCode() }
    const stays = { status: 403, message: '不能移动或删除自己所属的组织' }
    expect(await app.call(updateOrganization, { ...own, parentId: '1' }, token)).toMatchObject({ code: 200 })
    expect(await app.call(updateOrganization, { ...own, parentId: '0' }, token)).toMatchObject({ code: 200 })
    expect(await app.call(updateOrganization, { ...own, parentId: String(branch) }, token)).toMatchObject(
      stays,
    )
    expect(await app.call(deleteOrganization, { id: own.id }, token)).toMatchObject(stays)
    // The name may be changed; the place is left as it was.
    const admin = await app.asAdmin()
    expect(await read(maker, admin)).toMatchObject({ name: '本厂', parentId: '1' })

    const made = await app.call(insertOrganizationCall, top, admin)
    expect(await read(made.data.id, admin)).toMatchObject({ parentId: '0' })
  })

  test('cannot put an organization below itself, not even by two concurrent moves', async () => {
    const admin = await app.asAdmin()
    const [a, b] = [await insertOrganization(app.db), await insertOrganization(app.db)]
    const under = (id: number, parentId: number) =>
      app.call(
        updateOrganization,
        { id: `${id}`, parentId: `${parentId}`, name: '环', code: `RING${id}` },
        admin,
      )
    const circle = { status: 400, data: [{ field: 'parentId', message: '上级组织不能是自己或自己的下级' }] }
    expect(await under(a, a)).toMatchObject(circle)
    const answers = await Promise.all([under(a, b), under(b, a)])
    expect(answers.map(({ code }) => code).sort()).toEqual([200, 400])
  })

  test('nests them at most twenty deep, by adding and by moving', async () => {
    const token = await app.asAdmin()
    const add = (parentId: string) =>
      app.call(insertOrganizationCall, { name: '某级', code: freshCode(), parentId }, token)
    const chain = [(await add('1')).data.id]
    while (chain.length < 19) chain.push((await add(chain.at(-1) as string)).data.id)
    const message = '组织最多 20 级'
    expect(await add(chain.at(-1) as string)).toMatchObject({ status: 400, message })
    const [top, under] = [(await add('1')).data.id, chain.at(-2) as string]
    const move = { name: '某级', code: freshCode(), parentId: under }
    expect((await app.call(updateOrganization, { ...move, id: top }, token)).code).toBe(200)
    const tall = (await add('1')).data.id
    await add(tall)
    expect(await app.call(updateOrganization, { ...move, id: tall, code: freshCode() }, token)).toMatchObject(
      {
        status: 400,
        message,
      },
    )
  })

  test('gets a conflict after another user’s change', async () => {
    const admin = await app.asAdmin()
    const id = String(await insertOrganization(app.db))
    const save = (name: string, version?: number) =>
      app.call(updateOrganization, { id, name, code: `TWO${id}`, version }, admin)
    expect(await save('甲改', 1)).toMatchObject({ code: 200 })
    expect(await save('乙改', 1)).toMatchObject({ status: 409, refusal: 'conflict' })
    expect(await read(id, admin)).toMatchObject({ name: '甲改', version: 2 })
    expect(await save('丙改')).toMatchObject({ code: 200 })
  })

  test('deletes only unreferenced ones, and is told the references', async () => {
    const admin = await app.asAdmin()
    const withChild = await insertOrganization(app.db)
    await insertOrganization(app.db, { parentId: withChild })
    const withOperator = await insertOrganization(app.db)
    await insertOperator(app.db, { organizationId: withOperator })
    const withUser = await insertOrganization(app.db)
    await insertUser(app.db, { organizationId: withUser })
    const remove = async (id: number) =>
      (await app.call(deleteOrganization, { id: String(id) }, admin)).message
    expect(await remove(withChild)).toBe('组织下存在下级组织，不能删除')
    expect(await remove(withOperator)).toBe('组织下存在运营商，不能删除')
    expect(await remove(withUser)).toBe('组织下存在用户，不能删除')
    const withRows = await insertOrganization(app.db)
    await sql`
      INSERT INTO notify_rule (organization_id, name, events, alarm_levels, filter, group_wait_s, decided_by, decided_by_name)
      VALUES (${withRows}, 'a', '{raised}', '{1}', '{}', 0, 1, 'a')`.execute(app.db)
    await sql`
      INSERT INTO handover (organization_id, from_at, to_at, counted_at, drafted_by, drafted_by_name, open_devices, open_levels,
        open_handlings, open_counts, upgrade_ids, batch_ids, is_notes_cut)
      VALUES (${withRows}, now() - interval '1 hour', now(), now(), 1, 'a', '{}', '{}', '{}', '{}', '{}', '{}', false)`.execute(
      app.db,
    )
    expect(await remove(withRows)).toBe('组织下仍有通知规则、交接单，不能删除')
    await sql`DELETE FROM handover WHERE organization_id = ${withRows}`.execute(app.db)
    await sql`DELETE FROM notify_rule WHERE organization_id = ${withRows}`.execute(app.db)
    expect(await remove(withRows)).toBe('删除成功!')
  })

  test('is told of every kind of row that would keep one from being deleted', async () => {
    const { rows } = await sql<{ name: string }>`
      SELECT conrelid::regclass::text AS name FROM pg_constraint
      WHERE contype = 'f' AND confrelid = 'organization'::regclass AND confdeltype = 'a'`.execute(app.db)
    expect(rows.map(({ name }) => name).toSorted()).toEqual(
      [...ownedTables, 'app_user', 'operator', 'organization'].toSorted(),
    )
  })
})

describe('an organization that moves', () => {
  test('makes its devices visible to its new parent at once', async () => {
    const [from, to] = [await insertOrganization(app.db), await insertOrganization(app.db)]
    const moved = await insertOrganization(app.db, { parentId: from })
    const operatorId = await insertOperator(app.db, { organizationId: moved })
    await insertDevice(app.db, { operatorId })
    const [before, after] = [await asManager(from), await asManager(to)]
    const seen = async (token: string) => (await app.call(listDevices, {}, token)).total
    expect([await seen(before), await seen(after)]).toEqual([1, 0])
    const form = { id: String(moved), parentId: String(to), name: '迁移', code: freshCode() }
    expect(await app.call(updateOrganization, form, await app.asAdmin())).toMatchObject({ code: 200 })
    expect([await seen(before), await seen(after)]).toEqual([0, 1])
  })

  test('can be moved only by a user who sees all of its devices, since others will see them', async () => {
    const root = await insertOrganization(app.db)
    const [from, to] = [
      await insertOrganization(app.db, { parentId: root }),
      await insertOrganization(app.db, { parentId: root }),
    ]
    const seen = await insertOperator(app.db, { organizationId: root })
    await insertOperator(app.db, { organizationId: from })
    const form = { id: String(from), parentId: String(to), name: '迁移', code: freshCode() }
    const refused = { status: 403, message: '不能授予自己没有的权限' }
    for (const authority of [
      ['O', String(seen)],
      ['R', '440000'],
      ['ET', '1'],
    ] as ['O' | 'R' | 'ET', string][]) {
      expect(await app.call(updateOrganization, form, await asManager(root, [authority]))).toMatchObject(
        refused,
      )
    }
    expect(await app.call(updateOrganization, form, await asManager(root))).toMatchObject({ code: 200 })
  })
})
