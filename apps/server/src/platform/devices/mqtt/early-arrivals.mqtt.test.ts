import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { Registry } from 'prom-client'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createAuthority, skipsTls } from '../../../../test/certificates.ts'
import { eventually } from '../../../../test/eventually.ts'
import { connectRaw } from '../../../../test/mqtt-client.ts'
import { freePort } from '../../../../test/proxy-examples.ts'
import { createLog } from '../../process/log.ts'
import { openTls } from '../../process/tls/tls.ts'
import { type Broker, createBroker } from './broker.ts'
import { ConnectionLimiter } from './connection-limiter.ts'
import { type EarlyArrivals, openEarly } from './early-arrivals.ts'
import type { ListenersOptions } from './listeners.ts'

const host = '127.0.0.1'
const log = createLog({ level: 'silent' })

let port: number
let early: EarlyArrivals
let broker: Broker | undefined
let addresses: string[]
beforeEach(async () => {
  port = await freePort()
  early = await openEarly({ host, ports: [0, port], most: 3 })
  broker = undefined
  addresses = []
})
afterEach(async () => {
  early.close()
  broker?.close()
})

async function serve(options: Partial<ListenersOptions> = {}): Promise<void> {
  broker = createBroker<{ clientId: string }>({
    host,
    port,
    early,
    log,
    limiter: new ConnectionLimiter({
      inAll: 60,
      strangers: 50,
      strangersPerAddress: 50,
      perAddress: null,
      met: () => {},
    }),
    packetLimitBytes: 50_000,
    waitingLimitBytes: 100_000,
    authenticate: async ({ clientId, address }) => {
      addresses.push(address)
      return { clientId }
    },
    publish: (_peer, _message, done) => done(),
    received: () => 0,
    maySubscribe: () => true,
    subscriptionRefused: () => {},
    subscribed: () => {},
    connected: () => {},
    disconnected: () => {},
    cutOff: () => {},
    ...options,
  })
  const opened = await broker.listen()
  expect([opened.port, opened.securePort]).toContain(port)
}

const as = (code: string) => ({ code, secret: '' })
const connected = (socket: Socket) =>
  new Promise<Socket>((done) => socket.once('connect', () => done(socket)))

test('devices that came before the broker are served in the order in which they came, and others after them', async () => {
  const early = await Promise.all([1, 2, 3].map(() => connected(connect({ port, host }))))
  const codes = ['a', 'b', 'c']
  const waiting = early.map((socket, at) => connectRaw(socket, as(codes[at] as string)))
  await serve()
  expect((await Promise.all(waiting)).map(({ returnCode }) => returnCode)).toEqual([0, 0, 0])
  const late = await connectRaw(port, as('late'))
  expect(late.returnCode).toBe(0)
  expect(await late.client.publish('t', 'x')).toBe(true)
  expect(broker?.connectionCount).toBe(4)
  for (const { client } of await Promise.all(waiting)) client.breakOff()
  await eventually(() => expect([broker?.connectionCount, broker?.openCount]).toEqual([1, 1]))
})

test('of more connections than there may be those that come last are ended', async () => {
  const sockets: Socket[] = []
  for (let n = 0; n < 5; n += 1) sockets.push(await connected(connect({ port, host })))
  await eventually(() =>
    expect(sockets.map(({ closed }) => closed)).toEqual([false, false, false, true, true]),
  )
  for (const socket of sockets) socket.destroy()
})

test('who comes early through a proxy has the address that the proxy tells', async () => {
  const socket = await connected(connect({ port, host }))
  socket.write('PROXY TCP4 192.0.2.7 192.0.2.1 1234 1883\r\n')
  const waiting = connectRaw(socket, as('a'))
  await serve({ proxyHeaderFrom: [host] })
  expect((await waiting).returnCode).toBe(0)
  expect(addresses).toEqual(['192.0.2.7'])
})

test('without a broker, devices are sent away when the start ends', async () => {
  const waiting = connectRaw(port, as('a'))
  await eventually(async () => {
    const other = await connected(connect({ port, host }))
    other.destroy()
  })
  early.close()
  expect((await waiting).returnCode).toBe(-1)
})

test('a port that somebody else has is left to whoever opens it later', async () => {
  const again = await openEarly({ host, ports: [port], most: 3 })
  expect(again.take(port)).toBeUndefined()
})

describe.skipIf(skipsTls)('with TLS', () => {
  test('a handshake that began early is completed', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'voltkeep-early-'))
    const authority = createAuthority(join(directory, 'ca'))
    const { cert, key } = authority.issue('first')
    const tls = openTls({
      paths: { cert, key, clientCa: undefined, clientCrl: undefined },
      log,
      metrics: new Registry(),
    })
    try {
      const socket = connectTls({ port, host, rejectUnauthorized: false })
      const waiting = connectRaw(socket, as('a'))
      await serve({ port: null, secure: { port, tls } })
      expect((await waiting).returnCode).toBe(0)
    } finally {
      tls.close()
      rmSync(directory, { recursive: true, force: true })
    }
  })
})
