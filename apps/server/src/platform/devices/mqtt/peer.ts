import type { Client } from 'aedes'
import { generate } from 'mqtt-packet'
import { onPacket, subscriptionsOf } from './aedes-internals.ts'
import { covers } from './filters.ts'
import { type Message, OutgoingMessages } from './outgoing.ts'

/** One connection of a client that has signed in as `Identity`. */
export interface Peer<Identity> {
  readonly identity: Identity
  readonly address: string
  /** Whether it has subscribed to the topic. Nothing is published to a client that has not. */
  isSubscribed(topic: string): boolean
  /** Its topic filters in one text: while that stays the same, so does what it has subscribed to. */
  readonly filters: string
  /** Messages published with QoS 1 that it has not acknowledged. */
  readonly unacknowledgedCount: number
  /** So many sent bytes were not read by it that nothing more should be sent. */
  readonly isBehind: boolean
  /**
   * Publishes to this client alone, with the QoS that it has subscribed with, 1 at most. `acknowledged` is called
   * with its PUBACK; never where the connection ends first or the QoS is 0.
   */
  publish(message: Message, acknowledged: () => void): void
  close(): void
}

/** Unsent bytes of one connection. */
const behindBytes = 131_072

/**
 * Publishing does not use aedes' `client.publish`. For a session that persists, aedes keeps the messages in memory and
 * repeats them, beside the caller, who does the same; for other sessions it does not tell which PUBACK belongs to which
 * message.
 */
export function createPeer<Identity>(client: Client, identity: Identity, address: string): Peer<Identity> {
  // Made with the first message: most connections never get one.
  let outgoing: OutgoingMessages | undefined

  /** The highest QoS that a subscription to the topic was granted; undefined where there is none. */
  function grantedQos(topic: string): number | undefined {
    const subscriptions = subscriptionsOf(client)
    let most: number | undefined
    for (const filter in subscriptions) {
      const qos = subscriptions[filter]?.qos ?? 0
      if ((most === undefined || qos > most) && covers(filter, topic)) most = qos
    }
    return most
  }

  function startOutgoing(): OutgoingMessages {
    const messages = new OutgoingMessages()
    onPacket(client, 'puback', (packetId) => messages.acknowledge(packetId))
    return messages
  }

  return {
    identity,
    address,
    isSubscribed: (topic) => !client.closed && grantedQos(topic) !== undefined,
    get filters() {
      let filters = ''
      if (!client.closed) for (const filter in subscriptionsOf(client)) filters += `${filter}\n`
      return filters
    },
    get unacknowledgedCount() {
      return outgoing?.count ?? 0
    },
    get isBehind() {
      return client.conn.writableLength > behindBytes
    },
    publish({ topic, payload }, acknowledged) {
      const granted = grantedQos(topic)
      if (client.closed || granted === undefined) return
      if (granted === 0) {
        client.conn.write(generate({ cmd: 'publish', topic, payload, qos: 0, dup: false, retain: false }))
        return
      }
      outgoing ??= startOutgoing()
      client.conn.write(outgoing.packetOf({ topic, payload }, acknowledged))
    },
    close: () => client.close(),
  }
}
