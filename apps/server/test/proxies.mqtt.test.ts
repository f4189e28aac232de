import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from './app.ts'
import { type Authority, createAuthority, type Pair, readPair, skipsTls } from './certificates.ts'
import { eventually } from './eventually.ts'
import { insertDevice, type TestDevice } from './factories.ts'
import { connectRaw } from './mqtt-client.ts'
import { example, freePort, isOpen } from './proxy-examples.ts'

const env = { ...process.env, PATH: [process.env.PATH, '/usr/sbin', '/sbin'].join(delimiter) }
const streamModule = '/usr/lib/nginx/modules/ngx_stream_module.so'
const hasNginx = spawnSync('nginx', ['-v'], { env }).status === 0 && existsSync(streamModule)
if (!hasNginx && process.env.CI !== 'true') console.warn('没有安装 nginx 及其 stream 模块，跳过代理的测试')
const skips = skipsTls || (!hasNginx && process.env.CI !== 'true')

describe.skipIf(skips)('behind nginx as docs/operating.md has it', () => {
  let directory: string
  let authority: Authority
  let own: Pair
  let app: TestApp
  let nginx: ChildProcess
  const ports = { https: 0, ending: 0, passing: 0 }

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'voltkeep-proxies-'))
    authority = createAuthority(join(directory, 'ca'))
    own = authority.issue('of-voltkeep')
    const ofProxy = authority.issue('of-nginx')
    copyFileSync(ofProxy.cert, join(directory, 'fullchain.pem'))
    copyFileSync(ofProxy.key, join(directory, 'privkey.pem'))
    app = await createTestApp({
      HTTPS_PORT: '0',
      MQTT_TLS_PORT: '0',
      TLS_CERT: own.cert,
      TLS_KEY: own.key,
      MQTT_CLIENT_CA: authority.cert,
      MQTT_PROXY_PROTOCOL: 'true',
      TRUSTED_PROXIES: '127.0.0.1',
    })
    for (const name of Object.keys(ports) as (keyof typeof ports)[]) ports[name] = await freePort()
    const placed = (text: string) => text.replaceAll('/etc/voltkeep/tls', directory)
    const stream = placed(example('nginx', 'stream {'))
      .replace('listen 8883 ssl;', `listen 127.0.0.1:${ports.ending} ssl;`)
      .replace('127.0.0.1:1883', `127.0.0.1:${app.ports.mqttPort}`)
      .replace('listen 8884;', `listen 127.0.0.1:${ports.passing};`)
      .replace('127.0.0.1:8883', `127.0.0.1:${app.ports.mqttTlsPort}`)
    // Here Voltkeep speaks TLS itself; before a plain one the address begins with http.
    const http = placed(example('nginx', 'listen 443 ssl'))
      .replace('listen 443 ssl;', `listen 127.0.0.1:${ports.https} ssl;`)
      .replace('http://127.0.0.1:8080', app.url)
    const path = join(directory, 'nginx.conf')
    writeFileSync(
      path,
      `load_module ${streamModule}; ${process.getuid?.() === 0 ? 'user root;' : ''} daemon off;
       pid ${directory}/pid; error_log ${directory}/error.log; events {}
       ${stream}
       http { access_log off; client_body_temp_path ${directory}; proxy_temp_path ${directory};
       fastcgi_temp_path ${directory}; uwsgi_temp_path ${directory}; scgi_temp_path ${directory}; ${http} }`,
    )
    nginx = spawn('nginx', ['-p', directory, '-c', path], { env, stdio: 'ignore' })
    await eventually(async () => expect(await isOpen(ports.ending)).toBe(true))
  })
  afterAll(async () => {
    if (nginx) {
      nginx.kill('SIGQUIT')
      if (nginx.exitCode === null) await new Promise((resolve) => nginx.once('exit', resolve))
    }
    await app?.close()
    if (directory) rmSync(directory, { recursive: true, force: true })
  })

  /** From another address than nginx has. */
  const localAddress = '127.0.0.3'
  const line = (port: number, pair?: Pair) =>
    new Promise<TLSSocket>((resolve, reject) => {
      const socket = connectTls({
        socket: connect({ port, host: '127.0.0.1', localAddress }),
        servername: 'localhost',
        ca: readFileSync(authority.cert),
        ...(pair ? readPair(pair) : {}),
      })
      socket.once('secureConnect', () => resolve(socket))
      socket.on('error', reject)
    })
  const addressOf = async ({ id }: TestDevice) =>
    (
      await app.db
        .selectFrom('device_state')
        .select('connected_from')
        .where('device_id', '=', id)
        .executeTakeFirst()
    )?.connected_from

  test('a device whose TLS ends at nginx has its own address', async () => {
    const device = await insertDevice(app.db)
    const socket = await line(ports.ending)
    expect(socket.getPeerCertificate().subject.CN).toBe('of-nginx')
    const { client, returnCode } = await connectRaw(socket, device)
    expect(returnCode).toBe(0)
    await expect.poll(() => addressOf(device)).toBe(localAddress)
    await client.disconnect()
  })

  test('a device whose TLS ends at Voltkeep has it too, and may sign in with its certificate', async () => {
    const device = await insertDevice(app.db)
    const socket = await line(ports.passing, authority.issue(device.code, { use: 'client' }))
    expect(socket.getPeerCertificate().subject.CN).toBe('of-voltkeep')
    const { client, returnCode } = await connectRaw(socket, device, { password: undefined })
    expect(returnCode).toBe(0)
    await expect.poll(() => addressOf(device)).toBe(localAddress)
    await client.disconnect()
  })

  test('pages and API come by HTTPS, and browsers are told to stay with it', async () => {
    const options = {
      port: ports.https,
      host: '127.0.0.1',
      path: '/api/ready',
      ca: readFileSync(authority.cert),
    }
    const { statusCode, headers } = await new Promise<{
      statusCode?: number | undefined
      headers: NodeJS.Dict<string | string[]>
    }>((resolve, reject) => {
      get({ ...options, agent: false }, (response) => resolve(response.resume())).on('error', reject)
    })
    expect([statusCode, headers['strict-transport-security']]).toEqual([200, 'max-age=31536000'])
  })
})
