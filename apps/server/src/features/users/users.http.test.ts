import {
  deleteUser,
  deleteUserByUpdate,
  grantSystem,
  insertUser,
  listUsers,
  login,
  readCurrentUser,
  readJurisdiction,
  readPermissions,
  resetUserPassword,
  revokeSystem,
  updateUser,
  updateUserOfBody,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { appOfTests, type TestApp } from '../../../test/app.ts'
import {
  insertOrganization,
  insertRole,
  insertUser as plantUser,
  testPassword,
} from '../../../test/factories.ts'

const allCodes = [
  'user:list',
  'user:insert',
  'user:update',
  'user:delete',
  'user:password',
  'permission:select',
]

const app = await appOfTests()
const admin = await app.asAdmin()
/** A company with a branch, another company, and a role that holds what the chief holds. */
const company = await insertOrganization(app.db)
const branch = await insertOrganization(app.db, { parentId: company })
const elsewhere = await insertOrganization(app.db)
const chiefRole = await insertRole(app.db, { functionCodes: allCodes })
const plainRole = await insertRole(app.db, { functionCodes: ['user:list'] })
const richRole = await insertRole(app.db, { functionCodes: ['alarm:recover'] })

const asChief = (options: Parameters<TestApp['asUser']>[0] = {}) =>
  app.asUser({ organizationId: company, roleIds: [chiefRole], ...options })
const plain = (options: Parameters<typeof plantUser>[1] = {}) =>
  plantUser(app.db, { organizationId: branch, roleIds: [plainRole], ...options })

const loginNameRule = '登录名只能由汉字、字母、数字和 . _ @ - 组成'
let names = 0
const form = (changes: Record<string, unknown> = {}) => ({
  userName: '张三',
  loginName: `new${++names}`,
  password: 'Volt-1234',
  phone: '13800000000',
  roleIds: [String(plainRole)],
  type: '2',
  organizationId: String(branch),
  ...changes,
})
const change = ({ loginName: _, password: __, ...rest }: ReturnType<typeof form>, id: number) => ({
  ...rest,
  id: String(id),
})
const rowOf = async (id: number) => {
  const { data } = await app.call(listUsers, { pageSize: 500 }, admin)
  return data.find((row) => row.id === String(id))
}
const logOf = async (call: string) => {
  const { rows } = await sql<{ target: string; changes: Record<string, unknown> | null; code: number }>`
    SELECT target, changes, result_code AS code FROM operation_log WHERE call = ${call}
    ORDER BY at DESC, id DESC LIMIT 1`.execute(app.db)
  return rows[0]
}

describe('the list of users', () => {
  // proves: call POST /user/list
  test('lists those of the own organization and below, each with roles, organization and kind', async () => {
    const chief = await asChief()
    const inBranch = await plain({ phone: '13911112222' })
    const outside = await plain({ organizationId: elsewhere })
    await sql`UPDATE app_user SET user_type = '2' WHERE id = ${inBranch.id}`.execute(app.db)
    const { data, total } = await app.call(listUsers, { pageSize: 500 }, chief.token)
    const ids = data.map(({ id }) => Number(id))
    expect(ids).toContain(chief.id)
    expect(ids).not.toContain(outside.id)
    expect(ids).not.toContain(1)
    expect(total).toBe(data.length)
    expect(data.find(({ id }) => id === String(inBranch.id))).toMatchObject({
      loginName: inBranch.loginName,
      phone: '13911112222',
      roleIds: [String(plainRole)],
      organizationId: String(branch),
      type: '2',
      typeName: '厂商用户',
      isEnabled: true,
      hasPermissions: false,
      isManageable: true,
      isSelf: false,
      version: 1,
    })
    expect(JSON.stringify(data)).not.toContain('argon2')
    expect((await app.call(listUsers, { organizationId: String(elsewhere) }, chief.token)).data).toEqual([])
    const [first] = data
    const byId = await app.call(listUsers, { ids: [first?.id, '1'] }, chief.token)
    expect(byId.data).toEqual([first])
  })

  // proves: call POST /user/list; call GET /user/list
  test('is filtered by name, phone, roles and organization, by GET as well as by POST', async () => {
    const top = await insertOrganization(app.db)
    const under = await insertOrganization(app.db, { parentId: top })
    const role = await insertRole(app.db)
    const one = await plain({ organizationId: top, loginName: 'Find_Me', phone: '13712340000' })
    const two = await plain({ organizationId: under, loginName: 'FindXMe', roleIds: [role] })
    const find = async (input: Record<string, unknown>) => {
      const answers = [
        await app.call(listUsers, input, admin),
        await app.request(`/api/user/list?${new URLSearchParams(input as Record<string, string>)}`, {
          headers: { authorization: admin },
        }),
      ]
      const [posted, got] = answers.map(({ data }) => (data as { id: string }[]).map(({ id }) => Number(id)))
      expect(got).toEqual(posted)
      return posted
    }
    expect(await find({ name: 'find_me' })).toEqual([one.id])
    expect(await find({ phone: '1234000' })).toEqual([one.id])
    expect(await find({ roleIds: `${role}` })).toEqual([two.id])
    expect(await find({ organizationId: String(top) })).toEqual([two.id, one.id])
    expect(await find({ organizationId: String(top), pageNum: '2', pageSize: '1' })).toEqual([one.id])
    expect(await find({ organizationId: String(under) })).toEqual([two.id])
  })

  test('is sorted newest first, or by login name in both directions', async () => {
    const organizationId = await insertOrganization(app.db)
    for (const loginName of ['order-b', 'order-c', 'order-a']) await plain({ organizationId, loginName })
    const names = async (input: object) =>
      (await app.call(listUsers, { organizationId: String(organizationId), ...input }, admin)).data.map(
        ({ loginName }) => loginName.slice(-1),
      )
    expect(await names({})).toEqual(['a', 'c', 'b'])
    expect(await names({ sortBy: 'loginName' })).toEqual(['c', 'b', 'a'])
    expect(await names({ sortBy: 'loginName', sortOrder: 'asc' })).toEqual(['a', 'b', 'c'])
    expect(await names({ sortBy: 'loginName', sortOrder: 'asc', pageNum: 2, pageSize: 2 })).toEqual(['c'])
    expect(await app.call(listUsers, { sortBy: 'phone' }, admin)).toMatchObject({ status: 400 })
  })

  test('marks the first user, and users who hold more, as not manageable', async () => {
    const rich = await plain({ roleIds: [richRole] })
    const chief = await asChief()
    const { data } = await app.call(listUsers, { pageSize: 500 }, chief.token)
    expect(data.find(({ id }) => id === String(rich.id))?.isManageable).toBe(false)
    expect((await rowOf(1))?.isManageable).toBe(false)
    expect((await rowOf(rich.id))?.isManageable).toBe(true)
  })
})

describe('adding a user', () => {
  // proves: call POST /user/insert
  test('creates one who can sign in, and is recorded in the operation log without the password', async () => {
    const input = form({ loginName: `  trimmed${++names} ` })
    const { code, data } = await app.call(insertUser, input, admin)
    expect(code).toBe(200)
    const row = await rowOf(Number(data.id))
    expect(row).toMatchObject({
      loginName: input.loginName.trim(),
      userName: '张三',
      isEnabled: true,
      type: '2',
    })
    const token = await app.signIn(input.loginName.trim(), 'Volt-1234')
    expect((await app.call(readCurrentUser, {}, token)).data.mustChangePassword).toBe(false)
    const entry = await logOf('/user/insert')
    expect(entry).toMatchObject({ target: `用户 ${input.loginName.trim()}`, code: 200 })
    expect(JSON.stringify(entry)).not.toContain('Volt-1234')
  })

  test('accepts Chinese names and e-mail addresses, and converts full-width letters', async () => {
    for (const [given, stored] of [
      ['王小明', '王小明'],
      ['ops.night-2@volt', 'ops.night-2@volt'],
      ['ＷＩＤＥ１', 'WIDE1'],
    ]) {
      const { data } = await app.call(insertUser, form({ loginName: given }), admin)
      expect((await rowOf(Number(data.id)))?.loginName).toBe(stored)
      expect(await app.signIn(given ?? '', 'Volt-1234')).toBeTruthy()
    }
  })

  test('refuses a name that differs from another one by case alone, with which that user can sign in', async () => {
    const { loginName } = form()
    const input = form({ loginName: `Case.${loginName}` })
    expect((await app.call(insertUser, input, admin)).code).toBe(200)
    for (const taken of [input.loginName.toLowerCase(), input.loginName.toUpperCase()]) {
      expect(await app.call(insertUser, form({ loginName: taken }), admin)).toMatchObject({
        code: 409,
        message: '登录名已存在',
      })
      const token = await app.signIn(taken, 'Volt-1234')
      expect((await app.call(readCurrentUser, {}, token)).data.loginName).toBe(input.loginName)
    }
    expect((await app.call(insertUser, form({ loginName: 'ADMIN' }), admin)).code).toBe(409)
  })

  // proves: rule user.phone; constant phone; message 请输入正确的手机号; rule role 1; rule user.roleIds; rule user.type
  test.each([
    ['userName', { userName: '' }, '请输入姓名'],
    ['loginName', { loginName: '   ' }, '请输入登录名'],
    ['loginName', { loginName: 'adm in' }, loginNameRule],
    ['loginName', { loginName: 'admin\u200b' }, loginNameRule],
    ['loginName', { loginName: '\u0430dmin' }, loginNameRule],
    ['loginName', { loginName: 'mallory\r\n12:00 INFO' }, loginNameRule],
    ['loginName', { loginName: '...' }, loginNameRule],
    ['password', { password: undefined }, '请输入密码'],
    ['password', { password: 'Ab1' }, '长度在6到20个字之间'],
    [
      'password',
      { password: 'abcdefgh' },
      '密码必须由大写字母、小写字母、数字、特殊符号中的2种及以上类型组成!',
    ],
    ['phone', { phone: undefined }, '请输入正确的手机号'],
    ['phone', { phone: '1380000000' }, '请输入正确的手机号'],
    ['phone', { phone: '138000000000' }, '请输入正确的手机号'],
    ['phone', { phone: '1380000000x' }, '请输入正确的手机号'],
    ['roleIds', { roleIds: [] }, '请选择角色'],
    ['roleIds', { roleIds: undefined }, '请选择角色'],
    ['roleIds', { roleIds: ['1'] }, '系统管理员角色不能分配'],
    ['roleIds', { roleIds: ['99999'] }, '角色不存在'],
    ['type', { type: undefined }, '请选择用户类型'],
    ['type', { type: 'nonsense' }, '用户类型不存在'],
    ['organizationId', { organizationId: '99999999' }, '组织不存在'],
  ])('refuses %s of %o: %s', async (field, wrong, message) => {
    const answer = await app.call(insertUser, form(wrong), admin)
    expect(answer).toMatchObject({ status: 400, code: 400, message })
    expect(answer.data).toContainEqual({ field, message })
  })

  test('refuses a login name in use, also in two concurrent calls', async () => {
    const input = form()
    const answers = await Promise.all([1, 2].map(() => app.call(insertUser, input, admin)))
    expect(answers.map(({ code }) => code).sort()).toEqual([200, 409])
    expect(answers.find(({ code }) => code === 409)).toMatchObject({
      message: '登录名已存在',
      data: [{ field: 'loginName', message: '登录名已存在' }],
    })
  })

  test('uses the own organization where none is given', async () => {
    const chief = await asChief()
    const { data } = await app.call(insertUser, form({ organizationId: undefined }), chief.token)
    expect((await rowOf(Number(data.id)))?.organizationId).toBe(String(company))
  })

  test('gives them the data permissions of the caller, if the caller is limited', async () => {
    const chief = await asChief({
      authorities: [
        ['O', '77'],
        ['R', '86'],
      ],
    })
    const { data } = await app.call(insertUser, form(), chief.token)
    expect((await app.call(readPermissions, { userId: data.id }, admin)).data.authorityEntities).toEqual([
      { authorityType: 'O', type: 'O', value: ['77'] },
      { authorityType: 'R', type: 'R', value: ['86'] },
    ])
  })

  test('may require a new password at the first sign-in', async () => {
    const input = form({ mustChangePassword: true })
    await app.call(insertUser, input, admin)
    const token = await app.signIn(input.loginName, input.password)
    expect((await app.call(readCurrentUser, {}, token)).data.mustChangePassword).toBe(true)
  })

  test('grants neither a role that holds more, nor SYSTEM, nor an organization outside the own tree', async () => {
    const { token } = await asChief()
    const refused = async (changes: Record<string, unknown>) => {
      const input = form(changes)
      const answer = await app.call(insertUser, input, token)
      const { rows } = await sql`SELECT FROM app_user WHERE login_name = ${input.loginName}`.execute(app.db)
      expect(rows).toEqual([])
      return [answer.code, answer.message]
    }
    expect(await refused({ roleIds: [String(richRole)] })).toEqual([403, '不能授予自己没有的权限'])
    expect(await refused({ roleIds: [String(plainRole), String(richRole)] })).toEqual([
      403,
      '不能授予自己没有的权限',
    ])
    expect((await refused({ roleIds: ['1'] }))[0]).toBeGreaterThanOrEqual(400)
    expect(await refused({ organizationId: String(elsewhere) })).toEqual([400, '组织不存在'])
    expect(await refused({ organizationId: '1' })).toEqual([400, '组织不存在'])
  })
})

describe('changing a user', () => {
  // proves: call POST /user/update; call POST /user/update/{id}; rule loginName on edit
  test('changes the values of the form, with the id in the path or in the body, and never the login name', async () => {
    const user = await plain()
    const first = await app.call(
      updateUser,
      {
        ...change(form({ userName: '李四', phone: '13700000000' }), user.id),
        loginName: 'other',
        version: 1,
      },
      admin,
    )
    expect(first).toMatchObject({ code: 200, data: null })
    expect(await rowOf(user.id)).toMatchObject({
      userName: '李四',
      phone: '13700000000',
      loginName: user.loginName,
      version: 2,
    })
    expect(await logOf('/user/update/:id')).toMatchObject({
      target: `用户 ${user.loginName}`,
      changes: { before: { userName: user.loginName, type: null }, after: { userName: '李四', type: '2' } },
    })
    await app.call(updateUserOfBody, change(form({ userName: '王五' }), user.id), admin)
    expect((await rowOf(user.id))?.userName).toBe('王五')
    expect(await app.signIn(user.loginName, testPassword)).toBeTruthy()
  })

  test('gives the later of two administrators a conflict, and keeps the earlier change', async () => {
    const user = await plain()
    const save = (userName: string) =>
      app.call(updateUser, { ...change(form({ userName }), user.id), version: 1 }, admin)
    const answers = await Promise.all([save('先'), save('后')])
    expect(answers.map(({ code }) => code).sort()).toEqual([200, 409])
    expect(answers.find(({ code }) => code === 409)?.refusal).toBe('conflict')
  })

  test.each([
    ['userName', '请输入姓名'],
    ['phone', '请输入正确的手机号'],
    ['roleIds', '请选择角色'],
    ['type', '请选择用户类型'],
  ])('needs %s: %s', async (field, message) => {
    const user = await plain()
    const answer = await app.call(updateUser, { ...change(form(), user.id), [field]: '' }, admin)
    expect(answer).toMatchObject({ status: 400, data: [{ field, message }] })
  })

  // proves: rule user 1
  test('with id 1 is refused to everybody, and so is every other action', async () => {
    const other = await app.asUser({ roleIds: [1] })
    for (const token of [admin, other.token]) {
      const answers = [
        await app.call(updateUser, change(form({ organizationId: '1' }), 1), token),
        await app.call(updateUserOfBody, change(form({ organizationId: '1' }), 1), token),
        await app.call(updateUser, { id: '1', isEnabled: false }, token),
        await app.call(deleteUser, { id: '1' }, token),
        await app.call(deleteUserByUpdate, { id: '1' }, token),
        await app.call(resetUserPassword, { id: '1' }, token),
      ]
      for (const { code, message } of answers) {
        expect([code, message]).toEqual([403, '系统管理员账号不能修改、停用或删除'])
      }
    }
    expect((await rowOf(1))?.roleIds).toEqual(['1'])
  })

  test('outside the own tree is answered as if they did not exist', async () => {
    const { token } = await asChief()
    const outside = await plain({ organizationId: elsewhere })
    for (const id of [outside.id, 999_999]) {
      const answers = [
        await app.call(updateUser, change(form(), id), token),
        await app.call(deleteUser, { id: String(id) }, token),
        await app.call(resetUserPassword, { id: String(id) }, token),
        await app.call(readPermissions, { userId: String(id) }, token),
      ]
      expect(answers.map(({ code, message, data }) => [code, message, data])).toEqual(
        Array(4).fill([404, '用户不存在', null]),
      )
    }
  })

  test('who holds more than the caller is refused, whatever they hold', async () => {
    const narrowed = await asChief({ authorities: [['ET', '1']] })
    const chief = await asChief()
    const richer: [string, { token: string }, number][] = [
      ['a function', chief, (await plain({ roleIds: [richRole] })).id],
      ['SYSTEM', chief, (await plain({ roleIds: [1] })).id],
      ['a scope that nothing narrows', narrowed, (await plain()).id],
      ['another type of device', narrowed, (await plain({ authorities: [['ET', '2']] })).id],
      [
        'one type more',
        narrowed,
        (
          await plain({
            authorities: [
              ['ET', '1'],
              ['ET', '2'],
            ],
          })
        ).id,
      ],
    ]
    for (const [what, { token }, id] of richer) {
      const answers = [
        await app.call(updateUser, change(form(), id), token),
        await app.call(updateUser, { id: String(id), isEnabled: false }, token),
        await app.call(deleteUser, { id: String(id) }, token),
        await app.call(resetUserPassword, { id: String(id) }, token),
      ]
      expect([what, ...answers.map(({ code }) => code)]).toEqual([what, 403, 403, 403, 403])
      expect(answers[0]?.message).toBe('不能管理权限高于自己的用户')
    }
  })

  test('grants no role that holds more, and keeps existing ones', async () => {
    const chief = await asChief()
    const user = await plain()
    const answer = await app.call(
      updateUser,
      change(form({ roleIds: [String(plainRole), String(richRole)] }), user.id),
      chief.token,
    )
    expect(answer).toMatchObject({ code: 403, message: '不能授予自己没有的权限' })
    expect((await rowOf(user.id))?.roleIds).toEqual([String(plainRole)])
  })

  test('cannot widen anybody, including oneself', async () => {
    const chief = await asChief()
    const own = (changes: Record<string, unknown>) =>
      app.call(
        updateUser,
        change(form({ organizationId: String(company), roleIds: [String(chiefRole)], ...changes }), chief.id),
        chief.token,
      )
    expect((await own({ roleIds: [String(chiefRole), String(richRole)] })).code).toBe(403)
    expect((await own({ roleIds: [String(chiefRole), '1'] })).code).toBe(403)
    expect((await own({ organizationId: '1' })).code).toBe(400)
    expect((await own({ organizationId: String(elsewhere) })).code).toBe(400)
    expect((await own({ userName: '自己' })).code).toBe(200)
  })

  test('has no race: of two users who change each other, both succeed or get an error', async () => {
    const one = await asChief()
    const two = await asChief()
    const rounds = await Promise.all(
      Array.from({ length: 10 }, (_, round) =>
        round % 2 === 0
          ? app.call(
              updateUser,
              change(form({ organizationId: String(company), roleIds: [String(chiefRole)] }), two.id),
              one.token,
            )
          : app.call(
              updateUser,
              change(form({ organizationId: String(company), roleIds: [String(chiefRole)] }), one.id),
              two.token,
            ),
      ),
    )
    expect(rounds.map(({ code }) => code)).toEqual(Array(10).fill(200))
  })

  test('waits for a change of the role without blocking it', async () => {
    const user = await plain()
    const client = await app.database.pool.connect()
    try {
      await client.query('BEGIN')
      // Like a change of the role: first the lock of all grants, then the role.
      await client.query("SELECT pg_advisory_xact_lock(hashtextextended('who may grant what', 0))")
      const waiting = [
        app.call(updateUser, change(form(), user.id), admin),
        app.call(insertUser, form(), admin),
      ]
      await new Promise((resolve) => setTimeout(resolve, 300))
      await client.query('SELECT FROM role WHERE id = $1 FOR UPDATE NOWAIT', [plainRole])
      await client.query('COMMIT')
      expect((await Promise.all(waiting)).map(({ code }) => code)).toEqual([200, 200])
    } finally {
      client.release()
    }
  })

  test('uses what the caller holds at the end of the wait, not at its beginning', async () => {
    const chief = await asChief()
    const rich = await plain({ roleIds: [plainRole] })
    const client = await app.database.pool.connect()
    try {
      await client.query('BEGIN')
      await client.query('SELECT FROM app_user WHERE id = $1 FOR UPDATE', [chief.id])
      const waiting = app.call(updateUser, change(form(), rich.id), chief.token)
      await new Promise((resolve) => setTimeout(resolve, 300))
      await client.query("INSERT INTO user_authority VALUES ($1, 'ET', '1')", [chief.id])
      await client.query('COMMIT')
      expect((await waiting).code).toBe(403)
    } finally {
      client.release()
    }
  })
})

describe('disabling', () => {
  test('signs the user out everywhere and prevents sign-ins until they are enabled', async () => {
    const user = await app.asUser({ organizationId: branch, roleIds: [plainRole] })
    const { token } = await asChief()
    expect((await app.call(updateUser, { id: String(user.id), isEnabled: false }, token)).code).toBe(200)
    expect((await rowOf(user.id))?.isEnabled).toBe(false)
    expect(await app.call(readCurrentUser, {}, user.token)).toMatchObject({ status: 401, code: 50012 })
    const again = { loginname: user.loginName, password: user.password }
    expect((await app.from('10.7.0.1').call(login, again)).code).toBe(400)
    expect((await app.call(updateUser, { id: String(user.id), isEnabled: 1 }, token)).code).toBe(200)
    // Ended sessions stay ended.
    expect((await app.call(readCurrentUser, {}, user.token)).code).toBe(50012)
    expect((await app.from('10.7.0.1').call(login, again)).code).toBe(200)
    expect((await rowOf(user.id))?.userName).toBe(user.loginName)
  })

  test('oneself is refused, and so is deleting oneself', async () => {
    const { id, token } = await asChief()
    for (const answer of [
      await app.call(updateUser, { id: String(id), isEnabled: false }, token),
      await app.call(deleteUser, { id: String(id) }, token),
      await app.call(deleteUserByUpdate, { id: String(id) }, token),
    ]) {
      expect(answer).toMatchObject({ code: 403, message: '不能停用或删除自己的账号' })
    }
  })

  test('the last SYSTEM user who can sign in is refused', async () => {
    const last = await app.asUser({ roleIds: [1] })
    const asker = await app.asUser({ roleIds: [1] })
    await sql`UPDATE app_user SET is_enabled = false WHERE id = 1`.execute(app.db)
    try {
      await sql`DELETE FROM user_role WHERE role_id = 1 AND user_id NOT IN (1, ${last.id}, ${asker.id})`.execute(
        app.db,
      )
      const demote = (id: number) =>
        app.call(updateUser, change(form({ organizationId: '1' }), id), asker.token)
      expect((await demote(last.id)).code).toBe(200)
      expect(await demote(asker.id)).toMatchObject({ code: 409, message: '至少保留一个可用的系统用户' })
    } finally {
      await sql`UPDATE app_user SET is_enabled = true WHERE id = 1`.execute(app.db)
    }
  })
})

describe('system users', () => {
  const grant = (id: number, token = admin) => app.call(grantSystem, { id: String(id) }, token)
  const revoke = (id: number, token = admin) => app.call(revokeSystem, { id: String(id) }, token)
  const isSystem = async (token: string) => (await app.call(readJurisdiction, {}, token)).data.isSystem

  test('appoint further ones, with all functions from the next call on, and revoke it', async () => {
    const user = await asChief()
    expect(await isSystem(user.token)).toBe(false)
    expect(await grant(user.id)).toMatchObject({ code: 200 })
    expect(await isSystem(user.token)).toBe(true)
    expect((await rowOf(user.id))?.roleIds).toEqual(['1', String(chiefRole)])
    const granted = await logOf('/user/system/grant/:id')
    expect(granted).toMatchObject({ code: 200, target: `用户 ${user.loginName}` })
    expect(granted?.changes?.after).toEqual({ roles: expect.arrayContaining(['系统管理员']) })
    expect(await grant(user.id)).toMatchObject({ code: 409, message: '该用户已是系统管理员' })

    expect(await revoke(user.id)).toMatchObject({ code: 200 })
    expect(await isSystem(user.token)).toBe(false)
    expect((await rowOf(user.id))?.roleIds).toEqual([String(chiefRole)])
    expect(await logOf('/user/system/revoke/:id')).toMatchObject({ code: 200 })
    expect(await revoke(user.id)).toMatchObject({ code: 409, message: '该用户不是系统管理员' })
  })

  test('are appointed by system users only, who cannot revoke it for themselves or for user 1', async () => {
    const chief = await asChief()
    const other = await plain()
    expect((await grant(other.id, chief.token)).status).toBe(403)
    expect((await grant(chief.id, chief.token)).status).toBe(403)

    const second = await app.asUser({ roleIds: [1] })
    expect(await revoke(second.id, second.token)).toMatchObject({
      code: 403,
      message: '不能取消自己的系统管理员身份',
    })
    expect(await revoke(1, second.token)).toMatchObject({
      code: 403,
      message: '系统管理员账号不能修改、停用或删除',
    })
    expect((await revoke(second.id)).code).toBe(200)
  })

  test('cannot be disabled users, and the form still refuses role 1', async () => {
    const disabled = await plain({ isEnabled: false })
    expect(await grant(disabled.id)).toMatchObject({ code: 409, message: '该用户已停用，请先启用' })
    const user = await plain()
    expect(await app.call(updateUser, change(form({ roleIds: ['1'] }), user.id), admin)).toMatchObject({
      code: 400,
      message: '系统管理员角色不能分配',
    })
  })

  test('keep the role: a form that was opened before is a conflict', async () => {
    const user = await plain()
    const version = (await rowOf(user.id))?.version
    expect((await grant(user.id)).code).toBe(200)
    const late = { ...change(form(), user.id), version }
    expect(await app.call(updateUser, late, admin)).toMatchObject({ code: 409, refusal: 'conflict' })
    expect((await rowOf(user.id))?.roleIds).toContain('1')
  })
})

describe('deleting', () => {
  // proves: call POST /user/delete/{id}; call DELETE /user/update/{id}
  test('ends the user’s sessions and removes the user from the list, by both paths', async () => {
    const { token } = await asChief()
    for (const endpoint of [deleteUser, deleteUserByUpdate]) {
      const user = await app.asUser({ organizationId: branch, roleIds: [plainRole] })
      expect((await app.call(endpoint, { id: String(user.id) }, token)).code).toBe(200)
      expect(await app.call(readCurrentUser, {}, user.token)).toMatchObject({ status: 401, code: 50012 })
      expect(await rowOf(user.id)).toBeUndefined()
      expect((await app.call(endpoint, { id: String(user.id) }, token)).code).toBe(404)
    }
  })
})

describe('a reset password', () => {
  test('is returned once, valid once, must be changed, and ends existing sessions', async () => {
    const user = await app.asUser({ organizationId: branch, roleIds: [plainRole] })
    const { token } = await asChief()
    const { data } = await app.call(resetUserPassword, { id: String(user.id) }, token)
    expect(data).toMatchObject({ id: String(user.id), loginName: user.loginName })
    expect(data.password).toMatch(/^\w{16}$/)
    expect((await app.call(readCurrentUser, {}, user.token)).code).toBe(50012)
    const old = { loginname: user.loginName, password: user.password }
    expect((await app.from('10.7.0.2').call(login, old)).code).toBe(400)
    const fresh = await app.signIn(user.loginName, data.password)
    expect((await app.call(readCurrentUser, {}, fresh)).data.mustChangePassword).toBe(true)
    expect(await app.call(listUsers, {}, fresh)).toMatchObject({ code: 403, message: '首次登录请先修改密码' })
    expect(JSON.stringify(await logOf('/user/password/:id'))).not.toContain(data.password)
  })

  test('is refused for oneself, which requires the old password', async () => {
    const { id, token } = await asChief()
    expect(await app.call(resetUserPassword, { id: String(id) }, token)).toMatchObject({
      code: 403,
      message: '请通过“修改密码”修改自己的密码',
    })
  })
})
