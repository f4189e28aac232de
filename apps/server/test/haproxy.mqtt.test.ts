import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
const hasHaproxy = spawnSync('haproxy', ['-v'], { env }).status === 0
if (!hasHaproxy && process.env.CI !== 'true') console.warn('没有安装 haproxy，跳过它的测试')
const skips = skipsTls || (!hasHaproxy && process.env.CI !== 'true')

describe.skipIf(skips)('behind HAProxy as docs/operating.md has it', () => {
  let directory: string
  let authority: Authority
  let app: TestApp
  let haproxy: ChildProcess
  let output = ''
  const ports = { ending: 0, passing: 0 }

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'voltkeep-haproxy-'))
    authority = createAuthority(join(directory, 'ca'))
    const own = authority.issue('of-voltkeep')
    const ofProxy = authority.issue('of-haproxy')
    writeFileSync(
      join(directory, 'haproxy.pem'),
      Buffer.concat([readFileSync(ofProxy.cert), readFileSync(ofProxy.key)]),
    )
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
    const path = join(directory, 'haproxy.cfg')
    writeFileSync(
      path,
      example('haproxy', 'send-proxy-v2')
        .replaceAll('/etc/voltkeep/tls', directory)
        .replace('bind :8883 ', `bind 127.0.0.1:${ports.ending} `)
        .replace('127.0.0.1:1883', `127.0.0.1:${app.ports.mqttPort}`)
        .replace('bind :8884', `bind 127.0.0.1:${ports.passing}`)
        .replace('127.0.0.1:8883', `127.0.0.1:${app.ports.mqttTlsPort}`),
    )
    haproxy = spawn('haproxy', ['-db', '-f', path], { env, stdio: ['ignore', 'ignore', 'pipe'] })
    haproxy.stderr?.on('data', (bytes: Buffer) => {
      output += bytes.toString()
    })
    await eventually(async () =>
      expect([await isOpen(ports.ending), output]).toEqual([true, expect.any(String)]),
    )
  })
  afterAll(async () => {
    if (haproxy && haproxy.exitCode === null) {
      // SIGTERM ends connections at once; SIGUSR1 would wait for them.
      haproxy.kill('SIGTERM')
      await once(haproxy, 'exit')
    }
    await app?.close()
    if (directory) rmSync(directory, { recursive: true, force: true })
  })

  /** From another address than HAProxy has. */
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

  test('a device whose TLS ends at HAProxy has its own address', async () => {
    const device = await insertDevice(app.db)
    const socket = await line(ports.ending)
    expect(socket.getPeerCertificate().subject.CN).toBe('of-haproxy')
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
})
