// Stations over TLS: security profile 2, the secret, and 3, a certificate of the CA of devices.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from './app.ts'
import {
  type Authority,
  createAuthority,
  type Pair,
  readPair,
  skipsTls,
  trustAuthority,
} from './certificates.ts'
import { insertDevice } from './factories.ts'
import { connectStation } from './station.ts'

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
