import { endSession, listSessions, readCurrentUser } from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import { insertOrganization, insertRole } from '../../../test/factories.ts'

const app = await appOfTests()
const admin = await app.asAdmin()
const company = await insertOrganization(app.db)
const elsewhere = await insertOrganization(app.db)
const role = await insertRole(app.db, { functionCodes: ['session:page', 'session:end'] })

const asChief = (authorities: ['R', string][] = []) =>
  app.asUser({ organizationId: company, roleIds: [role], authorities })
const sessionsOf = async (userId: number, token = admin) =>
  (await app.call(listSessions, { pageSize: 500 }, token)).data.filter((row) => row.userId === String(userId))

describe('online users', () => {
  test('are the active sessions of the own organization and below, with the own one marked', async () => {
    const chief = await asChief()
    const branch = await insertOrganization(app.db, { parentId: company, name: '分公司' })
    const user = await app.asUser({ organizationId: branch })
    const outside = await app.asUser({ organizationId: elsewhere })
    const { data, total } = await app.call(listSessions, { pageSize: 500 }, chief.token)
    const userIds = data.map(({ userId }) => Number(userId))
    expect(total).toBe(data.length)
    expect(userIds).toContain(user.id)
    expect(userIds).not.toContain(outside.id)
    expect(userIds).not.toContain(1)
    expect(data.find(({ userId }) => userId === String(chief.id))?.isCurrent).toBe(true)
    expect(data.find(({ userId }) => userId === String(user.id))).toMatchObject({
      loginName: user.loginName,
      organizationName: '分公司',
      address: expect.any(String),
      isCurrent: false,
      isManageable: true,
    })
  })

  test('are filtered by name, address and organization, without any token or hash', async () => {
    const user = await app.asUser({ organizationId: elsewhere, loginName: 'needle' })
    const { data, text } = await app.call(listSessions, { name: 'needl' }, admin)
    expect(data.map(({ userId }) => Number(userId))).toEqual([user.id])
    expect(text).not.toContain(user.token)
    const { rows } = await sql<{ hash: string }>`
      SELECT encode(token_hash, 'hex') AS hash FROM user_session WHERE user_id = ${user.id}`.execute(app.db)
    expect(text).not.toContain(rows[0]?.hash)
    const { address = '' } = data[0] ?? {}
    const found = await app.call(listSessions, { address, organizationId: String(elsewhere) }, admin)
    expect(found.data.map(({ loginName }) => loginName)).toContain('needle')
    expect((await app.call(listSessions, { address: '203.0.113.' }, admin)).total).toBe(0)
  })

  test('are signed out by an administrator: that session answers 50012, the others continue', async () => {
    const user = await app.asUser({ organizationId: company })
    const other = await app.signIn(user.loginName, user.password)
    const chief = await asChief()
    const [newest] = await sessionsOf(user.id, chief.token)
    expect((await app.call(endSession, { id: newest?.id ?? '' }, chief.token)).code).toBe(200)
    const codes = await Promise.all(
      [user.token, other].map(async (token) => (await app.call(readCurrentUser, {}, token)).code),
    )
    expect(codes.sort()).toEqual([200, 50012])
    expect(await sessionsOf(user.id)).toHaveLength(1)
    expect(await app.call(endSession, { id: newest?.id ?? '' }, chief.token)).toMatchObject({
      status: 404,
      message: '会话不存在或已结束',
    })
    const { rows } = await sql<{ target: string }>`
      SELECT target FROM operation_log WHERE call = '/session/end' AND result_code = 200`.execute(app.db)
    expect(rows.map(({ target }) => target)).toContain(`用户 ${user.loginName}`)
  })

  test('outside the own tree, or with more functions, cannot be signed out', async () => {
    const chief = await asChief([['R', '86']])
    const outside = await app.asUser({ organizationId: elsewhere })
    const wider = await app.asUser({ organizationId: company })
    const richer = await app.asUser({
      organizationId: company,
      functionCodes: ['alarm:recover'],
      authorities: [['R', '86']],
    })
    const system = await app.asUser({ organizationId: company, roleIds: [1] })
    const end = async (user: { id: number }) => {
      const [session] = await sessionsOf(user.id)
      return (await app.call(endSession, { id: session?.id ?? '' }, chief.token)).code
    }
    expect(await end(outside)).toBe(404)
    expect(await end(wider)).toBe(403)
    expect(await end(richer)).toBe(403)
    expect(await end(system)).toBe(403)
    for (const { token } of [outside, wider, richer, system]) {
      expect((await app.call(readCurrentUser, {}, token)).code).toBe(200)
    }
  })

  test('cannot sign themselves out this way', async () => {
    const chief = await asChief()
    const [own] = await sessionsOf(chief.id, chief.token)
    expect(await app.call(endSession, { id: own?.id ?? '' }, chief.token)).toMatchObject({
      code: 403,
      message: '不能强制下线当前会话，请使用退出登录',
    })
  })
})
