// What aedes-internals.ts uses of aedes beyond its declared interface: a release that changes one of these fails here,
// by its name.
import { type Duplex, duplexPair } from 'node:stream'
import type { Client } from 'aedes'
import { generate, type Packet } from 'mqtt-packet'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../../../../test/eventually.ts'
import { type ClientInternals, DeviceBroker, internals } from './aedes-internals.ts'

let broker: DeviceBroker
let device: Duplex
let client: Client
let own: ClientInternals
beforeEach(async () => {
  broker = new DeviceBroker()
  await broker.listen()
  const [near, far] = duplexPair()
  device = near
  device.resume()
  client = broker.handle(far as never)
  own = internals(client)
})
afterEach(() => new Promise<void>((closed) => broker.close(() => closed())))

const send = (packet: Packet) => device.write(generate(packet))
async function connect(): Promise<void> {
  send({ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clientId: 'a', clean: true, keepalive: 60 })
  await eventually(() => expect(own.connackSent).toBe(true))
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

test('connackSent, _keepaliveTimer and _disconnected tell where the connection is', async () => {
  expect([own.connackSent, own._keepaliveTimer, own._disconnected]).toEqual([false, null, false])
  await connect()
  expect(own._keepaliveTimer?.refresh).toBeTypeOf('function')
  send({ cmd: 'disconnect' })
  await eventually(() => expect(own._disconnected).toBe(true))
})

test('subscriptions has the granted QoS of each filter', async () => {
  await connect()
  send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'a/b', qos: 1 }] })
  await eventually(() => expect(own.subscriptions['a/b']?.qos).toBe(1))
})

test('what comes goes to _parser.parse, which emits each packet with its length', async () => {
  const parsed: Buffer[] = []
  const { _parser: parser } = own
  const { parse } = parser
  parser.parse = (bytes) => {
    parsed.push(bytes)
    return parse.call(parser, bytes)
  }
  const lengths: (number | undefined)[] = []
  parser.prependListener('packet', ({ length }) => lengths.push(length))
  await connect()
  send(publish)
  await eventually(() => expect(lengths).toHaveLength(2))
  expect(lengths[1]).toBe(6)
  expect(Buffer.concat(parsed).subarray(-8)).toEqual(generate(publish))
})

test('_parsingBatch counts what is not answered, and _nextBatch reads on when nothing is left', async () => {
  const answers: (() => void)[] = []
  broker.authorizePublish = (_client, _packet, done) => void answers.push(() => done(null))
  await connect()
  await eventually(() => expect(own._parsingBatch).toBe(0))
  // A socket that becomes readable counts as one answer.
  own._parsingBatch += 2
  send(publish)
  await eventually(() => expect(own._parsingBatch).toBe(1))
  expect(answers).toEqual([])
  own._nextBatch()
  await eventually(() => expect([answers.length, own._parsingBatch]).toEqual([1, 1]))
})

test('_parser._emitError ends the connection', () => {
  own._parser._emitError(new Error('packet too large'))
  expect(client.closed).toBe(true)
})
