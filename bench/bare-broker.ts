import { type Broker, createBroker } from '../apps/server/src/platform/devices/mqtt/broker.ts'
import { ConnectionLimiter } from '../apps/server/src/platform/devices/mqtt/connection-limiter.ts'
import type { Peer } from '../apps/server/src/platform/devices/mqtt/peer.ts'
import { createLog } from '../apps/server/src/platform/process/log.ts'

export const barePort = 18_795

/** The broker without the rest of the server, for comparison with commands. */
export async function startBareBroker(): Promise<{
  broker: Broker
  /**
   * Messages per second: a number of messages of a size in bytes, published to the connected devices and acknowledged
   * by them.
   */
  measure(messageCount: number, bytes: number): Promise<number>
}> {
  const peers = new Set<Peer<{ code: string }>>()
  const broker = createBroker<{ code: string }>({
    host: '127.0.0.1',
    port: barePort,
    log: createLog({ level: 'warn' }),
    limiter: new ConnectionLimiter({
      inAll: 20_000,
      strangers: 20_000,
      strangersPerAddress: 20_000,
      perAddress: null,
      met: () => {},
    }),
    packetLimitBytes: 1_000_000,
    waitingLimitBytes: 1_000_000_000,
    authenticate: async ({ clientId }) => ({ code: clientId }),
    publish: (_peer, _message, done) => done(),
    received: () => 0,
    maySubscribe: () => true,
    subscriptionRefused() {},
    connected() {},
    subscribed: (peer) => peers.add(peer),
    disconnected: (peer) => peers.delete(peer),
    cutOff() {},
  })
  await broker.listen()
  const measure = (messageCount: number, bytes: number) =>
    new Promise<number>((resolve) => {
      // No command has an empty id: devices acknowledge and ignore the message.
      const payload = Buffer.from(JSON.stringify({ id: '', advertisementId: '12' }).padEnd(bytes))
      const startedAt = performance.now()
      let sent = 0
      let acknowledged = 0
      const send = (peer: Peer<{ code: string }>) => {
        if (sent >= messageCount) return
        sent += 1
        const topic = `voltkeep/${peer.identity.code}/down/withdraw`
        peer.publish({ topic, payload }, () => {
          acknowledged += 1
          if (acknowledged === messageCount) resolve(messageCount / ((performance.now() - startedAt) / 1000))
          else send(peer)
        })
      }
      for (const peer of peers) send(peer)
    })
  return { broker, measure }
}
