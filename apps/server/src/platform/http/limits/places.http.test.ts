import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { exportDevices, openLiveStream } from '@voltkeep/contract'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { makeKey } from '../../../../test/api-keys.ts'
import { createTestApp, type TestApp } from '../../../../test/app.ts'
import { insertDevice } from '../../../../test/factories.ts'

/** Make a file larger than the socket buffers for a client that does not read: few devices, of which each is long. */
const deviceCount = 5_000
const addressParts = 70

let app: TestApp
let admin: string
let other: string
beforeAll(async () => {
  app = await createTestApp({ EXPORTS_PER_USER: '4', STREAMS_PER_USER: '2' })
  admin = await app.asAdmin()
  const first = await insertDevice(app.db, { code: 'EX0' })
  await app.database.pool.query(
    `INSERT INTO device (code, name, operator_id, model_id, region_id, address, secret_hash)
     SELECT 'EX' || n, md5(n::text), operator_id, model_id, region_id,
       (SELECT string_agg(md5((n * $3::int + part)::text), '') FROM generate_series(1, $3::int) part), ''
     FROM device, generate_series(1, $2::int) n WHERE id = $1`,
    [first.id, deviceCount, addressParts],
  )
  ;({ token: other } = await app.asUser({ functionCodes: ['equip:export'] }))
})
afterAll(() => app.close())

/** Reads the headers of the answer only. */
async function askAndWait(path: string, token: string): Promise<{ socket: Socket; head: string }> {
  const socket = connect(app.ports.httpPort ?? 0, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(`GET /api${path} HTTP/1.1\r\nHost: voltkeep\r\nAuthorization: ${token}\r\n\r\n`)
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  socket.pause()
  return { socket, head: bytes.toString('latin1', 0, 400) }
}
const exported = (token: string, query = '') =>
  app.request(`/api${exportDevices.path}${query}`, { headers: { authorization: token } })

describe('exports', () => {
  test('of others continue while one user has four that are not read', async () => {
    for (let n = 0; n < 4; n += 1)
      expect((await askAndWait(exportDevices.path, admin)).head).toContain('HTTP/1.1 200')
    expect((await exported(other, '?code=EX1')).status).toBe(200)
  })

  test('are limited per user, and one more may start when one has been read or aborted', async () => {
    const open: Socket[] = []
    for (let n = 0; n < 4; n += 1) open.push((await askAndWait(exportDevices.path, admin)).socket)
    expect(await exported(admin)).toMatchObject({
      status: 429,
      refusal: 'ownExportsRunning',
      message: '您有导出正在进行，请等待完成后再试',
    })
    expect(app.logged.join()).toContain('一个用户同时进行的导出超过上限')
    open[0]?.destroy()
    await expect.poll(async () => (await exported(admin, '?code=EX1')).status).toBe(200)
  })

  test('of the API keys that a user has made are those of one caller', async () => {
    const { token } = await app.asUser({ functionCodes: ['equip:export', 'apiKey:insert'] })
    const secretOf = async () => (await makeKey(app, token, { functionCodes: ['equip:export'] })).secret
    const [one, another] = [await secretOf(), await secretOf()]
    for (const secret of [one, one, another, another])
      expect((await askAndWait(exportDevices.path, secret)).head).toContain('HTTP/1.1 200')
    for (const secret of [one, another]) expect((await exported(secret)).status).toBe(429)
    expect((await exported(token, '?code=EX1')).status).toBe(200)
  })
})

test('live streams are limited per user, and one more may start when one has been closed', async () => {
  const streams = [await askAndWait(openLiveStream.path, admin), await askAndWait(openLiveStream.path, admin)]
  const ask = async (token: string) => {
    const gone = new AbortController()
    const { status } = await fetch(`${app.url}/api${openLiveStream.path}`, {
      headers: { authorization: token },
      signal: gone.signal,
    })
    gone.abort()
    return status
  }
  expect(await ask(admin)).toBe(429)
  expect(await ask(other)).toBe(200)
  streams[0]?.socket.destroy()
  await expect.poll(() => ask(admin)).toBe(200)
})
