import { type Endpoint, listDevices, recoverAlarm } from '@voltkeep/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../test/app.ts'
import { endpoints } from '../test/endpoints.ts'
import { insertDevice, insertOrganization } from '../test/factories.ts'

const calls = endpoints.flatMap(({ name, endpoint }) =>
  endpoint.methods.map((method) => ({ name, method, endpoint })),
)
const isFunction = ({ access }: Endpoint) => access !== 'public' && access !== 'signedIn'
/** Of no device: what the dictionary says is the same for everyone. */
const unscoped = new Set(['listDictionary', 'searchRoles', 'listUsers', 'listSessions', 'listOperations'])

let app: TestApp
beforeAll(async () => {
  app = await createTestApp()
})
afterAll(() => app.close())

const callPlainly = (method: string, endpoint: Endpoint, token?: string) =>
  app.request(`/api${endpoint.path.replace(/:\w+/g, '1')}`, {
    method,
    headers: token ? { authorization: token } : {},
  })

describe('of every call of the contract,', () => {
  test.each(calls.filter(({ endpoint }) => endpoint.access !== 'public'))(
    '$name by $method asks for a token before anything else',
    async ({ method, endpoint }) => {
      expect(await callPlainly(method, endpoint)).toMatchObject({
        status: 401,
        code: 401,
        message: '请先登录',
        data: null,
      })
    },
  )

  test.each(calls.filter(({ endpoint }) => endpoint.access === 'public'))(
    '$name by $method is open to anyone',
    async ({ method, endpoint }) => {
      const { code, message } = await callPlainly(method, endpoint)
      expect(code).not.toBe(401)
      expect(message).not.toBe('接口不存在')
    },
  )
})

describe('a user without the function code', () => {
  let token: string
  beforeAll(async () => {
    token = (await app.asUser({ functionCodes: ['some:thing'] })).token
  })

  test.each(calls.filter(({ endpoint }) => isFunction(endpoint)))(
    'may not call $name by $method',
    async ({ method, endpoint }) => {
      expect(await callPlainly(method, endpoint, token)).toMatchObject({
        status: 403,
        code: 403,
        message: '没有操作权限',
      })
    },
  )

  test('has his refused writes in the operation log', async () => {
    await app.call(recoverAlarm, { id: '1', note: '试一下' }, token)
    const row = await app.db
      .selectFrom('operation_log')
      .select(['call', 'result_code as code', 'result_message as message'])
      .where('call', '=', '/alarm/recover/:id')
      .orderBy('id', 'desc')
      .executeTakeFirst()
    expect(row).toEqual({ call: '/alarm/recover/:id', code: 403, message: '没有操作权限' })
  })
})

describe('a user whose organization has no devices', () => {
  let token: string
  beforeAll(async () => {
    await insertDevice(app.db)
    const organizationId = await insertOrganization(app.db)
    const functionCodes = endpoints
      .map(({ endpoint }) => endpoint.access)
      .filter((access) => access.includes(':'))
    token = (await app.asUser({ organizationId, functionCodes: [...new Set(functionCodes)] })).token
  })

  test.each(calls.filter(({ name, endpoint }) => endpoint.reply.kind === 'page' && !unscoped.has(name)))(
    'finds nothing in $name by $method',
    async ({ method, endpoint }) => {
      expect(await callPlainly(method, endpoint, token)).toMatchObject({ code: 200, data: [], total: 0 })
    },
  )

  test('while SYSTEM finds a device', async () => {
    expect((await app.call(listDevices, {}, await app.asAdmin())).total).toBe(1)
  })
})
