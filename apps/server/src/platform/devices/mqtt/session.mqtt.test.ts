// What one connection says and hears, packet by packet.
import { generate, type Packet } from 'mqtt-packet'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../../../../test/eventually.ts'
import { connectDevice, connectRaw, connectSilently } from '../../../../test/mqtt-client.ts'
import { createLog } from '../../process/log.ts'
import { type Broker, createBroker, type LoginRefusal } from './broker.ts'
import { ConnectionLimiter } from './connection-limiter.ts'
import type { Peer } from './peer.ts'

interface Identity {
  code: string
}

let broker: Broker
let port: number
/** What the broker has told, in order. */
let told: string[]
let peers: Map<string, Peer<Identity>>
let signIn: (code: string) => Promise<Identity | LoginRefusal>
beforeEach(async () => {
  told = []
  peers = new Map()
  signIn = async (code) => ({ code })
  broker = createBroker<Identity>({
    host: '127.0.0.1',
    port: 0,
    log: createLog({ level: 'silent' }),
    limiter: new ConnectionLimiter({
      inAll: 60,
      strangers: 50,
      strangersPerAddress: 50,
      perAddress: null,
      met: () => {},
    }),
    packetLimitBytes: 50_000,
    waitingLimitBytes: 1_000_000,
    authenticate: ({ clientId }) => signIn(clientId),
    publish({ identity }, { topic, payload }, done) {
      told.push(`${identity.code} publishes ${topic} ${payload}`)
      done()
    },
    received: () => 0,
    maySubscribe: (_identity, filter) => !filter.startsWith('other'),
    subscriptionRefused: ({ identity }, filter, limit) =>
      told.push(`${identity.code} may not have ${filter} ${limit}`),
    subscribed: ({ identity }) => told.push(`${identity.code} subscribes`),
    connected(peer) {
      peers.set(peer.identity.code, peer)
      told.push(`${peer.identity.code} connects`)
    },
    disconnected: ({ identity }, isProper) => told.push(`${identity.code} goes ${isProper}`),
    cutOff: () => {},
  })
  port = (await broker.listen()).port ?? 0
})
afterEach(() => broker.close())

const as = (code: string) => ({ code, secret: '' })
const connect: Packet = {
  cmd: 'connect',
  protocolId: 'MQTT',
  protocolVersion: 4,
  clientId: 'a',
  clean: true,
  keepalive: 60,
}
const publish: Packet = {
  cmd: 'publish',
  topic: 't',
  payload: 'x',
  qos: 1,
  messageId: 7,
  dup: false,
  retain: false,
}
const subscribe = (...filters: string[]): Packet => ({
  cmd: 'subscribe',
  messageId: 8,
  subscriptions: filters.map((topic) => ({ topic, qos: 1 })),
})
const will = { topic: 'gone', payload: Buffer.from('wéll'), qos: 1, retain: false } as const

test('what a device sends behind its CONNECT, before its CONNACK, is handled after it', async () => {
  const client = await connectSilently(port)
  const { promise, resolve } = Promise.withResolvers<void>()
  signIn = async (code) => {
    await promise
    return { code }
  }
  client.sendBytes(Buffer.concat([connect, publish, subscribe('d')].map((packet) => generate(packet))))
  client.send({ ...publish, messageId: 9 } as Packet)
  const other = await connectSilently(port)
  other.send({ cmd: 'pingreq' })
  await other.closed()
  expect(told).toEqual([])
  resolve()
  await eventually(() =>
    expect(client.received.map(({ cmd }) => cmd).sort()).toEqual(['connack', 'puback', 'puback', 'suback']),
  )
  expect(client.received[0]?.cmd).toBe('connack')
  expect(told).toEqual(['a connects', 'a publishes t x', 'a subscribes', 'a publishes t x'])
})

test('a second connection under the same name ends the first, whose will is published', async () => {
  const first = await connectDevice(port, as('a'), { will })
  const second = await connectDevice(port, as('a'))
  await first.closed()
  expect(told).toEqual(['a connects', 'a publishes gone wéll', 'a goes false', 'a connects'])
  expect(await second.publish('t', 'y')).toBe(true)
  expect(broker.connectionCount).toBe(1)
})

test('a will is not published after DISCONNECT', async () => {
  const client = await connectDevice(port, as('a'), { will })
  await client.disconnect()
  await eventually(() => expect(told).toEqual(['a connects', 'a goes true']))
})

test('of a session that is kept the subscriptions are there at the next connection, until one is clean', async () => {
  const first = await connectDevice(port, as('a'), { clean: false })
  first.send(subscribe('d', 'e'))
  expect((await first.next('suback'))?.granted).toEqual([1, 1])
  first.send({ cmd: 'unsubscribe', messageId: 9, unsubscriptions: ['e'] })
  expect((await first.next('unsuback'))?.messageId).toBe(9)
  await first.disconnect()
  told.length = 0
  const second = await connectRaw(port, as('a'), { clean: false })
  await eventually(() => expect(told).toEqual(['a connects', 'a subscribes']))
  expect([peers.get('a')?.isSubscribed('d'), peers.get('a')?.isSubscribed('e')]).toEqual([true, false])
  await second.client.disconnect()
  await connectDevice(port, as('a'))
  expect(peers.get('a')?.isSubscribed('d')).toBe(false)
  await (await connectDevice(port, as('a'), { clean: false })).disconnect()
  expect(peers.get('a')?.isSubscribed('d')).toBe(false)
})

test('a filter that the device may not have is answered with 128, and so is one too many', async () => {
  const client = await connectDevice(port, as('a'))
  client.send(subscribe('d', 'other', 'd'))
  expect((await client.next('suback'))?.granted).toEqual([1, 128, 1])
  client.send(subscribe(...Array.from({ length: 32 }, (_, n) => `f${n}`)))
  const granted = (await client.next('suback'))?.granted ?? []
  expect([granted.length, granted.filter((one) => one === 128)]).toEqual([32, [128]])
  expect(told).toEqual([
    'a connects',
    'a may not have other null',
    'a subscribes',
    'a may not have f31 32',
    'a subscribes',
  ])
})

test('a message to the device has the QoS that it has subscribed with, and its PUBACK comes back', async () => {
  const client = await connectDevice(port, as('a'))
  client.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'd/#', qos: 2 }] })
  await client.next('suback')
  let acknowledged = 0
  const peer = peers.get('a') as Peer<Identity>
  peer.publish({ topic: 'd/1', payload: Buffer.from('z') }, () => {
    acknowledged += 1
  })
  peer.publish({ topic: 'elsewhere', payload: Buffer.from('z') }, () => {})
  const message = await client.next('publish')
  expect(message).toMatchObject({ topic: 'd/1', qos: 1 })
  expect(peer.unacknowledgedCount).toBe(1)
  client.send({ cmd: 'puback', messageId: message?.messageId })
  await eventually(() => expect([acknowledged, peer.unacknowledgedCount]).toEqual([1, 0]))
  client.send({ cmd: 'subscribe', messageId: 2, subscriptions: [{ topic: 'd/#', qos: 0 }] })
  await client.next('suback')
  peer.publish({ topic: 'd/2', payload: Buffer.from('z') }, () => {})
  expect(await client.next('publish')).toMatchObject({ topic: 'd/2', qos: 0 })
})

test('a device that is silent for longer than one and a half times its keepalive is given up', async () => {
  const talker = await connectDevice(port, as('b'), { keepalive: 1 })
  const client = await connectDevice(port, as('a'), { keepalive: 1 })
  const timer = setInterval(() => talker.send({ cmd: 'pingreq' }), 200)
  await client.closed()
  expect(told).toContain('a goes false')
  expect(told).not.toContain('b goes false')
  clearInterval(timer)
})

test('a sign-in that is refused gets its return code, and the connection ends', async () => {
  signIn = async () => 'wrongCredentials'
  const { client, returnCode } = await connectRaw(port, as('a'))
  expect(returnCode).toBe(4)
  await client.closed()
  signIn = async () => {
    throw new Error('no database')
  }
  expect((await connectRaw(port, as('a'))).returnCode).toBe(3)
  expect((await connectRaw(port, as('a'), { protocolVersion: 5 })).returnCode).toBe(1)
  await eventually(() => expect([broker.openCount, broker.connectionCount]).toEqual([0, 0]))
  expect(told).toEqual([])
})

test.each<[string, Buffer]>([
  ['a second CONNECT', generate(connect)],
  ['a PUBLISH whose topic is longer than itself', Buffer.from([0x32, 4, 0, 9, 0x74, 0])],
  ['a PUBLISH of QoS 3', Buffer.from([0x36, 5, 0, 1, 0x74, 0, 7])],
  ['a PUBLISH to a filter', generate({ ...publish, topic: 't/#' } as Packet).fill('#', 4, 5)],
  ['a PUBACK without an id', Buffer.from([0x40, 1, 0])],
  ['a PUBREL with wrong flags', Buffer.from([0x60, 2, 0, 7])],
  ['a SUBSCRIBE without a filter', Buffer.from([0x82, 2, 0, 7])],
  ['a SUBSCRIBE with # in the midst', generate(subscribe('d/#/e'))],
  ['a SUBSCRIBE with nine levels', generate(subscribe('1/2/3/4/5/6/7/8/9'))],
  ['an UNSUBSCRIBE that ends within a filter', Buffer.from([0xa2, 5, 0, 7, 0, 9, 0x64])],
  ['a SUBACK', Buffer.from([0x90, 3, 0, 7, 0])],
  ['a packet of no kind', Buffer.from([0xf0, 0])],
  ['a length of five bytes', Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff, 1])],
])('%s ends the connection, and no other', async (_name, bytes) => {
  const other = await connectDevice(port, as('b'))
  const client = await connectDevice(port, as('a'))
  client.sendBytes(bytes)
  await client.closed()
  await eventually(() => expect(told.at(-1)).toBe('a goes false'))
  expect(await other.publish('t', 'x')).toBe(true)
})
