// Stations over TLS: security profile 2, the secret, and 3, a certificate of the CA of devices; and relays by them.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { insertOcppRelay, readOcppRelay, updateOcppRelay } from '@voltkeep/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from './app.ts'
import { startBackOffice, type TestBackOffice } from './back-office.ts'
import {
  type Authority,
  createAuthority,
  type Pair,
  readPair,
  skipsTls,
  trustAuthority,
} from './certificates.ts'
import { insertDevice } from './factories.ts'
import { connectStation, until } from './station.ts'

let directory: string
let authority: Authority
let others: Authority
let app: TestApp
let plain: string

beforeAll(async () => {
  if (skipsTls) return
  directory = mkdtempSync(join(tmpdir(), 'voltkeep-ocpp-'))
  authority = createAuthority(join(directory, 'ca'))
  others = createAuthority(join(directory, 'others'))
  trustAuthority(authority)
  const server = authority.issue('localhost')
  app = await createTestApp({
    HTTPS_PORT: '0',
    MQTT_TLS_PORT: '0',
    TLS_CERT: server.cert,
    TLS_KEY: server.key,
    MQTT_CLIENT_CA: authority.cert,
    OCPP_RELAY_NETWORKS: '127.0.0.0/8,::1/128',
  })
  plain = `http://127.0.0.1:${app.ports.httpPort}`
})
afterAll(async () => {
  await app?.close()
  if (directory) rmSync(directory, { recursive: true, force: true })
})

describe.skipIf(skipsTls)('a station', () => {
  const by = (pair: Pair) => ({
    password: null,
    wsOpts: { ca: readFileSync(authority.cert), ...readPair(pair) },
  })
  const trusting = () => ({ wsOpts: { ca: readFileSync(authority.cert) } })

  test('comes by TLS with its secret, and by plain HTTP beside it', async () => {
    const device = await insertDevice(app.db, { protocol: 'ocpp16' })
    for (const url of [app.url, plain]) {
      const station = await connectStation({ url, device, ...(url === app.url ? trusting() : {}) })
      expect(await station.boot()).toMatchObject({ status: 'Accepted' })
      await station.close()
    }
    await expect(connectStation({ url: app.url, device, password: 'wrong', ...trusting() })).rejects.toThrow(
      'Unauthorized',
    )
  })

  test('comes with its certificate in place of the secret; one of another name or CA is refused', async () => {
    const device = await insertDevice(app.db, { protocol: 'ocpp16' })
    const own = authority.issue(device.code, { use: 'client' })
    const station = await connectStation({ url: app.url, device, ...by(own) })
    expect(await station.boot()).toMatchObject({ status: 'Accepted' })
    await station.close()
    for (const pair of [
      authority.issue('ANOTHER', { use: 'client' }),
      authority.issue(device.code, { use: 'client', days: [-2, -1] }),
      others.issue(device.code, { use: 'client' }),
    ])
      await expect(connectStation({ url: app.url, device, ...by(pair) })).rejects.toThrow('Unauthorized')
    // Nothing at all is not enough.
    await expect(connectStation({ url: app.url, device, password: null, ...trusting() })).rejects.toThrow(
      'Unauthorized',
    )
  })
})

// The platform has an authority of its own, for itself and for its stations: nothing of this server's.
describe.skipIf(skipsTls)('a relay', () => {
  let admin: string
  let theirs: Authority
  let old: TestBackOffice
  beforeAll(async () => {
    if (skipsTls) return
    admin = await app.asAdmin()
    theirs = createAuthority(join(directory, 'theirs'), 'Their CA')
    old = await startBackOffice({
      tls: {
        ...readPair(theirs.issue('localhost')),
        ca: readFileSync(theirs.cert),
        requestCert: true,
        rejectUnauthorized: true,
      },
    })
  })
  afterAll(async () => {
    await old?.close()
  })
  const text = (path: string) => readFileSync(path, 'utf8')
  const pem = ({ cert, key }: Pair) => ({ certificate: text(cert), key: text(key) })
  const relayOf = async (id: string) => (await app.call(readOcppRelay, { id }, admin)).data.relay

  test('shows the platform the certificate that it knows the station by, and has it show one of its authority', async () => {
    const device = await insertDevice(app.db, { protocol: 'ocpp16' })
    const id = String(device.id)
    const set = {
      id,
      url: old.url,
      identity: 'PILLAR-7',
      ca: text(theirs.cert),
      ...pem(theirs.issue('PILLAR-7', { use: 'client' })),
    }
    expect(await app.call(insertOcppRelay, set, admin)).toMatchObject({ code: 200 })
    expect(await relayOf(id)).toMatchObject({ hasCa: true, hasCertificate: true, hasPassword: false })
    // Both lines by certificates: profile 3 here, and there.
    const own = authority.issue(device.code, { use: 'client' })
    const wsOpts = { ca: readFileSync(authority.cert), ...readPair(own) }
    const station = await connectStation({ url: app.url, device, password: null, wsOpts })
    expect(await station.boot()).toMatchObject({ interval: 77 })
    expect(old.certificates.get('PILLAR-7')).toBe('PILLAR-7')
    expect(old.passwords.has('PILLAR-7')).toBe(false)
    await until(async () => (await relayOf(id))?.state === 'connected')
    await station.close()
  })

  test('without a certificate that the platform takes is away and says why; the station is answered here', async () => {
    const device = await insertDevice(app.db, { protocol: 'ocpp16' })
    const id = String(device.id)
    const ca = text(theirs.cert)
    expect(await app.call(insertOcppRelay, { id, url: old.url, ca }, admin)).toMatchObject({ code: 200 })
    const trusting = { wsOpts: { ca: readFileSync(authority.cert) } }
    const refusals: unknown[] = []
    const shown: Record<string, unknown>[] = [
      {},
      pem(others.issue(device.code, { use: 'client' })),
      pem(theirs.issue(device.code, { use: 'client', days: [-3, -2] })),
    ]
    for (const more of shown) {
      const version = (await relayOf(id))?.version ?? 0
      const change = { id, url: old.url, ca, ...more, version }
      expect(await app.call(updateOcppRelay, change as never, admin)).toMatchObject({ code: 200 })
      const station = await connectStation({ url: app.url, device, ...trusting })
      expect(await station.boot()).toMatchObject({ interval: 300 })
      await until(async () => (await relayOf(id))?.state === 'away')
      refusals.push((await relayOf(id))?.lastError)
      await station.close()
      await until(async () => (await relayOf(id))?.state === 'waiting')
    }
    // Where one was shown, Node's server says nothing and hangs up.
    expect(refusals).toEqual(['原平台不接受客户端证书', '原平台中断了连接', '原平台中断了连接'])
    expect(old.stations.has(device.code)).toBe(false)
  })

  test('does not speak to a platform of another authority, or of another name', async () => {
    const elsewhere = await startBackOffice({ tls: readPair(others.issue('localhost')) })
    const device = await insertDevice(app.db, { protocol: 'ocpp16' })
    const id = String(device.id)
    const form = { id, url: elsewhere.url, ca: text(theirs.cert), password: 'their secret' }
    expect(await app.call(insertOcppRelay, form, admin)).toMatchObject({ code: 200 })
    const station = await connectStation({
      url: app.url,
      device,
      wsOpts: { ca: readFileSync(authority.cert) },
    })
    expect(await station.boot()).toMatchObject({ interval: 300 })
    await until(async () => (await relayOf(id))?.state === 'away')
    expect((await relayOf(id))?.lastError).toBe('原平台的证书不受信任')
    // It has heard neither name nor password.
    expect([elsewhere.passwords.size, elsewhere.said]).toEqual([0, []])
    await station.close()
    await elsewhere.close()
  })
})
