import {
  insertUser as addUser,
  deletePermissions,
  explainPermissions,
  listDevices,
  listUsers,
  previewPermissions,
  readPermissions,
  updatePermissions,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import {
  insertDevice,
  insertModel,
  insertOperator,
  insertOrganization,
  insertRegion,
  insertRole,
  insertUser,
} from '../../../test/factories.ts'

type Kind = 'O' | 'ET' | 'R'

const codes = [
  'user:insert',
  'permission:select',
  'permission:update',
  'permission:delete',
  'user:list',
  'equip:list',
]

const app = await appOfTests()
const admin = await app.asAdmin()
const { db } = app
const company = await insertOrganization(db, { name: '甲公司' })
const elsewhere = await insertOrganization(db, { name: '乙公司' })
const role = await insertRole(db, { functionCodes: codes })
/** Two operators of the company and a third one of another organization. */
const operators: [number, number, number] = [
  await insertOperator(db, { organizationId: company, name: '甲一' }),
  await insertOperator(db, { organizationId: company, name: '甲二' }),
  await insertOperator(db, { organizationId: elsewhere, name: '乙一' }),
]
const models: [number, number] = [await insertModel(db), await insertModel(db)]
const typeOf = async (model: number) =>
  (
    await db
      .selectFrom('equip_model')
      .select('equip_type_id')
      .where('id', '=', model)
      .executeTakeFirstOrThrow()
  ).equip_type_id
const types: [number, number] = [await typeOf(models[0]), await typeOf(models[1])]
// A province with two cities, and an unrelated country.
const province = await insertRegion(db, { code: 'P', name: '某省' })
const east = await insertRegion(db, { code: 'PE', name: '东市', parentId: province })
const west = await insertRegion(db, { code: 'PW', name: '西市', parentId: province })
const abroad = await insertRegion(db, { code: 'X', name: '外国' })
const plant = (code: string, operatorId: number, modelId: number, regionId: number) =>
  insertDevice(db, { code, operatorId, modelId, regionId })
await plant('D1', operators[0], models[0], east)
await plant('D2', operators[0], models[1], west)
await plant('D3', operators[1], models[0], abroad)
await plant('D4', operators[2], models[0], east)

const entries = (chosen: Partial<Record<Kind, (number | string)[]>>) =>
  Object.entries(chosen).map(([type, value]) => ({ authorityType: type, type, value: value.map(String) }))
const asManager = (authorities: [Kind, string][] = []) =>
  app.asUser({ organizationId: company, roleIds: [role], authorities })
const target = async (authorities: [Kind, string][] = [], organizationId = company) =>
  String((await insertUser(app.db, { organizationId, functionCodes: ['equip:list'], authorities })).id)
const saved = async (userId: string) =>
  (await app.call(readPermissions, { userId }, admin)).data.authorityEntities.map(
    ({ type, value }) => `${type}=${value.join(',')}`,
  )
const save = (userId: string, chosen: Parameters<typeof entries>[0], token = admin, more = {}) =>
  app.call(updatePermissions, { userId, authorityEntities: entries(chosen), ...more }, token)

describe('data permissions', () => {
  // proves: call GET /permission/select/{userId}; call POST /permission/update
  // proves: call POST /permission/delete/{userId}; rule data permissions
  test('replace the former ones, are read back by kind, and take effect at the next call', async () => {
    const user = await app.asUser({ organizationId: company, roleIds: [role] })
    const userId = String(user.id)
    const seen = async () => (await app.call(listDevices, {}, user.token)).data.map(({ code }) => code).sort()
    expect(await seen()).toEqual(['D1', 'D2', 'D3'])
    expect(await save(userId, { O: [operators[0], operators[1]], ET: [types[0]], R: ['P'] })).toMatchObject({
      code: 200,
      data: null,
    })
    expect(await saved(userId)).toEqual([`O=${operators[0]},${operators[1]}`, `ET=${types[0]}`, 'R=P'])
    expect(await seen()).toEqual(['D1'])
    await save(userId, { R: ['PW', 'X'] })
    expect(await saved(userId)).toEqual(['R=X,PW'])
    expect(await seen()).toEqual(['D2', 'D3'])
    const { data } = await app.call(listUsers, { name: user.loginName }, admin)
    expect(data[0]?.hasPermissions).toBe(true)
    expect((await app.call(deletePermissions, { userId }, admin)).code).toBe(200)
    expect(await saved(userId)).toEqual([])
    expect(await seen()).toEqual(['D1', 'D2', 'D3'])
  })

  test('are recorded in the operation log before and after', async () => {
    const userId = await target([['R', 'P']])
    await save(userId, { ET: [types[0]] })
    const { rows } = await sql<{ changes: unknown }>`
      SELECT changes FROM operation_log WHERE call = '/permission/update' ORDER BY at DESC, id DESC LIMIT 1`.execute(
      app.db,
    )
    expect(rows[0]?.changes).toEqual({
      before: { O: [], ET: [], R: ['P'] },
      after: { O: [], ET: [String(types[0])], R: [] },
    })
  })

  test('accept numbers, joined lists, one of the two kinds, and separate entries of one kind', async () => {
    const userId = await target()
    const authorityEntities = [
      { authorityType: 'O', value: [operators[0]] },
      { type: 'O', value: `${operators[0]},${operators[1]}` },
      { authorityType: 'ET', type: 'ET', value: types[0] },
      { authorityType: 'R', type: 'R', value: [] },
    ]
    expect((await app.call(updatePermissions, { userId, authorityEntities }, admin)).code).toBe(200)
    expect(await saved(userId)).toEqual([`O=${operators[0]},${operators[1]}`, `ET=${types[0]}`])
  })

  // proves: rule permission.choice; message 设备类型、运营商、地区至少选1个; rule permission.region; constant region limit
  test.each([
    [undefined, '设备类型、运营商、地区至少选1个'],
    [[], '设备类型、运营商、地区至少选1个'],
    [[{ authorityType: 'O', type: 'O', value: [] }], '设备类型、运营商、地区至少选1个'],
    [[{ authorityType: 'R', type: 'R', value: ['P', 'X', '86', '01'] }], '地区最多选择3个'],
    [
      [
        { authorityType: 'R', type: 'R', value: ['P', 'X'] },
        { authorityType: 'R', type: 'R', value: ['86', '01'] },
      ],
      '地区最多选择3个',
    ],
    [[{ authorityType: 'R', type: 'R', value: ['nowhere'] }], '地区不存在'],
    [[{ authorityType: 'O', type: 'O', value: ['99999'] }], '运营商不存在'],
    [[{ authorityType: 'O', type: 'O', value: ['x'] }], '运营商不存在'],
    [[{ authorityType: 'ET', type: 'ET', value: ['99999'] }], '设备类型不存在'],
    [[{ authorityType: 'Z', type: 'Z', value: ['1'] }], '权限类型只能是 O、ET、R'],
    [[{ authorityType: 'O', type: 'R', value: ['1'] }], '权限类型不一致'],
    [[{ value: ['1'] }], '权限类型不能为空'],
  ])('of %j are refused: %s', async (authorityEntities, message) => {
    const userId = await target([['R', 'P']])
    const answer = await app.call(updatePermissions, { userId, authorityEntities }, admin)
    expect(answer).toMatchObject({ status: 400, message })
    expect((answer.data as unknown as { field: string }[])[0]?.field).toMatch(/^authorityEntities/)
    expect(await saved(userId)).toEqual(['R=P'])
  })

  test.each<[Kind, string]>([
    ['O', 'DELETE FROM operator WHERE id::text = $1'],
    ['ET', 'DELETE FROM equip_type WHERE id::text = $1'],
    ['R', 'DELETE FROM region WHERE code = $1'],
  ])('of type %s never name what is being deleted meanwhile', async (kind, deletion) => {
    const { db } = app
    const insertType = () =>
      db
        .insertInto('equip_type')
        .values({ name: '将删', code: 'GOING', classify: 'EC' })
        .returning('id')
        .executeTakeFirstOrThrow()
    const value =
      kind === 'O'
        ? await insertOperator(db)
        : kind === 'ET'
          ? (await insertType()).id
          : await insertRegion(db, { code: 'GOING' }).then(() => 'GOING')
    const userId = await target()
    const client = await app.database.pool.connect()
    try {
      await client.query('BEGIN')
      await client.query(deletion, [String(value)])
      const waiting = save(userId, { [kind]: [value] })
      await new Promise((resolve) => setTimeout(resolve, 300))
      await client.query('COMMIT')
      expect((await waiting).code).toBe(400)
      expect(await saved(userId)).toEqual([])
    } finally {
      client.release()
    }
  })

  test('may name more than ten thousand operators, and can be granted by a user with as many', async () => {
    const { rows } = await sql<{ id: number }>`
      INSERT INTO operator (organization_id, name, code)
      SELECT ${company}, '分店' || n, 'BRANCH' || n FROM generate_series(1, 12000) n RETURNING id`.execute(
      app.db,
    )
    const ids = rows.map(({ id }) => id)
    const manager = await asManager(ids.map((id) => ['O', String(id)]))
    const userId = await target([['O', String(ids[0])]])
    expect(await save(userId, { O: ids }, manager.token)).toMatchObject({ code: 200 })
    expect((await app.call(readPermissions, { userId }, manager.token)).data.authorityEntities).toEqual(
      entries({ O: ids }),
    )
    expect((await app.call(listUsers, { pageSize: 500 }, manager.token)).code).toBe(200)
    await sql`DELETE FROM operator WHERE code LIKE 'BRANCH%'`.execute(app.db)
  })

  test('of two administrators at the same time: the second one gets a conflict', async () => {
    const userId = await target()
    const { version } = (await app.call(readPermissions, { userId }, admin)).data
    const answers = await Promise.all([
      save(userId, { R: ['P'] }, admin, { version }),
      save(userId, { R: ['X'] }, admin, { version }),
    ])
    expect(answers.map(({ code }) => code).sort()).toEqual([200, 409])
  })

  test('of user 1, of oneself and of users outside the own tree cannot be changed', async () => {
    const manager = await asManager([['R', 'P']])
    const own = String(manager.id)
    expect(await save('1', { R: ['P'] })).toMatchObject({ code: 403 })
    expect((await app.call(deletePermissions, { userId: '1' }, admin)).code).toBe(403)
    expect(await save(own, { R: ['PE'] }, manager.token)).toMatchObject({
      code: 403,
      message: '不能修改自己的数据权限',
    })
    expect((await app.call(deletePermissions, { userId: own }, manager.token)).code).toBe(403)
    expect(await saved(own)).toEqual(['R=P'])
    const outside = await target([], elsewhere)
    expect((await save(outside, { R: ['P'] }, manager.token)).code).toBe(404)
    for (const endpoint of [readPermissions, deletePermissions]) {
      expect((await app.call(endpoint, { userId: outside }, manager.token)).code).toBe(404)
    }
  })
})

let names = 0
const newUser = (chosen: Parameters<typeof entries>[0] | undefined) => ({
  userName: '新同事',
  loginName: `colleague${++names}`,
  password: 'Volt-1234',
  phone: '13800000000',
  roleIds: [String(role)],
  type: '2',
  organizationId: String(company),
  ...(chosen && { authorityEntities: entries(chosen) }),
})

describe('a new user', () => {
  test('sees only the chosen devices from the first sign-in on', async () => {
    const input = newUser({ R: ['P'], ET: [types[0]] })
    const { code, data } = await app.call(addUser, input, admin)
    expect(code).toBe(200)
    expect(await saved(data.id)).toEqual([`ET=${types[0]}`, 'R=P'])
    const token = await app.signIn(input.loginName, input.password)
    expect((await app.call(listDevices, {}, token)).data.map((row) => row.code)).toEqual(['D1'])
    expect((await app.call(readPermissions, { userId: data.id }, admin)).data.version).toBe(1)
    const { rows } = await sql<{ target: string; changes: unknown }>`
      SELECT target, changes FROM operation_log WHERE call = '/user/insert' ORDER BY at DESC, id DESC LIMIT 1`.execute(
      app.db,
    )
    expect(rows[0]).toMatchObject({
      target: `用户 ${input.loginName}`,
      changes: { after: { loginName: input.loginName, O: [], ET: [String(types[0])], R: ['P'] } },
    })
  })

  test.each<[string, [Kind, string][], Record<string, string[]>, number, string]>([
    ['a region above the own', [['R', 'PE']], { R: ['P'] }, 403, '不能授予自己没有的权限'],
    ['no region, which is everywhere', [['R', 'PE']], { ET: ['0'] }, 403, '不能授予自己没有的权限'],
    ['an operator of another organization', [], { O: ['2'] }, 403, '不能授予自己没有的权限'],
    ['a fourth region', [], { R: ['P', 'PE', 'PW', 'X'] }, 400, '地区最多选择3个'],
    ['a region that does not exist', [], { R: ['nowhere'] }, 400, '地区不存在'],
    ['nothing chosen', [], { R: [] }, 400, '设备类型、运营商、地区至少选1个'],
  ])('of %s is not added at all', async (_, own, wanted, code, message) => {
    const manager = await asManager(own)
    const real = (kind: string, value: string) =>
      kind === 'O' ? operators[Number(value)] : kind === 'ET' ? types[Number(value)] : value
    const chosen = Object.fromEntries(
      Object.entries(wanted).map(([kind, values]) => [kind, values.map((value) => real(kind, value))]),
    ) as Parameters<typeof entries>[0]
    const input = newUser(chosen)
    expect(await app.call(addUser, input, manager.token)).toMatchObject({ status: code, message })
    const { rows } = await sql`SELECT FROM app_user WHERE login_name = ${input.loginName}`.execute(app.db)
    expect(rows).toEqual([])
  })

  test('gets data permissions from users who may assign them, and otherwise those of the user who adds them', async () => {
    const clerkRole = await insertRole(app.db, { functionCodes: ['user:insert', 'equip:list'] })
    const clerk = await app.asUser({
      organizationId: company,
      roleIds: [clerkRole],
      authorities: [['R', 'P']],
    })
    const chosen = { ...newUser({ R: ['PE'] }), roleIds: [String(clerkRole)] }
    expect(await app.call(addUser, chosen, clerk.token)).toMatchObject({
      status: 403,
      message: '没有操作权限',
    })
    const { rows } = await sql`SELECT FROM app_user WHERE login_name = ${chosen.loginName}`.execute(app.db)
    expect(rows).toEqual([])
    const plain = { ...newUser(undefined), roleIds: [String(clerkRole)] }
    const { data } = await app.call(addUser, plain, clerk.token)
    expect(await saved(data.id)).toEqual(['R=P'])
  })
})

describe('no user grants more than their own permissions:', () => {
  test.each<[string, [Kind, string][], Record<string, string[]>, number]>([
    ['a region below the own one', [['R', 'P']], { R: ['PE'] }, 200],
    ['the own region', [['R', 'P']], { R: ['P'] }, 200],
    ['two parts of it', [['R', 'P']], { R: ['PE', 'PW'] }, 200],
    ['a region above the own one', [['R', 'PE']], { R: ['P'] }, 403],
    ['a region beside the own one', [['R', 'PE']], { R: ['PE', 'PW'] }, 403],
    ['everywhere', [['R', 'P']], { R: ['all'] }, 403],
    ['no region, which is everywhere', [['R', 'P']], { ET: ['0'] }, 403],
    ['the own type', [['ET', '0']], { ET: ['0'] }, 200],
    ['another type', [['ET', '0']], { ET: ['0', '1'] }, 403],
    ['no type, which is all', [['ET', '0']], { R: ['P'] }, 403],
    ['the own operator', [['O', '0']], { O: ['0'] }, 200],
    ['another operator of the own organization', [['O', '0']], { O: ['0', '1'] }, 403],
    ['no operator, which is all', [['O', '0']], { R: ['P'] }, 403],
    ['an operator of the own organization, without own limits', [], { O: ['1'] }, 200],
    ['an operator of another organization', [], { O: ['2'] }, 403],
    ['an operator that does not exist', [], { O: ['9'] }, 403],
  ])('%s', async (_, own, wanted, code) => {
    const real = (kind: string, value: string) =>
      kind === 'O'
        ? String(operators[Number(value)] ?? 987_654)
        : kind === 'ET'
          ? String(types[Number(value)])
          : value
    const manager = await asManager(own.map(([kind, value]) => [kind, real(kind, value)]))
    const user = await app.asUser({
      organizationId: company,
      functionCodes: ['equip:list'],
      authorities: own.map(([kind, value]) => [kind, real(kind, value)] as const),
    })
    const userId = String(user.id)
    const before = await saved(userId)
    const chosen = Object.fromEntries(
      Object.entries(wanted).map(([kind, values]) => [kind, values.map((value) => real(kind, value))]),
    )
    const answer = await save(userId, chosen, manager.token)
    expect(answer.code).toBe(code)
    if (code === 403) {
      expect(answer.message).toBe('不能授予自己没有的权限')
      expect(await saved(userId)).toEqual(before)
    }
    const seen = async (token: string) =>
      (await app.call(listDevices, { pageSize: 500 }, token)).data.map((row) => row.code)
    const bySelf = await seen(manager.token)
    for (const device of await seen(user.token)) expect(bySelf).toContain(device)
  })

  test('a reset by a limited user leaves the other one as limited as the user', async () => {
    const manager = await asManager([
      ['R', 'P'],
      ['ET', String(types[0])],
    ])
    const userId = await target([
      ['R', 'PE'],
      ['ET', String(types[0])],
      ['O', String(operators[0])],
    ])
    expect((await app.call(deletePermissions, { userId }, manager.token)).code).toBe(200)
    expect(await saved(userId)).toEqual([`ET=${types[0]}`, 'R=P'])
  })

  test('a user with a wider view cannot be limited either', async () => {
    const manager = await asManager([['R', 'PE']])
    const userId = await target([['R', 'P']])
    expect(await save(userId, { R: ['PE'] }, manager.token)).toMatchObject({
      code: 403,
      message: '不能管理权限高于自己的用户',
    })
    expect((await app.call(deletePermissions, { userId }, manager.token)).code).toBe(403)
  })

  test('entries that a wider user granted stay when the rest is changed, and are counted and not named', async () => {
    const manager = await asManager()
    const userId = await target([
      ['O', String(operators[0])],
      ['O', String(operators[2])],
    ])
    const read = async (token: string) => (await app.call(readPermissions, { userId }, token)).data
    expect(await read(manager.token)).toMatchObject({
      authorityEntities: entries({ O: [operators[0]] }),
      beyondCount: 1,
    })
    expect(await read(admin)).toMatchObject({
      authorityEntities: entries({ O: [operators[0], operators[2]] }),
      beyondCount: 0,
    })
    expect((await save(userId, { O: [operators[1]], R: ['P'] }, manager.token)).code).toBe(200)
    expect(await saved(userId)).toEqual([`O=${operators[1]},${operators[2]}`, 'R=P'])
    expect((await save(userId, { R: ['P'] }, manager.token)).code).toBe(200)
    expect(await saved(userId)).toEqual([`O=${operators[2]}`, 'R=P'])
    const { rows } = await sql<{ changes: unknown }>`
      SELECT changes FROM operation_log WHERE call = '/permission/update' ORDER BY at DESC, id DESC LIMIT 1`.execute(
      app.db,
    )
    expect(rows[0]?.changes).toEqual({
      before: { O: [String(operators[1])], ET: [], R: ['P'], beyondCount: 1 },
      after: { O: [], ET: [], R: ['P'], beyondCount: 1 },
    })
  })

  test('nobody learns by trying which entries of a user are hidden', async () => {
    const manager = await asManager()
    const userId = await target([['O', String(operators[2])]])
    const tries = [operators[2], await insertOperator(db, { organizationId: elsewhere }), 987_654]
    const answers = await Promise.all(tries.map((id) => save(userId, { O: [id] }, manager.token)))
    expect(answers.map(({ status, message }) => [status, message])).toEqual(
      tries.map(() => [403, '不能授予自己没有的权限']),
    )
    expect(await saved(userId)).toEqual([`O=${operators[2]}`])
  })

  test.each<[string, [Kind, string][], [Kind, string][], string[], number]>([
    [
      'operators',
      [['O', '0']],
      [
        ['O', '0'],
        ['O', '1'],
        ['O', '2'],
      ],
      ['O=0'],
      2,
    ],
    [
      'types',
      [['ET', '0']],
      [
        ['ET', '0'],
        ['ET', '1'],
      ],
      ['ET=0'],
      1,
    ],
    [
      'regions',
      [['R', 'PE']],
      [
        ['R', 'PE'],
        ['R', 'PW'],
        ['R', 'X'],
      ],
      ['R=PE'],
      2,
    ],
    ['a region above the own', [['R', 'PE']], [['R', 'P']], [], 1],
  ])('of a wider user’s %s a reader sees the own', async (_, own, others, seen, beyondCount) => {
    const real = ([kind, value]: [Kind, string]): [Kind, string] => [
      kind,
      kind === 'O' ? String(operators[Number(value)]) : kind === 'ET' ? String(types[Number(value)]) : value,
    ]
    const reader = await asManager(own.map(real))
    const userId = await target(others.map(real))
    const { data } = await app.call(readPermissions, { userId }, reader.token)
    expect(data.authorityEntities).toEqual(
      seen
        .map((one) => real(one.split('=') as [Kind, string]))
        .flatMap(([kind, value]) => entries({ [kind]: [value] })),
    )
    expect(data.beyondCount).toBe(beyondCount)
  })

  test('not even while the user is being limited at the same time', async () => {
    const manager = await asManager()
    const userId = await target([['R', 'PE']])
    const client = await app.database.pool.connect()
    try {
      await client.query('BEGIN')
      await client.query('SELECT FROM app_user WHERE id = $1 FOR UPDATE', [manager.id])
      await client.query("INSERT INTO user_authority VALUES ($1, 'R', 'PE')", [manager.id])
      const waiting = save(userId, { R: ['P'] }, manager.token)
      await new Promise((resolve) => setTimeout(resolve, 300))
      await client.query('COMMIT')
      expect((await waiting).code).toBe(403)
    } finally {
      client.release()
    }
  })
})

describe('the preview', () => {
  const preview = async (userId: string, chosen: Parameters<typeof entries>[0] | undefined, token = admin) =>
    (
      await app.call(
        previewPermissions,
        { userId, ...(chosen ? { authorityEntities: entries(chosen) } : {}) },
        token,
      )
    ).data

  test('counts by saved and by unsaved entries', async () => {
    const userId = await target([['R', 'PE']])
    expect(await preview(userId, undefined)).toEqual({ count: 1, total: 4 })
    expect(await preview(userId, { R: ['P'] })).toEqual({ count: 2, total: 4 })
    expect(await preview(userId, { R: ['P'], ET: [types[1]] })).toEqual({ count: 1, total: 4 })
    expect(await preview(userId, { O: [] })).toEqual({ count: 3, total: 4 })
    expect(await preview('1', { R: ['P'] })).toEqual({ count: 4, total: 4 })
    expect(await saved(userId)).toEqual(['R=PE'])
  })

  test('does not count devices out of the caller’s scope', async () => {
    const manager = await asManager([['R', 'PE']])
    const userId = await target()
    expect(await preview(userId, { R: ['P', 'X'] }, manager.token)).toEqual({ count: 1, total: 1 })
    const outside = await target([], elsewhere)
    expect((await app.call(previewPermissions, { userId: outside }, manager.token)).code).toBe(404)
  })

  test('of more entries than anybody has is refused before they are read', async () => {
    const values = Array.from({ length: 50_000 }, (_, at) => String(at))
    const form = { organizationId: String(company), authorityEntities: entries({ O: values }) }
    expect(await app.call(previewPermissions, form, admin)).toMatchObject({ status: 413 })
  })

  test('counts for a new user, with entries and without', async () => {
    const of = async (more: Record<string, unknown>, token = admin) =>
      await app.call(previewPermissions, { organizationId: String(company), ...more }, token)
    expect((await of({})).data).toEqual({ count: 3, total: 4 })
    expect((await of({ authorityEntities: entries({ R: ['PE'] }) })).data).toEqual({ count: 1, total: 4 })
    const manager = await asManager([['R', 'P']])
    expect((await of({}, manager.token)).data).toEqual({ count: 2, total: 2 })
    expect((await of({ organizationId: String(elsewhere) }, manager.token)).code).toBe(404)
    const { data } = await app.call(
      explainPermissions,
      { organizationId: String(company), authorityEntities: entries({ R: ['PE'] }), code: 'D2' },
      admin,
    )
    expect(data.isVisible).toBe(false)
    expect(await of({ userId: '1' })).toMatchObject({ status: 400, message: '用户和组织须且只能指定一个' })
  })

  const why = async (userId: string, chosen: Parameters<typeof entries>[0], code: string, token = admin) =>
    await app.call(explainPermissions, { userId, authorityEntities: entries(chosen), code }, token)

  test('says why the user sees a device, or each reason why not', async () => {
    const userId = await target()
    const all = { O: [operators[0]], ET: [types[0]], R: ['P'] }
    expect((await why(userId, all, 'D1')).data).toEqual({
      code: 'D1',
      isVisible: true,
      checks: [
        { by: 'organization', isPassed: true, reason: '设备所属组织“甲公司”在用户组织“甲公司”之内' },
        { by: 'operator', isPassed: true, reason: '运营商“甲一”在允许的范围内' },
        { by: 'equipType', isPassed: true, reason: expect.stringMatching(/^设备类型“.+”在允许的范围内$/) },
        { by: 'region', isPassed: true, reason: '地区“某省 / 东市”在允许的范围内' },
      ],
    })
    const failing = async (code: string) => {
      const { data } = await why(userId, all, code)
      expect(data.isVisible).toBe(false)
      return data.checks.filter(({ isPassed }) => !isPassed).map(({ reason }) => reason)
    }
    expect(await failing('D2')).toEqual([expect.stringMatching(/^设备类型“.+”不在允许的范围内$/)])
    expect(await failing('D3')).toEqual(['运营商“甲二”不在允许的范围内', '地区“外国”不在允许的范围内'])
    expect(await failing('D4')).toEqual([
      '设备所属组织“乙公司”不在用户组织“甲公司”及其下级之内',
      '运营商“乙一”不在允许的范围内',
    ])
    expect((await why(userId, { R: ['P'] }, 'D1')).data.checks.map(({ reason }) => reason)).toContain(
      '未限制运营商',
    )
    expect((await why('1', {}, 'D4')).data).toEqual({
      code: 'D4',
      isVisible: true,
      checks: [{ by: 'system', isPassed: true, reason: '系统用户，可以看到全部设备' }],
    })
  })

  test('treats a device out of the own scope as one that does not exist', async () => {
    const manager = await asManager([['R', 'PE']])
    const userId = await target([['R', 'PE']])
    const [hidden, none] = await Promise.all(
      ['D2', 'NOSUCH'].map((code) => why(userId, { R: ['PE'] }, code, manager.token)),
    )
    expect(hidden).toMatchObject({ status: 404, message: '设备不存在', data: null })
    expect([hidden?.status, hidden?.text]).toEqual([none?.status, none?.text])
    expect((await why(userId, { R: ['PE'] }, 'D1', manager.token)).data.isVisible).toBe(true)
  })
})
