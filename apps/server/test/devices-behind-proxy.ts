// Devices that connect through a TCP proxy: the same app and tests for each proxy of docs/operating.md.
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { expect, test } from 'vitest'
import { createTestApp, type TestApp } from './app.ts'
import { type Authority, type Pair, readPair } from './certificates.ts'
import { insertDevice, type TestDevice } from './factories.ts'
import { connectRaw } from './mqtt-client.ts'

/** An app with its own TLS and client certificates that accepts addresses from a proxy on this machine. */
export const createAppBehindProxy = (own: Pair, authority: Authority): Promise<TestApp> =>
  createTestApp({
    HTTPS_PORT: '0',
    MQTT_TLS_PORT: '0',
    TLS_CERT: own.cert,
    TLS_KEY: own.key,
    MQTT_CLIENT_CA: authority.cert,
    MQTT_PROXY_PROTOCOL: 'true',
    TRUSTED_PROXIES: '127.0.0.1',
  })

export interface ProxiedWorld {
  app: TestApp
  authority: Authority
  /** Ports of the proxy: the one that terminates TLS, and the one that passes it on. */
  ports: { ending: number; passing: number }
}

/** Differs from the proxy's address. */
const localAddress = '127.0.0.3'

/**
 * Declares the tests of devices behind a proxy. `subject` is the common name of the proxy's certificate, `own` that
 * of the app's; `worldOf` is called within the tests.
 */
export function testDevicesBehind(
  proxy: string,
  { subject, own }: { subject: string; own: string },
  worldOf: () => ProxiedWorld,
): void {
  const open = (port: number, pair?: Pair) =>
    new Promise<TLSSocket>((resolve, reject) => {
      const socket = connectTls({
        socket: connect({ port, host: '127.0.0.1', localAddress }),
        servername: 'localhost',
        ca: readFileSync(worldOf().authority.cert),
        ...(pair ? readPair(pair) : {}),
      })
      socket.once('secureConnect', () => resolve(socket))
      socket.on('error', reject)
    })
  const addressOf = async ({ id }: TestDevice) =>
    (
      await worldOf()
        .app.db.selectFrom('device_state')
        .select('connected_from')
        .where('device_id', '=', id)
        .executeTakeFirst()
    )?.connected_from

  test(`a device whose TLS ends at ${proxy} has its own address`, async () => {
    const { app, ports } = worldOf()
    const device = await insertDevice(app.db)
    const socket = await open(ports.ending)
    expect(socket.getPeerCertificate().subject.CN).toBe(subject)
    const { client, returnCode } = await connectRaw(socket, device)
    expect(returnCode).toBe(0)
    await expect.poll(() => addressOf(device)).toBe(localAddress)
    await client.disconnect()
  })

  test('a device whose TLS ends at Voltkeep has its own address too, and may sign in with its certificate', async () => {
    const { app, authority, ports } = worldOf()
    const device = await insertDevice(app.db)
    const socket = await open(ports.passing, authority.issue(device.code, { use: 'client' }))
    expect(socket.getPeerCertificate().subject.CN).toBe(own)
    const { client, returnCode } = await connectRaw(socket, device, { password: undefined })
    expect(returnCode).toBe(0)
    await expect.poll(() => addressOf(device)).toBe(localAddress)
    await client.disconnect()
  })
}
