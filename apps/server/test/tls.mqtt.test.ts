import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { connect as connectPlain, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls'
import { deleteDevice, readServerInfo } from '@voltkeep/contract'
import { topicOf } from '@voltkeep/contract/topics/index'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from './app.ts'
import {
  type Authority,
  createAuthority,
  type Pair,
  readPair,
  replace,
  skipsTls,
  trustAuthority,
} from './certificates.ts'
import { insertDevice, type TestDevice } from './factories.ts'
import { connectDevice, connectRaw } from './mqtt-client.ts'

let directory: string
let authority: Authority
let others: Authority
let app: TestApp
let admin: string
/** The certificate that the server reads. */
let place: Pair
let clientCrl: string

beforeAll(async () => {
  if (skipsTls) return
  directory = mkdtempSync(join(tmpdir(), 'voltkeep-tls-'))
  authority = createAuthority(join(directory, 'ca'))
  trustAuthority(authority)
  others = createAuthority(join(directory, 'others'))
  mkdirSync(join(directory, 'server'))
  place = { cert: join(directory, 'server/cert.pem'), key: join(directory, 'server/key.pem') }
  clientCrl = join(directory, 'server/devices.crl')
  replace(place, authority.issue('first'))
  writeFileSync(clientCrl, readFileSync(authority.revocations()))
  app = await createTestApp({
    HTTPS_PORT: '0',
    MQTT_TLS_PORT: '0',
    TLS_CERT: place.cert,
    TLS_KEY: place.key,
    MQTT_CLIENT_CA: authority.cert,
    MQTT_CLIENT_CRL: clientCrl,
  })
  admin = await app.asAdmin()
})
afterAll(async () => {
  await app?.close()
  if (directory) rmSync(directory, { recursive: true, force: true })
})

const trusting = () => ({ host: '127.0.0.1', servername: 'localhost', ca: readFileSync(authority.cert) })

/** Resolves after the handshake. */
function handshake(port: number | null, more: ConnectionOptions = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ ...trusting(), port: port ?? 0, ...more }, () => resolve(socket))
    socket.on('error', reject)
  })
}

/** The common names of the certificates that new connections to both ports get. */
async function shownNames(of: TestApp = app): Promise<string[]> {
  const sockets = await Promise.all([handshake(of.ports.httpsPort), handshake(of.ports.mqttTlsPort)])
  const names = sockets.map((socket) => String(socket.getPeerCertificate().subject.CN))
  for (const socket of sockets) socket.destroy()
  return names
}

interface Answer {
  status: number
  headers: IncomingMessage['headers']
  body: string
}

function ask(port: number | null, path: string, method = 'GET', headers = {}): Promise<Answer> {
  const isSecure = port === app.ports.httpsPort
  return new Promise((resolve, reject) => {
    const options = { ...trusting(), port: port ?? 0, path, method, headers, agent: false }
    const sent = (isSecure ? requestSecure : requestPlain)(options, async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk as Buffer)
      const body = Buffer.concat(chunks).toString()
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body })
    })
    sent.on('error', reject)
    sent.end()
  })
}

async function refusalsOf(code: string): Promise<(string | null)[][]> {
  const rows = await app.db
    .selectFrom('intake_refusal')
    .select(['reason', 'detail', 'address'])
    .where('device_code', '=', code)
    .orderBy('id')
    .execute()
  return rows.map(({ reason, detail, address }) => [reason, detail, address])
}

describe.skipIf(skipsTls)('pages and API over TLS', () => {
  test('send HSTS, which the plain port does not', async () => {
    const secure = await ask(app.ports.httpsPort, '/api/health')
    expect([secure.status, secure.headers['strict-transport-security']]).toEqual([200, 'max-age=31536000'])
    const plain = await ask(app.ports.httpPort, '/api/health')
    expect(plain.status).toBe(200)
    expect(plain.headers).not.toHaveProperty('strict-transport-security')
  })

  test('are the target of redirects from the plain port, except for health checks', async () => {
    const to = (path: string) => `https://localhost:${app.ports.httpsPort}${path}`
    const answer = async (path: string, method?: string) => {
      const { status, headers } = await ask(app.ports.httpPort, path, method, { host: 'localhost:8080' })
      return [status, headers.location]
    }
    expect(await answer('/alarm/current?page=2')).toEqual([307, to('/alarm/current?page=2')])
    expect(await answer('/api/user/info', 'HEAD')).toEqual([307, to('/api/user/info')])
    expect(await answer('//evil.example/x')).toEqual([307, to('/evil.example/x')])
    expect(await answer('/\\evil.example')).toEqual([307, to('/evil.example')])
    expect((await answer('/api/ready'))[0]).toBe(200)
  })

  test('are no target for calls to the plain port, which are refused: their content was readable', async () => {
    const { status, headers, body } = await ask(app.ports.httpPort, '/api/user/login', 'POST')
    expect([status, headers.location]).toEqual([426, undefined])
    expect(JSON.parse(body)).toMatchObject({ code: 426, refusal: 'notEncrypted' })
    const nameless = await ask(app.ports.httpPort, '/', 'GET', { host: 'a b' })
    expect([nameless.status, nameless.headers.location]).toEqual([426, undefined])
  })

  test('end connections whose handshake does not come or is not TLS', async () => {
    const ends = [app.ports.httpsPort, app.ports.mqttTlsPort].flatMap((port) =>
      [Buffer.alloc(0), Buffer.from('GET / HTTP/1.1\r\n\r\n')].map(async (bytes) => {
        const socket = connectPlain({ port: port ?? 0, host: '127.0.0.1' })
        socket.on('error', () => {})
        socket.write(bytes)
        socket.resume()
        await new Promise((resolve) => socket.once('close', resolve))
      }),
    )
    await Promise.all(ends)
  })

  test('speak TLS 1.2 and newer with forward secrecy only', async () => {
    for (const port of [app.ports.httpsPort, app.ports.mqttTlsPort]) {
      const socket = await handshake(port, { maxVersion: 'TLSv1.2' })
      expect(socket.getCipher().name).toMatch(/^ECDHE-ECDSA-(AES.*GCM|CHACHA20)/)
      socket.destroy()
      const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' } as const
      await expect(handshake(port, old)).rejects.toThrow()
      await expect(handshake(port, { maxVersion: 'TLSv1.2', ciphers: 'AES128-SHA' })).rejects.toThrow()
    }
    const { data } = await app.call(readServerInfo, {}, await app.asAdmin())
    const failed = data.limits.find(({ name }) => name === 'TLS 握手')?.metCount
    // Two per port in this test; the test before added some too.
    expect(failed).toBeGreaterThanOrEqual(4)
  })
})

const publishEvent = (client: Awaited<ReturnType<typeof connectDevice>>, code: string, id: string) =>
  client.publish(topicOf(code, 'up', 'event'), { id, time: Date.now(), code: '03110002' })

describe.skipIf(skipsTls)('a certificate that is replaced', () => {
  test('is used for new connections while open ones continue, and a broken one is rejected', async () => {
    const device = await insertDevice(app.db)
    const live = await connectDevice(await handshake(app.ports.mqttTlsPort), device)
    expect(await shownNames()).toEqual(['first', 'first'])

    replace(place, authority.issue('second'))
    await expect.poll(() => shownNames()).toEqual(['second', 'second'])
    expect(await publishEvent(live, device.code, 'after-1')).toBe(true)

    // The certificate of another key, as if only one of the two files had been replaced.
    writeFileSync(place.cert, readFileSync(authority.issue('broken').cert))
    const warned = () => app.logged.filter((line) => line.includes('新的证书文件不能使用'))
    await expect.poll(warned).toHaveLength(1)
    expect(warned()[0]).toContain('不匹配')
    expect(await shownNames()).toEqual(['second', 'second'])
    expect(await publishEvent(live, device.code, 'after-2')).toBe(true)

    replace(place, authority.issue('third'))
    await expect.poll(() => shownNames()).toEqual(['third', 'third'])
    expect(live.isClosed).toBe(false)
    await live.disconnect()
  })

  test('is used too where a link to its folder is replaced, and shown on the server page', async () => {
    const folder = (name: string, pair: Pair) => {
      mkdirSync(join(directory, name))
      replace({ cert: join(directory, name, 'cert.pem'), key: join(directory, name, 'key.pem') }, pair)
      symlinkSync(join(directory, name), join(directory, `${name}-link`))
      return join(directory, `${name}-link`)
    }
    const live = join(directory, 'live')
    renameSync(folder('old', authority.issue('old', { days: [-1, 10] })), live)
    const linked = await createTestApp({
      HTTPS_PORT: '0',
      MQTT_TLS_PORT: '0',
      MQTT_TLS_ONLY: 'true',
      TLS_CERT: join(live, 'cert.pem'),
      TLS_KEY: join(live, 'key.pem'),
    })
    try {
      expect(linked.ports.mqttPort).toBeNull()
      expect(linked.logged.join('')).not.toContain('没有加密')
      const token = await linked.asAdmin()
      const warnings = async () => (await linked.call(readServerInfo, {}, token)).data.warnings
      expect(await warnings()).toEqual([expect.stringMatching(/^TLS 证书将于 .* 过期（剩余 9 天）/)])
      expect(linked.logged.filter((line) => line.includes('TLS 证书将于'))).toHaveLength(1)
      expect(await shownNames(linked)).toEqual(['old', 'old'])
      renameSync(folder('new', authority.issue('new')), live)
      await expect.poll(() => shownNames(linked)).toEqual(['new', 'new'])
      expect(await warnings()).toEqual([])
    } finally {
      await linked.close()
    }
  })
})

describe.skipIf(skipsTls)('a device with a certificate', () => {
  const nobody = (code: string) => ({ code, secret: '' })
  /** The return code of a sign-in with this certificate, without a password unless one is given. */
  async function signIn(code: string, pair: Pair, secret?: string): Promise<number> {
    const line = await handshake(app.ports.mqttTlsPort, readPair(pair))
    const { client, returnCode } = await connectRaw(line, nobody(code), {
      password: secret === undefined ? undefined : Buffer.from(secret),
    })
    client.breakOff()
    return returnCode
  }
  const issue = (device: TestDevice, days?: readonly [number, number]) =>
    authority.issue(device.code, { use: 'client', ...(days ? { days } : {}) })

  test('may sign in with it and without a secret, and by its secret without it', async () => {
    const device = await insertDevice(app.db)
    const line = await handshake(app.ports.mqttTlsPort, readPair(issue(device)))
    const { client, returnCode } = await connectRaw(line, nobody(device.code), { password: undefined })
    expect(returnCode).toBe(0)
    expect(await publishEvent(client, device.code, 'by-certificate')).toBe(true)
    await client.disconnect()
    const bySecret = await connectRaw(await handshake(app.ports.mqttTlsPort), device)
    expect(bySecret.returnCode).toBe(0)
    await bySecret.client.disconnect()
  })

  test('needs a valid one, and a correct secret where it sends one; the refusals say why', async () => {
    const device = await insertDevice(app.db)
    const elsewhere = others.issue(device.code, { use: 'client' })
    expect(await signIn(device.code, elsewhere)).toBe(4)
    expect(await signIn(device.code, elsewhere, device.secret)).toBe(4)
    expect(await signIn(device.code, authority.issue('OTHER1', { use: 'client' }))).toBe(4)
    expect(await signIn(device.code, issue(device, [-9, -1]))).toBe(4)
    expect(await signIn(device.code, authority.issue(device.code, { use: 'server' }))).toBe(4)
    expect(await signIn(device.code, issue(device), 'wrong')).toBe(4)
    expect(await signIn('NOBODY9', authority.issue('NOBODY9', { use: 'client' }))).toBe(4)
    const reasons = async () => (await refusalsOf(device.code)).map(([reason]) => reason)
    await expect
      .poll(reasons)
      .toEqual([...Array.from({ length: 4 }, () => 'wrongCertificate'), 'wrongSecret'])
    const details = (await refusalsOf(device.code)).map(([, detail]) => detail)
    expect(details[0]).toMatch(/^证书不是 MQTT_CLIENT_CA 签发的/)
    expect(details[1]).toBe('证书的通用名（CN）应为设备编号，收到的是“OTHER1”')
    expect(details.slice(2, 4)).toEqual(['证书已过期', '证书的用途不是客户端认证'])
  })

  test('is disconnected when it is deleted or its certificate is revoked, also in a resumed session', async () => {
    const [gone, revoked, staying] = [
      await insertDevice(app.db),
      await insertDevice(app.db),
      await insertDevice(app.db),
    ]
    const sessions = new Map<string, Buffer>()
    const connectBy = async (device: TestDevice, pair: Pair) => {
      const line = await handshake(app.ports.mqttTlsPort, readPair(pair))
      line.on('session', (session: Buffer) => sessions.set(device.code, session))
      const { client } = await connectRaw(line, nobody(device.code), { password: undefined })
      return client
    }
    const [pairOfGone, pairOfRevoked] = [issue(gone), issue(revoked)]
    const clients = {
      gone: await connectBy(gone, pairOfGone),
      revoked: await connectBy(revoked, pairOfRevoked),
      staying: await connectBy(staying, issue(staying)),
    }
    expect((await app.call(deleteDevice, { id: gone.id, version: 1 }, admin)).code).toBe(200)
    await clients.gone.closed()
    expect(await signIn(gone.code, pairOfGone)).toBe(4)

    authority.revoke(pairOfRevoked)
    writeFileSync(clientCrl, readFileSync(authority.revocations()))
    await clients.revoked.closed()
    expect(clients.staying.isClosed).toBe(false)
    expect(await signIn(revoked.code, pairOfRevoked)).toBe(4)
    const session = sessions.get(revoked.code)
    expect(session).toBeDefined()
    const resumed = await handshake(app.ports.mqttTlsPort, { ...readPair(pairOfRevoked), session })
    expect(resumed.isSessionReused()).toBe(false)
    const again = await connectRaw(resumed, nobody(revoked.code), { password: undefined })
    expect(again.returnCode).toBe(4)
    expect(await publishEvent(clients.staying, staying.code, 'still-here')).toBe(true)
    await clients.staying.disconnect()
  })
})

describe.skipIf(skipsTls)('behind a TCP proxy that sends the client’s address', () => {
  let proxied: TestApp
  beforeAll(async () => {
    proxied = await createTestApp({
      HTTPS_PORT: '0',
      MQTT_TLS_PORT: '0',
      TLS_CERT: place.cert,
      TLS_KEY: place.key,
      MQTT_PROXY_PROTOCOL: 'true',
      TRUSTED_PROXIES: '127.0.0.1,192.0.2.0/24',
    })
  })
  afterAll(() => proxied?.close())

  const version1 = (address: string) => Buffer.from(`PROXY TCP4 ${address} 192.0.2.1 56324 1883\r\n`)
  const version2 = (hex: string) => Buffer.from(`0d0a0d0a000d0a515549540a${hex}`, 'hex')
  const of198_51_100_4 = version2('2111000cc6336404c0000201dc04075b')

  async function lineTo(port: number | null, header: Buffer, from = '127.0.0.1'): Promise<Socket> {
    const socket = connectPlain({ port: port ?? 0, host: '127.0.0.1', localAddress: from })
    socket.on('error', () => {})
    await new Promise((resolve) => socket.once('connect', resolve))
    socket.write(header)
    return socket
  }
  const addressOf = async ({ id }: TestDevice) => {
    const state = await proxied.db
      .selectFrom('device_state')
      .select('connected_from')
      .where('device_id', '=', id)
      .executeTakeFirst()
    return state?.connected_from
  }

  test('a device has its own address, by both versions of the header, and a health check has the proxy’s', async () => {
    const { mqttPort } = proxied.ports
    for (const [header, address] of [
      [version1('203.0.113.7'), '203.0.113.7'],
      [of198_51_100_4, '198.51.100.4'],
      [version2('20000000'), '127.0.0.1'],
    ] as const) {
      const device = await insertDevice(proxied.db)
      const client = await connectDevice(await lineTo(mqttPort, header), device)
      await expect.poll(() => addressOf(device)).toBe(address)
      await client.disconnect()
    }
  })

  test('the header comes before TLS, in one piece with it or byte by byte', async () => {
    const { mqttTlsPort } = proxied.ports
    const device = await insertDevice(proxied.db)
    const line = await lineTo(mqttTlsPort, Buffer.alloc(0))
    for (const byte of of198_51_100_4) {
      await new Promise((resolve) => line.write(Buffer.from([byte]), resolve))
    }
    const socket = await handshake(0, { socket: line })
    const client = await connectDevice(socket, device)
    await expect.poll(() => addressOf(device)).toBe('198.51.100.4')
    await client.disconnect()

    const other = await insertDevice(proxied.db)
    const together = await lineTo(mqttTlsPort, version1('203.0.113.9'))
    const second = await connectDevice(await handshake(0, { socket: together }), other)
    await expect.poll(() => addressOf(other)).toBe('203.0.113.9')
    await second.disconnect()
  })

  test('a proxy’s connection without a header is ended, and a header from any other address is not believed', async () => {
    const { mqttPort } = proxied.ports
    const device = await insertDevice(proxied.db)
    const headless = await connectRaw(await lineTo(mqttPort, Buffer.alloc(0)), device)
    expect(headless.returnCode).toBe(-1)
    const endless = await connectRaw(await lineTo(mqttPort, Buffer.from(`PROXY ${'x'.repeat(200)}`)), device)
    expect(endless.returnCode).toBe(-1)
    // 127.0.0.2 is no proxy: it may connect, but its header is invalid MQTT.
    const pretender = await connectRaw(await lineTo(mqttPort, version1('10.0.0.1'), '127.0.0.2'), device)
    expect(pretender.returnCode).toBe(-1)
    const direct = await connectDevice(await lineTo(mqttPort, Buffer.alloc(0), '127.0.0.2'), device)
    await expect.poll(() => addressOf(device)).toBe('127.0.0.2')
    await direct.disconnect()
  })

  test('a connection whose header does not come is ended', async () => {
    const line = await lineTo(proxied.ports.mqttPort, Buffer.from('PROXY TCP4 203.0'))
    line.resume()
    await new Promise((resolve) => line.once('close', resolve))
    expect(line.destroyed).toBe(true)
  })
})
