import { generate } from 'mqtt-packet'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../../../../test/eventually.ts'
import { keptBytes } from '../../../../test/memory.ts'
import { connectDevice, connectSilently, type RawClient } from '../../../../test/mqtt-client.ts'
import { createLog } from '../../process/log.ts'
import { type Answer, type Broker, createBroker } from './broker.ts'
import { ConnectionLimiter } from './connection-limiter.ts'
import type { Message } from './outgoing.ts'

const waitingLimitBytes = 100_000
const readAtMostBytes = 3_500
const limits = { inAll: 60, strangers: 50, strangersPerAddress: 50, perAddress: null }

let broker: Broker
let port: number
let waiting: { message: Message; done: (answer?: Answer) => void }[]
let areAnswersDelayed: boolean
let takenCount: number
let met: Set<string>
beforeEach(async () => {
  waiting = []
  areAnswersDelayed = true
  takenCount = 0
  met = new Set()
  broker = createBroker<{ clientId: string }>({
    host: '127.0.0.1',
    port: 0,
    log: createLog({ level: 'silent' }),
    limiter: new ConnectionLimiter({ ...limits, met: (limit) => met.add(limit) }),
    packetLimitBytes: 50_000,
    waitingLimitBytes,
    authenticate: async ({ clientId }) => ({ clientId }),
    publish(_peer, message, done) {
      takenCount += 1
      if (areAnswersDelayed) waiting.push({ message, done })
      else done()
    },
    readAtMostBytes,
    received: (_peer, sizeBytes) => (sizeBytes > 2_000 && sizeBytes < 2_100 ? 300 : 0),
    maySubscribe: () => true,
    subscriptionRefused: () => {},
    subscribed: () => {},
    connected: () => {},
    disconnected: () => {},
    cutOff: () => {},
  })
  port = (await broker.listen()).port ?? 0
})
afterEach(() => broker.close())

const as = (code: string) => ({ code, secret: '' })
const publishMany = (client: RawClient, count: number) =>
  Promise.all(Array.from({ length: count }, () => client.publish('t', 'x'.repeat(1_000))))
function release(): void {
  areAnswersDelayed = false
  for (const { done } of waiting.splice(0)) done()
}

test('a client whose messages wait is not read any further', async () => {
  const client = await connectDevice(port, as('a'))
  const answers = publishMany(client, 300)
  await eventually(() => expect(waiting.length).toBeGreaterThan(0))
  // A PINGREQ follows everything that was sent: if the socket were read, it would be answered.
  client.send({ cmd: 'pingreq' })
  const other = await connectDevice(port, as('b'))
  other.send({ cmd: 'pingreq' })
  await other.next('pingresp')
  expect(client.received).toEqual([])
  expect(waiting.length).toBeLessThan(300)
  release()
  expect((await answers).every(Boolean)).toBe(true)
  expect(takenCount).toBe(300)
})

test('when too much waits nobody is read, and all continue when it is done', async () => {
  const clients = await Promise.all(Array.from({ length: 40 }, (_, n) => connectDevice(port, as(`c${n}`))))
  const answers = clients.map((client) => publishMany(client, 20))
  await eventually(() => expect(takenCount).toBeGreaterThan(60))
  const late = await connectDevice(port, as('late'))
  const lateAnswers = publishMany(late, 10)
  // Beyond the limit is only what sockets had already delivered.
  expect(waiting.length * 1_500).toBeLessThan(waitingLimitBytes * 8)
  expect(waiting.length).toBeLessThan(810)
  release()
  expect((await Promise.all([...answers, lateAnswers])).flat().every(Boolean)).toBe(true)
  expect(takenCount).toBe(810)
})

test('the messages that a client sends at once are read in chunks, with other clients in between', async () => {
  const flood = await connectDevice(port, as('a'))
  const payload = 'x'.repeat(50)
  const packet = generate({ cmd: 'publish', topic: 'flood', payload, qos: 0, dup: false, retain: false })
  flood.sendBytes(Buffer.concat(Array.from({ length: 150 }, () => packet)))
  await eventually(() => expect(waiting.length).toBeGreaterThan(0))
  const other = await connectDevice(port, as('b'))
  const answer = other.publish('other', 'x')
  await eventually(() => expect(waiting.some(({ message }) => message.topic === 'other')).toBe(true))
  expect(waiting.length).toBeLessThan(140)
  release()
  expect(await answer).toBe(true)
  await eventually(() => expect(takenCount).toBe(151))
})

test('a packet larger than a chunk arrives whole', async () => {
  areAnswersDelayed = false
  const client = await connectDevice(port, as('a'))
  expect(await client.publish('t', 'x'.repeat(49_000))).toBe(true)
  expect(await client.publish('t', 'y')).toBe(true)
  expect(takenCount).toBe(2)
})

test('a message is acknowledged with its own id, in any order', async () => {
  const client = await connectDevice(port, as('a'))
  const answers = publishMany(client, 3)
  await eventually(() => expect(waiting).toHaveLength(3))
  const [first, second, third] = waiting
  third?.done()
  await eventually(() => expect(client.received).toMatchObject([{ cmd: 'puback', messageId: 3 }]))
  second?.done()
  first?.done()
  expect(await answers).toEqual([true, true, true])
})

test('a refused message closes the connection without a PUBACK', async () => {
  const client = await connectDevice(port, as('a'))
  const answer = client.publish('t', 'x')
  await eventually(() => expect(waiting).toHaveLength(1))
  waiting[0]?.done('refused')
  expect(await answer).toBe(false)
})

test('a last will is handled like any message', async () => {
  const client = await connectDevice(port, as('a'), {
    will: { topic: 'gone', payload: Buffer.from('away'), qos: 1, retain: false },
  })
  client.breakOff()
  await eventually(() => expect(waiting).toHaveLength(1))
  const [will] = waiting
  expect([will?.message.topic, will?.message.payload.toString()]).toEqual(['gone', 'away'])
  release()
})

test('a message left unacknowledged gets no PUBACK, and the connection continues', async () => {
  const client = await connectDevice(port, as('a'))
  let isAnswered = false
  void client.publish('t', 'one').then(() => {
    isAnswered = true
  })
  await eventually(() => expect(waiting).toHaveLength(1))
  waiting.shift()?.done('unacknowledged')
  release()
  expect(await client.publish('t', 'two')).toBeTruthy()
  expect(isAnswered).toBe(false)
})

const exactlyOnce = (messageId: number, payload: string | Buffer, dup = false) =>
  ({ cmd: 'publish', topic: 't', payload, qos: 2, messageId, dup, retain: false }) as const

test('a QoS 2 message is passed on once, and its id is free again after the PUBREL', async () => {
  const client = await connectDevice(port, as('a'))
  client.sendBytes(Buffer.concat([generate(exactlyOnce(7, 'one')), generate(exactlyOnce(7, 'one', true))]))
  await eventually(() => expect(waiting).toHaveLength(1))
  release()
  expect((await client.next('pubrec'))?.messageId).toBe(7)
  client.send(exactlyOnce(7, 'one', true))
  expect((await client.next('pubrec'))?.messageId).toBe(7)
  expect(takenCount).toBe(1)
  client.send({ cmd: 'pubrel', messageId: 7 })
  expect((await client.next('pubcomp'))?.messageId).toBe(7)
  client.send(exactlyOnce(7, 'two'))
  expect((await client.next('pubrec'))?.messageId).toBe(7)
  expect(takenCount).toBe(2)
})

test('unreleased QoS 2 messages of persistent sessions take no memory', async () => {
  areAnswersDelayed = false
  const before = keptBytes()
  for (let round = 0; round < 10; round += 1) {
    const client = await connectDevice(port, as('a'), { clean: false })
    for (let n = 1; n <= 60; n += 1) {
      client.send(exactlyOnce(round * 60 + n, Buffer.alloc(45_000)))
      expect(await client.next('pubrec')).not.toBeNull()
    }
    await client.disconnect()
  }
  expect(takenCount).toBe(600)
  // 27 MB were sent.
  expect(keptBytes() - before).toBeLessThan(8_000_000)
})

test('a client that does not release its QoS 2 messages is disconnected', async () => {
  areAnswersDelayed = false
  const client = await connectDevice(port, as('a'))
  for (let n = 1; n <= 1_001; n += 1) client.send(exactlyOnce(n, 'x'))
  await client.closed()
  expect(takenCount).toBe(1_000)
})

test('before sign-in only a CONNECT of at most a kilobyte is buffered', async () => {
  const other = await connectSilently(port)
  // PUBLISH, announcing 100 bytes.
  other.sendBytes(Buffer.from([0x30, 100, 0]))
  await other.closed()
  const large = await connectSilently(port)
  // CONNECT, announcing 1,025 bytes.
  large.sendBytes(Buffer.from([0x10, 0x81, 0x08, 0]))
  await large.closed()
  const will = {
    topic: `voltkeep/${'x'.repeat(32)}/up/connection`,
    payload: Buffer.alloc(300),
    qos: 1,
  } as const
  await connectDevice(
    port,
    { code: 'x'.repeat(32), secret: 'x'.repeat(32) },
    { will: { ...will, retain: false } },
  )
})

test('a filter longer than any topic of a device is refused', async () => {
  const client = await connectDevice(port, as('a'))
  const subscriptions = ['x'.repeat(256), 'x'.repeat(257)].map((topic) => ({ topic, qos: 1 as const }))
  client.send({ cmd: 'subscribe', messageId: 1, subscriptions })
  expect((await client.next('suback'))?.granted).toEqual([1, 128])
})

test.each(['subscribe', 'unsubscribe'] as const)(
  'a %s with more filters than anybody needs ends the connection',
  async (cmd) => {
    const filters = (count: number) => Array.from({ length: count }, (_, n) => `x${n}`)
    const send = async (count: number) => {
      const client = await connectDevice(port, as('a'))
      if (cmd === 'unsubscribe') client.send({ cmd, messageId: 1, unsubscriptions: filters(count) })
      else
        client.send({
          cmd,
          messageId: 1,
          subscriptions: filters(count).map((topic) => ({ topic, qos: 1 as const })),
        })
      return client
    }
    expect(await (await send(64)).next(cmd === 'subscribe' ? 'suback' : 'unsuback')).not.toBeNull()
    await (await send(65)).closed()
  },
)

test('a device gets in although the maximum number of silent connections is open', async () => {
  const silent = await Promise.all(Array.from({ length: 50 }, () => connectSilently(port)))
  await eventually(() => expect(broker.openCount).toBe(50))
  // A device that is refused before the silent connections time out has to try again.
  await eventually(async () => {
    const client = await connectDevice(port, as('a'))
    client.send({ cmd: 'pingreq' })
    expect(await client.next('pingresp')).not.toBeNull()
  })
  expect(silent.filter(({ isClosed }) => isClosed).length).toBeGreaterThan(0)
  expect([...met]).toEqual(['strangersPerAddress'])
  expect(broker.openCount).toBeLessThanOrEqual(51)
  for (const client of silent) client.breakOff()
  await eventually(() => expect(broker.openCount).toBe(broker.connectionCount))
})

test('a paused connection is not read while others are, and then continues', async () => {
  areAnswersDelayed = false
  const client = await connectDevice(port, as('a'))
  // This test's meter pauses a connection after 2,000 bytes.
  client.send({ cmd: 'publish', topic: 't', payload: 'x'.repeat(2_000), qos: 0, dup: false, retain: false })
  await eventually(() => expect(takenCount).toBe(1))
  const paused = client.publish('t', 'late')
  const other = await connectDevice(port, as('b'))
  expect(await other.publish('t', 'meanwhile')).toBe(true)
  expect(client.received).toEqual([])
  expect(await paused).toBe(true)
})
