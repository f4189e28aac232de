import {
  changePassword,
  listPhoneUsers,
  listRoles,
  login,
  logout,
  readCurrentUser,
  readJurisdiction,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { adminPassword, appOfTests, createTestApp, type TestApp } from '../../../test/app.ts'
import { eventually } from '../../../test/eventually.ts'
import {
  insertOrganization,
  insertRole,
  insertUser,
  type TestUser,
  testPassword,
} from '../../../test/factories.ts'
import type { Attempts } from './attempts.service.ts'
import { createBrowsers } from './browsers.service.ts'
import { createSessions, type SessionNeeds } from './sessions.service.ts'

const app = await appOfTests()

let hosts = 0
/** A client with a new address, so that failures per address are not shared between tests. */
const elsewhere = () => app.from(`10.1.${Math.floor(++hosts / 250)}.${(hosts % 250) + 1}`)

const sessionOf = (token: string) => sql`token_hash = sha256(convert_to(${token}, 'UTF8'))`

/** This number of sessions of the user is known in the database to have been used. */
const usesAreWritten = (at: TestApp, userId: number, count: number) =>
  eventually(async () => {
    const { rows } = await sql`
      SELECT FROM user_session WHERE user_id = ${userId} AND seen_at > created_at AND ended_at IS NULL`.execute(
      at.db,
    )
    expect(rows).toHaveLength(count)
  })

describe('signing in', () => {
  test('with a cookie that is signed goes first only where it is known to be good', async () => {
    const [user, other] = [await insertUser(app.db), await insertUser(app.db)]
    const browsers = createBrowsers(async () => Buffer.alloc(32))
    const looks: boolean[] = []
    const sessions = createSessions({
      db: app.db,
      browsers,
      attempts: {
        limited: (work, options) => {
          looks.push(options?.goesFirst === true)
          return work()
        },
        // No password is checked here.
        asAttempt: async () => false,
      },
    } as Pick<SessionNeeds, 'db' | 'browsers'> & {
      attempts: Pick<Attempts, 'limited' | 'asAttempt'>
    } as SessionNeeds)
    const client = { address: '192.0.2.1', userAgent: null, requestId: '', call: '', summary: '' }
    const comes = async (loginname: string, cookie: string) => {
      await expect(sessions.login({ loginname, password: 'x' }, client, cookie)).rejects.toThrow()
      return looks.splice(0)
    }
    const { password_hash: passwordHash } = await app.db
      .selectFrom('app_user')
      .select('password_hash')
      .where('id', '=', user.id)
      .executeTakeFirstOrThrow()
    const good = await browsers.issue({ userId: user.id, passwordHash })
    for (let n = 0; n < 2; n += 1) expect(await comes(user.loginName, good)).toEqual([true])
    // Under way at once: one of them.
    const all = await Promise.all(Array.from({ length: 5 }, () => comes(user.loginName, good)))
    expect(all.flat().filter(Boolean)).toHaveLength(1)
    const [ofFormer, ofNobody] = [
      await browsers.issue({ userId: user.id, passwordHash: 'former' }),
      await browsers.issue({ userId: 2_000_000_000, passwordHash }),
    ]
    for (const cookie of [ofFormer, ofNobody]) {
      expect(await comes(user.loginName, cookie)).toEqual([true])
      expect(await comes(user.loginName, cookie)).toEqual([false])
    }
    // With the name of another user, until it comes with its own again.
    expect(await comes(other.loginName, good)).toEqual([true])
    expect(await comes(other.loginName, good)).toEqual([false])
    expect(await comes(user.loginName, good)).toEqual([false])
    expect(await comes(user.loginName, good)).toEqual([true])
  })

  // proves: call POST /user/login
  test('returns a token that works with and without the word Bearer', async () => {
    const { status, data } = await elsewhere().call(login, { loginname: 'admin', password: adminPassword })
    expect(status).toBe(200)
    expect(data.token).toMatch(/^[\w-]{43}$/)
    for (const authorization of [data.token, `Bearer ${data.token}`, `bearer  ${data.token}`]) {
      const info = await app.request('/api/user/info', { headers: { authorization } })
      expect(info.code).toBe(200)
    }
  })

  test('accepts a form body and a login name with spaces around it', async () => {
    const answer = await elsewhere().request('/api/user/login', {
      method: 'POST',
      body: new URLSearchParams({ loginname: ' admin ', password: adminPassword }),
    })
    expect(answer.code).toBe(200)
  })

  // proves: rule login failure
  test('answers a wrong name, a wrong password and a disabled user alike, with 400', async () => {
    const known = await insertUser(app.db)
    const disabled = await insertUser(app.db, { isEnabled: false })
    const client = elsewhere()
    const answers = [
      await client.call(login, { loginname: 'nobody', password: testPassword }),
      await client.call(login, { loginname: known.loginName, password: 'Wrong-1234' }),
      await client.call(login, { loginname: disabled.loginName, password: testPassword }),
    ]
    for (const { status, code, message, data } of answers) {
      expect({ status, code, message, data }).toEqual({
        status: 400,
        code: 400,
        message: '登录名或密码错误',
        data: null,
      })
    }
  })

  test('reports each missing field in Chinese', async () => {
    const answer = await elsewhere().call(login, { loginname: '', password: '' })
    expect(answer).toMatchObject({
      status: 400,
      message: '请输入登录名',
      data: [
        { field: 'loginname', message: '请输入登录名' },
        { field: 'password', message: '请输入密码' },
      ],
    })
  })

  test('stores neither the token nor the password in plain text', async () => {
    const user = await insertUser(app.db)
    const token = await elsewhere().signIn(user.loginName, user.password)
    const { rows } = await sql<{ text: string }>`
      SELECT s::text AS text FROM user_session s UNION ALL SELECT u::text FROM app_user u
      UNION ALL SELECT o::text FROM operation_log o`.execute(app.db)
    for (const { text } of rows) {
      expect(text).not.toContain(token)
      expect(text).not.toContain(testPassword)
    }
    expect(app.logged.join()).not.toContain(token)
  })

  test('and signing out are recorded in the operation log, and so is a refused attempt, without its password', async () => {
    const user = await insertUser(app.db)
    const client = elsewhere()
    await client.call(login, { loginname: user.loginName, password: 'Wrong-1234' })
    const token = await client.signIn(user.loginName, user.password)
    await client.call(logout, {}, token)
    const { rows } = await sql<{ call: string; code: number; who: string | null }>`
      SELECT call, result_code AS code, login_name AS who FROM operation_log
      WHERE target LIKE ${`%${user.loginName}`} ORDER BY at, id`.execute(app.db)
    expect(rows).toEqual([
      { call: '/user/login', code: 400, who: user.loginName },
      { call: '/user/login', code: 200, who: user.loginName },
      { call: '/user/logout', code: 200, who: user.loginName },
    ])
  })

  test('with an invalid form writes nothing to the operation log, since nothing limits how often anybody sends it', async () => {
    const loginname = 'x'.repeat(65)
    expect((await elsewhere().call(login, { loginname, password: 'Wrong-1234' })).code).toBe(400)
    const { rows } = await sql`SELECT FROM operation_log WHERE target LIKE ${`%${loginname}%`}`.execute(
      app.db,
    )
    expect(rows).toEqual([])
  })
})

test('twenty concurrent sign-ins with the right password from one address all succeed', async () => {
  const user = await insertUser(app.db)
  const client = elsewhere()
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      client.call(login, { loginname: user.loginName, password: user.password }),
    ),
  )
  expect(answers.map(({ code }) => code)).toEqual(Array(20).fill(200))
})

test('the number of a user’s sessions is limited, and the least recently used one ends for a new one', async () => {
  const few = await createTestApp({ SESSIONS_PER_USER: '3' })
  try {
    const signIn = (user: TestUser) => few.signIn(user.loginName, user.password)
    const use = async (token: string) => (await few.call(readCurrentUser, {}, token)).code
    const user = await insertUser(few.db)
    const tokens: string[] = []
    for (let at = 0; at < 4; at += 1) tokens.push(await signIn(user))
    expect(await Promise.all(tokens.map(use))).toEqual([50012, 200, 200, 200])

    const other = await insertUser(few.db)
    const [inUse, ...idle] = [await signIn(other), await signIn(other), await signIn(other)]
    expect(await use(inUse)).toBe(200)
    await usesAreWritten(few, other.id, 1)
    // It began an hour ago and was used a minute ago, before the others have signed in.
    await sql`UPDATE user_session SET created_at = now() - interval '1 hour', seen_at = now() - interval '1 minute'
      WHERE ${sessionOf(inUse)}`.execute(few.db)
    const all = [inUse, ...idle, await signIn(other)]
    expect(await Promise.all(all.map(use))).toEqual([200, 50012, 200, 200])
  } finally {
    await few.close()
  }
})

test('a session in use stays, however new it is and however many others sign in and are used once', async () => {
  const few = await createTestApp({ SESSIONS_PER_USER: '3' })
  try {
    const user = await insertUser(few.db)
    const inUse = await few.signIn(user.loginName, user.password)
    const use = async (token: string) => (await few.call(readCurrentUser, {}, token)).code
    for (let at = 0; at < 20; at += 1) {
      const idle = await few.signIn(user.loginName, user.password)
      expect([await use(idle), await use(inUse)]).toEqual([200, 200])
    }
  } finally {
    await few.close()
  }
})

test('of sign-ins at the same time no more sessions are left than a user may have', async () => {
  const few = await createTestApp({ SESSIONS_PER_USER: '3' })
  try {
    const user = await insertUser(few.db)
    const tokens = await Promise.all(
      Array.from({ length: 12 }, () => few.signIn(user.loginName, user.password)),
    )
    const answers = await Promise.all(tokens.map((token) => few.call(readCurrentUser, {}, token)))
    expect(answers.filter(({ code }) => code === 200)).toHaveLength(3)
  } finally {
    await few.close()
  }
})

test('the use of a session is seen by other processes too, within a moment of the first one', async () => {
  const { id, token } = await app.asUser()
  expect((await app.call(readCurrentUser, {}, token)).code).toBe(200)
  await usesAreWritten(app, id, 1)
})

describe('a token', () => {
  test('that is unknown answers 50008 as 401, and a missing one 401', async () => {
    expect(await app.call(readCurrentUser, {}, 'made-up')).toMatchObject({ status: 401, code: 50008 })
    expect(await app.call(readCurrentUser, {}, null)).toMatchObject({ status: 401, code: 401 })
  })

  // proves: call POST /user/logout
  test('that was signed out answers 50008, and the sign-out needs only the header', async () => {
    const { token } = await app.asUser()
    const answer = await app.request('/api/user/logout', {
      method: 'POST',
      headers: { authorization: token },
    })
    expect(answer).toMatchObject({ code: 200, data: null })
    expect(await app.call(readCurrentUser, {}, token)).toMatchObject({ status: 401, code: 50008 })
  })

  test('that has expired answers 50014', async () => {
    const { token } = await app.asUser()
    await sql`UPDATE user_session SET expires_at = now() - interval '1 second' WHERE ${sessionOf(token)}`.execute(
      app.db,
    )
    expect(await app.call(readCurrentUser, {}, token)).toMatchObject({ status: 401, code: 50014 })
  })

  test('is valid for eight hours after its last use', async () => {
    const { token } = await app.asUser()
    await sql`UPDATE user_session SET seen_at = now() - interval '7 hours', expires_at = now() + interval '1 hour'
      WHERE ${sessionOf(token)}`.execute(app.db)
    await app.call(readCurrentUser, {}, token)
    await eventually(async () => {
      const { rows } = await sql<{ minutes: number }>`
        SELECT round(extract(epoch FROM expires_at - now()) / 60)::int AS minutes
        FROM user_session WHERE ${sessionOf(token)}`.execute(app.db)
      expect(rows).toEqual([{ minutes: 480 }])
    })
  })

  test('of a disabled user answers 50012, and works again when the user is enabled', async () => {
    const { id, token } = await app.asUser()
    const setEnabled = (is_enabled: boolean) =>
      app.db.updateTable('app_user').set({ is_enabled }).where('id', '=', id).execute()
    await setEnabled(false)
    expect(await app.call(readCurrentUser, {}, token)).toMatchObject({ status: 401, code: 50012 })
    await setEnabled(true)
    expect((await app.call(readCurrentUser, {}, token)).code).toBe(200)
  })

  test('of a deleted user answers 50012', async () => {
    const { id, token } = await app.asUser()
    await app.db.deleteFrom('app_user').where('id', '=', id).execute()
    expect(await app.call(readCurrentUser, {}, token)).toMatchObject({ status: 401, code: 50012 })
  })
})

describe('changing the password', () => {
  // proves: call POST /user/update/password
  test('ends the other sessions with 50012, keeps this one, and takes effect at once', async () => {
    const user = await app.asUser()
    const other = await elsewhere().signIn(user.loginName, user.password)
    const changed = await app.call(
      changePassword,
      { oldPassword: testPassword, newPassword: 'Newer-5678' },
      user.token,
    )
    expect(changed).toMatchObject({ code: 200, data: null })
    expect(await app.call(readCurrentUser, {}, other)).toMatchObject({ status: 401, code: 50012 })
    expect((await app.call(readCurrentUser, {}, user.token)).code).toBe(200)
    const client = elsewhere()
    expect((await client.call(login, { loginname: user.loginName, password: testPassword })).code).toBe(400)
    expect((await client.call(login, { loginname: user.loginName, password: 'Newer-5678' })).code).toBe(200)
  })

  // proves: call POST /user/update/password
  test('accepts its fields from the query as well', async () => {
    const user = await app.asUser()
    const answer = await app.request(
      `/api/user/update/password?newPassword=Newer-5678&oldPassword=${testPassword}`,
      { method: 'POST', headers: { authorization: user.token } },
    )
    expect(answer.code).toBe(200)
  })

  test.each([
    ['oldPassword', '原密码错误', { oldPassword: 'Wrong-1234', newPassword: 'Newer-5678' }],
    ['oldPassword', '请输入原密码', { newPassword: 'Newer-5678' }],
    ['newPassword', '请输入新密码', { oldPassword: testPassword }],
    ['newPassword', '长度在6到20个字之间', { oldPassword: testPassword, newPassword: 'Ab1!x' }],
    [
      'newPassword',
      '密码必须由大写字母、小写字母、数字、特殊符号中的2种及以上类型组成!',
      { oldPassword: testPassword, newPassword: 'abcdefgh' },
    ],
    ['newPassword', '新密码不能与原密码相同', { oldPassword: testPassword, newPassword: testPassword }],
  ])('refuses %s: %s', async (field, message, input) => {
    const { token } = await app.asUser()
    const answer = await app.call(changePassword, input, token)
    expect(answer).toMatchObject({ status: 400, message, data: [{ field, message }] })
  })

  test('succeeds for one of two concurrent calls', async () => {
    const { token } = await app.asUser()
    const answers = await Promise.all(
      ['Newer-1111', 'Newer-2222'].map((newPassword) =>
        app.call(changePassword, { oldPassword: testPassword, newPassword }, token),
      ),
    )
    expect(answers.map(({ code }) => code).sort()).toEqual([200, 400])
  })

  test('cannot be used to guess the old one, and does not lock the user out', async () => {
    const user = await app.asUser()
    const guess = { oldPassword: 'Wrong-1234', newPassword: 'Newer-5678' }
    for (let attempt = 0; attempt < 5; attempt += 1) await app.call(changePassword, guess, user.token)
    expect((await app.call(changePassword, guess, user.token)).status).toBe(429)
    expect(await elsewhere().signIn(user.loginName, user.password)).toBeTruthy()
  })

  test('is required before any other call if the password must be changed', async () => {
    const { token } = await app.asUser({ mustChangePassword: true })
    expect((await app.call(readCurrentUser, {}, token)).data.mustChangePassword).toBe(true)
    expect(await app.call(listRoles, {}, token)).toMatchObject({
      status: 403,
      message: '首次登录请先修改密码',
    })
    await app.call(changePassword, { oldPassword: testPassword, newPassword: 'Newer-5678' }, token)
    expect((await app.call(readCurrentUser, {}, token)).data.mustChangePassword).toBe(false)
    expect((await app.call(listRoles, {}, token)).code).toBe(200)
  })
})

describe('the current user', () => {
  // proves: call GET /user/info
  test('has every menu in order and every function, for SYSTEM', async () => {
    const { data } = await app.call(readCurrentUser, {}, await app.asAdmin())
    expect(data).toMatchObject({
      id: '1',
      loginName: 'admin',
      userName: '系统管理员',
      organizationId: '1',
      resultVOS: [{ id: '1', code: 'SYSTEM' }],
      mustChangePassword: false,
    })
    expect(data.tree.map(({ name }) => name)).toEqual([
      '首页',
      '运维管理',
      '设备管理',
      '固件升级',
      '基础资料',
      '系统管理',
    ])
    const alarms = data.tree[1]?.children[0]
    expect(alarms).toMatchObject({ type: 'C', path: 'exitWarning', url: 'maintenance/exitWarning' })
    expect(alarms?.children.map(({ type, remark }) => `${type} ${remark}`)).toContain('F alarm:recover')
    expect(data.functionCodes).toContain('equip:delete')
  })

  // proves: rule menu routes; call GET /user/info
  test('sees the menus of the roles with their ancestors, and holds only their functions', async () => {
    const { token } = await app.asUser({ functionCodes: ['alarm:page', 'alarm:detail'] })
    const { data } = await app.call(readCurrentUser, {}, token)
    expect(data.functionCodes).toEqual(['alarm:detail', 'alarm:page'])
    expect(data.tree).toMatchObject([
      {
        path: '/maintenance',
        children: [
          {
            path: 'exitWarning',
            children: [{ remark: 'alarm:page' }, { remark: 'alarm:detail' }],
          },
        ],
      },
    ])
  })

  test('has neither without a role', async () => {
    const { token } = await app.asUser()
    const { data } = await app.call(readCurrentUser, {}, token)
    expect(data).toMatchObject({ tree: [], functionCodes: [], resultVOS: [] })
  })

  test('gains or loses what a role gains or loses at the next call', async () => {
    const role = await insertRole(app.db, { functionCodes: ['event:list'] })
    const { token } = await app.asUser({ roleIds: [role] })
    const codes = async () => (await app.call(readCurrentUser, {}, token)).data.functionCodes
    expect(await codes()).toEqual(['event:list'])
    await app.db.deleteFrom('role_menu').where('role_id', '=', role).execute()
    expect(await codes()).toEqual([])
  })

  // proves: call POST /user/jurisdiction
  test('has data permissions by kind', async () => {
    const { token } = await app.asUser({
      functionCodes: ['event:list'],
      authorities: [
        ['O', '3'],
        ['O', '4'],
        ['R', '440300'],
      ],
    })
    expect((await app.call(readJurisdiction, {}, token)).data).toEqual({
      isSystem: false,
      functionCodes: ['event:list'],
      authorityEntities: [
        { authorityType: 'O', type: 'O', value: ['3', '4'] },
        { authorityType: 'R', type: 'R', value: ['440300'] },
      ],
    })
  })
})

// proves: call GET /user/mobile/list
test('users with a phone are listed for their own organization and those above it', async () => {
  const parentId = await insertOrganization(app.db)
  const childId = await insertOrganization(app.db, { parentId })
  await insertUser(app.db, { loginName: 'parent-phone', organizationId: parentId, phone: '13800000001' })
  await insertUser(app.db, { loginName: 'child-phone', organizationId: childId, phone: '13800000002' })
  const names = async (organizationId: number) => {
    const { token } = await app.asUser({ organizationId, functionCodes: ['user:list'] })
    const { data } = await app.call(listPhoneUsers, {}, token)
    for (const user of data) expect(Object.keys(user).sort()).toEqual(['id', 'phone', 'userName'])
    return data.map(({ userName, phone }) => `${userName} ${phone}`)
  }
  const [child, parent] = ['child-phone 13800000002', 'parent-phone 13800000001']
  // The caller has no phone.
  expect(await names(parentId)).toEqual([child, parent])
  expect(await names(childId)).toEqual([child])
})

test('phone numbers are for users who may list users', async () => {
  const { token } = await app.asUser({ functionCodes: ['equip:list', 'role:list'] })
  expect(await app.call(listPhoneUsers, {}, token)).toMatchObject({ status: 403, data: null })
})
