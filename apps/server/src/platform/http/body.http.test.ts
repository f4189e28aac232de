import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { importDevices, listDevices, login, updatePermissions } from '@voltkeep/contract'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'

const app = await appOfTests({ BODY_SECONDS: '1', LEAST_BYTES_PER_SECOND: '1000' })
const token = await app.asAdmin()

const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  app.request(`/api${path}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  })

/** Everything that the server sends until it ends the connection; the request may be incomplete. */
async function answerTo(text: string, then?: (socket: Socket) => void): Promise<string> {
  const socket = connect(app.ports.httpPort ?? 0, '127.0.0.1')
  let answer = ''
  socket.on('data', (bytes) => {
    answer += bytes
  })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(text)
  then?.(socket)
  if (!socket.closed) await once(socket, 'close')
  return answer
}
const head = (path: string, lines: readonly string[]) =>
  [`POST /api${path} HTTP/1.1`, 'Host: voltkeep', ...lines, '', ''].join('\r\n')

describe('a body without sign-in', () => {
  test('of more than four kilobytes is refused', async () => {
    const answer = await post(login.path, JSON.stringify({ loginname: 'admin', password: 'x'.repeat(5_000) }))
    expect(answer).toMatchObject({ status: 413, refusal: 'bodyTooLarge', message: '请求内容过大' })
  })

  test('that is declared as larger is refused before it arrives, and the connection ended', async () => {
    const answer = await answerTo(
      head(login.path, ['Content-Type: application/json', 'Content-Length: 900000000']),
    )
    expect(answer).toContain('HTTP/1.1 413')
    expect(answer).toMatch(/connection: close/i)
  })

  test.each([
    ['of a call', login.path, 'application/json'],
    ['of an upload by a stranger', importDevices.path, 'multipart/form-data; boundary=x'],
    ['of no call', '/nothing/here', 'application/json'],
  ])(
    '%s that is refused during its upload is read to its end, so that no reset discards the answer',
    async (_, path, type) => {
      const body = Buffer.alloc(1_000_000, 'a')
      // A client that keeps sending after the server has ended its side, as one that has not read the answer yet.
      const socket = connect({ port: app.ports.httpPort ?? 0, host: '127.0.0.1', allowHalfOpen: true })
      const broken: Error[] = []
      socket.on('error', (error) => broken.push(error))
      socket.write(head(path, [`Content-Type: ${type}`, `Content-Length: ${body.length}`]))
      const [answer] = (await once(socket, 'data')) as [Buffer]
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 4\d\d /)
      const closed = once(socket, 'close')
      for (let sent = 0; sent < body.length && broken.length === 0; sent += 20_000) {
        await new Promise((resolve) => socket.write(body.subarray(sent, sent + 20_000), resolve))
      }
      socket.end()
      await closed
      expect(broken).toEqual([])
    },
  )

  test('without a declared length is refused when it has become too large', async () => {
    const answer = await answerTo(
      head(login.path, ['Content-Type: application/json', 'Transfer-Encoding: chunked']),
      (socket) => socket.write(`2000\r\n${' '.repeat(0x2000)}\r\n`),
    )
    expect(answer).toContain('HTTP/1.1 413')
  })

  test('of a multipart form is not read', async () => {
    const answer = await answerTo(
      head(login.path, ['Content-Type: multipart/form-data; boundary=x', 'Content-Length: 900000000']),
    )
    expect(answer).toContain('HTTP/1.1 415')
  })

  test('that does not end is aborted, and counted for the operator', async () => {
    const answer = await answerTo(
      head(login.path, ['Content-Type: application/json', 'Content-Length: 20']),
      (socket) => socket.write('{"loginname"'),
    )
    expect(answer).toContain('HTTP/1.1 408')
    expect(answer).toContain('"refusal":"bodyTooSlow"')
    expect(app.logged.join()).toContain('请求内容未在限时内传完')
  })
})

describe('a body of a signed-in user', () => {
  const headers = () => ({ authorization: token })

  test('is not read before the permission is checked', async () => {
    const answer = await answerTo(
      head(updatePermissions.path, ['Content-Type: application/json', 'Content-Length: 1000000']),
    )
    expect(answer).toContain('HTTP/1.1 401')
  })

  test('with too many fields is refused', async () => {
    const keys = Array.from({ length: 6_000 }, (_, n) => `"${n.toString(36)}":1`).join(',')
    expect(await post(listDevices.path, `{${keys}}`, headers())).toMatchObject({
      status: 400,
      refusal: 'tooManyFields',
      message: '请求内容的字段过多',
    })
  })

  test('may contain fifteen thousand ids where the call allows them, and no more in any number of lists', async () => {
    const value = Array.from({ length: 15_000 }, (_, n) => String(100_000_000 + n))
    const save = (...entries: unknown[]) =>
      post(updatePermissions.path, JSON.stringify({ userId: '999', authorityEntities: entries }), headers())
    expect(await save({ type: 'O', value })).toMatchObject({ refusal: 'userNotFound' })
    expect(await save({ type: 'O', value }, { type: 'ET', value: ['1'] })).toMatchObject({
      status: 400,
      message: '权限值最多 15000 个',
    })
  })

  test('may contain braces and colons in its texts', async () => {
    const answer = await post(
      listDevices.path,
      JSON.stringify({ address: '{":'.repeat(20), name: '\\"{[[' }),
      headers(),
    )
    expect(answer.code).toBe(200)
  })

  test('with too large fields before its file is refused', async () => {
    const form = new FormData()
    for (let n = 0; n < 3; n += 1) form.append(`field${n}`, 'x'.repeat(10_000))
    form.append('file', new Blob(['a']), 'devices.csv')
    const answer = await app.request(`/api${importDevices.path}`, {
      method: 'POST',
      body: form,
      headers: headers(),
    })
    expect(answer).toMatchObject({ status: 413, refusal: 'bodyTooLarge' })
  })
})
