import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { generate, type Packet, parser } from 'mqtt-packet'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { eventually } from '../../../../test/eventually.ts'
import { createLog } from '../../process/log.ts'
import { createSubscriber, type Subscriber } from './subscriber.ts'

const waitingLimitBytes = 1_000_000
const payload = Buffer.alloc(10_000, 'x')

/** A broker that sends on each connection as fast as its socket accepts. */
let broker: Server
let subscriber: Subscriber
let links: Socket[]
let acknowledged: Packet[]
let waiting: (() => void)[]
/** Messages of the session that it sends before the SUBACK. */
let early: number
beforeEach(async () => {
  links = []
  acknowledged = []
  waiting = []
  early = 0
  broker = createServer((socket) => {
    const reading = parser({ protocolVersion: 4 })
    let messageId = 0
    const send = () => {
      while (socket.writable && messageId < 60_000) {
        messageId += 1
        const packet = {
          cmd: 'publish',
          topic: 't',
          payload,
          qos: 1,
          messageId,
          dup: false,
          retain: false,
        } as const
        if (!socket.write(generate(packet))) return
      }
    }
    reading.on('packet', (packet) => {
      if (packet.cmd === 'connect')
        socket.write(generate({ cmd: 'connack', returnCode: 0, sessionPresent: false }))
      if (packet.cmd === 'puback') acknowledged.push(packet)
      if (packet.cmd !== 'subscribe') return
      for (let messageId = 1; messageId <= early; messageId += 1)
        socket.write(
          generate({ cmd: 'publish', topic: 't', payload, qos: 1, messageId, dup: false, retain: false }),
        )
      socket.write(generate({ cmd: 'suback', messageId: packet.messageId as number, granted: [1] }))
      links.push(socket)
      socket.on('drain', send)
      send()
    })
    socket.on('data', (bytes) => reading.parse(bytes))
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => broker.listen(0, '127.0.0.1', resolve))
  subscriber = createSubscriber({
    url: `mqtt://127.0.0.1:${(broker.address() as AddressInfo).port}`,
    clientId: 'test',
    topicFilter: 't',
    log: createLog({ level: 'silent' }),
    waitingLimitBytes,
    receive: (_message, done) => waiting.push(done),
  })
  subscriber.start()
})
afterEach(async () => {
  await subscriber.close()
  for (const link of links) link.destroy()
  await new Promise((resolve) => broker.close(resolve))
})

/** A paused connection notices its end by writing, e.g. an acknowledgement. */
const connected = (count: number) =>
  vi.waitFor(
    () => {
      waiting.pop()?.()
      expect(links).toHaveLength(count)
    },
    { timeout: 10_000, interval: 200 },
  )
/** The count once nothing more arrives. */
async function stableCount(): Promise<number> {
  for (let before = -1; ; ) {
    await delay(50)
    if (waiting.length === before && before > 0) return before
    before = waiting.length
  }
}

test('waiting messages are counted across all connections, and reading resumes on the one that is open', async () => {
  await connected(1)
  const first = await stableCount()
  expect(first * payload.length).toBeLessThan(waitingLimitBytes * 1.5)
  for (let times = 2; times <= 3; times += 1) {
    links.at(-1)?.destroy()
    await connected(times)
  }
  // Each new connection may add what a socket reads at once.
  expect(((await stableCount()) - first) * payload.length).toBeLessThan(waitingLimitBytes / 2)

  const acknowledgedBefore = acknowledged.length
  for (const done of waiting.splice(0)) done()
  expect(await stableCount()).toBeGreaterThan(0)
  // Acknowledgements of former connections are dropped: packet ids belong to a connection.
  expect((acknowledged.length - acknowledgedBefore) * payload.length).toBeLessThan(waitingLimitBytes / 2)
})

test('messages of the session that fill the limit before the SUBACK do not break the connection', async () => {
  early = 150
  await eventually(() => expect(links).toHaveLength(1))
  await stableCount()
  expect(subscriber.isConnected).toBe(true)
  links.at(-1)?.destroy()
  await connected(2)
  await eventually(() => expect(subscriber.isConnected).toBe(true))
})
