import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLiveStream } from '@voltkeep/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from './app.ts'
import { createAuthority, skipsTls } from './certificates.ts'
import { eventually } from './eventually.ts'
import { example, freePort, isOpen } from './proxy-examples.ts'

const hasCaddy = spawnSync('caddy', ['version']).status === 0
if (!hasCaddy && process.env.CI !== 'true') console.warn('没有安装 caddy，跳过它的测试')
const skips = skipsTls || (!hasCaddy && process.env.CI !== 'true')

describe.skipIf(skips)('behind Caddy as docs/operating.md has it', () => {
  let directory: string
  let ca: Buffer
  let app: TestApp
  let caddy: ChildProcess
  let port: number
  let token: string
  let output = ''
  const pages: ClientHttp2Session[] = []

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'voltkeep-caddy-'))
    const authority = createAuthority(join(directory, 'ca'))
    ca = readFileSync(authority.cert)
    const { cert, key } = authority.issue('localhost')
    app = await createTestApp({ TRUSTED_PROXIES: '127.0.0.1', STREAMS_PER_USER: '1' })
    token = (await app.asUser({ functionCodes: ['equip:page'] })).token
    port = await freePort()
    // The test's own certificate replaces the one that Caddy would obtain.
    const site = example('caddyfile', 'reverse_proxy')
      .replace(
        'voltkeep.example.com {',
        `https://localhost:${port} {\n\tbind 127.0.0.1\n\ttls ${cert} ${key}`,
      )
      .replace('127.0.0.1:8080', `127.0.0.1:${app.ports.httpPort}`)
    const path = join(directory, 'Caddyfile')
    writeFileSync(path, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n\n${site}`)
    caddy = spawn('caddy', ['run', '--config', path, '--adapter', 'caddyfile'], {
      env: { ...process.env, HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    caddy.stderr?.on('data', (bytes: Buffer) => {
      output += bytes.toString()
    })
    await eventually(async () => expect([await isOpen(port), output]).toEqual([true, expect.any(String)]))
  })
  afterAll(async () => {
    for (const page of pages) page.destroy()
    if (caddy && caddy.exitCode === null) {
      // SIGTERM would wait for open connections.
      caddy.kill('SIGKILL')
      await once(caddy, 'exit')
    }
    await app?.close()
    if (directory) rmSync(directory, { recursive: true, force: true })
  })

  /** An HTTP/2 connection like a browser's. */
  async function openPage(): Promise<ClientHttp2Session> {
    const session = connectHttp2(`https://localhost:${port}`, { ca })
    pages.push(session)
    await once(session, 'connect')
    return session
  }

  /** Returns the status, and the first chunk. */
  async function openStream(session: ClientHttp2Session): Promise<{ status: number; text: string }> {
    const stream = session.request({
      ':path': `/api${openLiveStream.path}`,
      authorization: `Bearer ${token}`,
    })
    stream.on('error', () => undefined)
    const [headers] = await once(stream, 'response')
    const [bytes] = await once(stream, 'data')
    return { status: headers[':status'], text: String(bytes) }
  }

  test('a caller has its own address, whatever it claims, and browsers get HSTS', async () => {
    const wrong = JSON.stringify({ loginname: 'nobody.at.caddy', password: 'Wrong-1234' })
    const asked = request({
      ...{ host: '127.0.0.1', servername: 'localhost', port, ca, agent: false, localAddress: '127.0.0.3' },
      ...{ path: '/api/user/login', method: 'POST' },
      headers: {
        host: `localhost:${port}`,
        'content-type': 'application/json',
        'x-forwarded-for': '203.0.113.9',
        'x-forwarded-proto': 'http',
      },
    })
    asked.end(wrong)
    const [answer] = await once(asked, 'response')
    answer.resume()
    expect(answer.headers['strict-transport-security']).toBe('max-age=31536000')
    const { rows } = await app.database.pool.query(
      'SELECT DISTINCT address FROM operation_log WHERE login_name = $1',
      ['nobody.at.caddy'],
    )
    expect(rows).toEqual([{ address: '127.0.0.3' }])
  })

  test('live updates arrive at once, and a closed page leaves no connection open at the server', async () => {
    const page = await openPage()
    expect(await openStream(page)).toEqual({ status: 200, text: expect.stringContaining('open') })
    const another = await openPage()
    expect((await openStream(another)).status).toBe(429)
    page.destroy()
    await eventually(async () => expect((await openStream(another)).status).toBe(200))
  })
})
