import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
import { appOfTests } from '../../../test/app.ts'

const app = await appOfTests()
const token = await app.asAdmin()

const post = (path: string, body: string, contentType = 'application/json') =>
  app.request(path, { method: 'POST', body, headers: { 'content-type': contentType, authorization: token } })

describe('an invalid request is refused in the envelope:', () => {
  test.each([
    ['malformed JSON', '{"pageNum":', 'application/json', 400, '请求内容不是有效的 JSON'],
    ['a JSON list', '[1]', 'application/json', 400, '请求内容应为 JSON 对象'],
    ['a JSON text', '"x"', 'application/json', 400, '请求内容应为 JSON 对象'],
    ['a NUL character', '{"name":"a\\u0000b"}', 'application/json', 400, '包含无效字符'],
    ['half of a surrogate pair', '{"name":"a\\ud800"}', 'application/json', 400, '包含无效字符'],
    ['another media type', '<a/>', 'application/xml', 415, '不支持的内容类型'],
    ['plain text', 'pageNum=1', 'text/plain', 415, '不支持的内容类型'],
    ['more than a megabyte', `{"name":"${'x'.repeat(1_100_000)}"}`, 'application/json', 413, '请求内容过大'],
    [
      'a nesting that would overflow the stack',
      `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
      'application/json',
      400,
      '请求内容嵌套过深',
    ],
  ])('%s', async (_what, body, contentType, status, message) => {
    const answer = await post('/api/equip/list', body, contentType)
    expect(answer).toMatchObject({ status, code: status, message })
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  test.each([
    ['GET', '/api/nothing/here'],
    ['POST', '/api/nothing/here'],
    ['DELETE', '/api/user/info'],
    ['GET', '/api/user/login'],
    ['PUT', '/api/user/info'],
    ['GET', '/api'],
  ])('%s %s, an unknown call', async (method, path) => {
    expect(await app.request(path, { method })).toMatchObject({
      status: 404,
      code: 404,
      message: '接口不存在',
      data: null,
    })
  })

  test('an address that cannot be decoded', async () => {
    expect(await app.request('/api/%zz')).toMatchObject({ status: 400, code: 400, data: null })
    expect(await app.request('/%zz')).toMatchObject({ status: 400, code: 400, data: null })
  })

  test('bytes that are not HTTP', async () => {
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(app.ports.httpPort ?? 0, '127.0.0.1', () => socket.end('nonsense\r\n\r\n'))
      let text = ''
      socket.on('data', (bytes) => {
        text += bytes
      })
      socket.on('close', () => resolve(text))
    })
    expect(answer).toContain('HTTP/1.1 400')
    expect(answer).toContain('{"code":400,"message":"请求参数有误","data":null,"refusal":"badInput"}')
  })
})

describe('an input', () => {
  test('may be empty, with a JSON content type or without one', async () => {
    expect((await post('/api/role/none', '')).code).toBe(404)
    expect((await post('/api/user/jurisdiction', '')).code).toBe(200)
    expect((await post('/api/user/jurisdiction', 'null')).code).toBe(200)
    const bare = await app.request('/api/user/jurisdiction', {
      method: 'POST',
      headers: { authorization: token },
    })
    expect(bare.code).toBe(200)
  })

  // proves: rule envelope
  test('merges query and body, and empty texts count as absent', async () => {
    const answer = await post('/api/equip/list?pageNum=0', '{"pageSize":501,"code":""}')
    expect(answer).toMatchObject({
      status: 400,
      data: [
        { field: 'pageNum', message: '页码不能小于 1' },
        { field: 'pageSize', message: '每页条数不能大于 500' },
      ],
    })
    expect((await post('/api/equip/list', '{"code":"","pageSize":null}')).code).toBe(200)
  })
})

describe('a problem', () => {
  test('without a message in the schema is reported in Chinese', async () => {
    expect(await post('/api/alarm/detail', '{"alarmCodes":[null,"x"],"classify":"EC"}')).toMatchObject({
      status: 400,
      message: '格式有误',
      data: [
        { field: 'alarmCodes.0', message: '格式有误' },
        { field: 'alarmCodes.1', message: '格式有误' },
      ],
    })
  })

  test('does not arise where a query string has a number or boolean as text', async () => {
    expect((await post('/api/equip/list?isOnline=true&hasAlarm=false', '')).code).toBe(200)
    const detail = '{"alarmCodes":[{"alarmCode":"9007199254740991","code":"01110002"}],"classify":"EC"}'
    expect((await post('/api/alarm/detail', detail)).code).toBe(200)
  })
})

test('an authorization header without a token is ignored', async () => {
  for (const authorization of ['', 'Bearer', 'Bearer ']) {
    expect(await app.request('/api/user/info', { headers: { authorization } })).toMatchObject({
      status: 401,
      code: 401,
    })
  }
})

test('an internal error answers 500 with a request id, and reveals no internals', async () => {
  await app.database.owner.query('ALTER TABLE role RENAME TO role_away')
  try {
    // Sign-in also reads the role table.
    const answer = await app.request('/api/role/all', { headers: { authorization: token } })
    expect(answer).toMatchObject({ status: 500, code: 500, data: null })
    const id = answer.headers.get('x-request-id') ?? ''
    expect(answer.message).toBe(`服务器内部错误（请求号 ${id}）`)
    expect(answer.text).not.toMatch(/role|select|relation|\.ts|node_modules|file:/i)
    expect(app.logged.join()).toContain(id)
  } finally {
    await app.database.owner.query('ALTER TABLE role_away RENAME TO role')
  }
})

test('answers of the API are not cached or sniffed', async () => {
  const { headers } = await app.request('/api/user/info', { headers: { authorization: token } })
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
  expect(headers.get('x-frame-options')).toBe('DENY')
})

test('health and readiness need no token', async () => {
  expect(await app.request('/api/health')).toMatchObject({
    status: 200,
    data: { status: 'up', version: packageJson.version },
  })
  expect(await app.request('/api/ready')).toMatchObject({ status: 200, data: { status: 'ready' } })
})
