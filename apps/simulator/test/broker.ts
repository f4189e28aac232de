import { type AddressInfo, createServer } from 'node:net'
import { parseTopic, topicOf, type UpTopicName } from '@voltkeep/contract/topics/index'
import { Aedes, type AuthenticateError } from 'aedes'

/** A broker without the rest of the server, so that tests check what the device itself sends. */
export async function startBroker() {
  const received: { clientId: string; topic: string; payload: string }[] = []
  let isHoldingAcks = false
  const broker = await Aedes.createBroker({
    authenticate: (_client, _name, password, done) => {
      const isRight = password?.toString() === 'right'
      done(isRight ? null : (Object.assign(new Error('no'), { returnCode: 4 }) as AuthenticateError), isRight)
    },
    authorizePublish: (client, packet, done) => {
      received.push({ clientId: client?.id ?? '', topic: packet.topic, payload: String(packet.payload) })
      if (!isHoldingAcks) done(null)
    },
  })
  let subscriptions = 0
  broker.on('subscribe', () => {
    subscriptions += 1
  })
  const server = createServer(broker.handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    received,
    broker,
    /** Runs an action that makes a device connect, and waits until the device has subscribed to its commands. */
    reconnected: async (act: () => unknown) => {
      const before = subscriptions
      await act()
      while (subscriptions === before) await new Promise((resolve) => setTimeout(resolve, 5))
    },
    address: { host: '127.0.0.1', port: (server.address() as AddressInfo).port, isTls: false },
    holdAcks: (value: boolean) => {
      isHoldingAcks = value
    },
    of: (name: UpTopicName) =>
      received
        .filter(({ topic }) => parseTopic(topic)?.name === name)
        .map(({ payload }) => JSON.parse(payload)),
    /** Publishes on a down topic; resolves when the broker has accepted it. */
    send: (deviceCode: string, name: string, body: object | string) =>
      new Promise<void>((resolve, reject) => {
        const packet = {
          cmd: 'publish' as const,
          topic: topicOf(deviceCode, 'down', name),
          payload: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
          qos: 1 as const,
          dup: false,
          retain: false,
        }
        broker.publish(packet, (error) => (error ? reject(error) : resolve()))
      }),
    close: async () => {
      await new Promise<void>((resolve) => broker.close(() => resolve()))
      server.close()
    },
  }
}

export type TestBroker = Awaited<ReturnType<typeof startBroker>>
