/**
 * All use of aedes beyond its declared interface. The lock file pins the version; aedes-internals.test.ts fails where a
 * release has changed one of these, and broker.mqtt.test.ts proves their use through a socket.
 */
import { Aedes, type Client, type PublishPacket } from 'aedes'
import type { Packet } from 'mqtt-packet'
import { type HeaderRule, PacketHeaders } from './packet-headers.ts'

export interface ClientInternals {
  _disconnected: boolean
  connackSent: boolean
  subscriptions: Record<string, { qos: number }>
  _keepaliveTimer: NodeJS.Timeout | null
  _parser: ParserInternals
  /** Packets that are not answered yet; its socket is read when there are none. */
  _parsingBatch: number
  /** Counts one packet as answered, and reads on after the last one. An error ends the connection. */
  _nextBatch(error?: Error | null): void
}

interface ParserInternals {
  on(event: 'packet', listener: (packet: Packet) => void): void
  prependListener(event: 'packet', listener: (packet: Packet) => void): void
  parse(bytes: Buffer): number
  _emitError(error: Error): void
}

export const internals = (client: Client) => client as unknown as ClientInternals

type Done = (error?: Error) => void

/**
 * aedes without forwarding of what clients publish. Its routing, retained messages and queues for offline
 * clients would cost as much as the rest of a message's path, and no client may receive a device's messages.
 */
export class DeviceBroker extends Aedes {
  override publish(packet: PublishPacket, ...rest: [Client | Done | undefined, Done?]): void {
    const [first, done] = rest
    if (first && typeof first !== 'function') {
      done?.()
      return
    }
    super.publish(packet, (first ?? done ?? (() => {})) as Done)
  }
}

/**
 * A message of a client, a last will too. Makes aedes treat it as of QoS 0, so that it neither acknowledges nor keeps it:
 * of QoS 2 it would keep each message until its PUBREL, in sessions that persist beyond the connection.
 */
export function takeOver(packet: PublishPacket): Published {
  const { topic, messageId } = packet
  // The packet of a last will has no id.
  const qos = messageId === undefined ? 0 : packet.qos
  packet.qos = 0
  return { topic, payload: packet.payload as Buffer, qos, packetId: messageId ?? 0 }
}

/** True when the client ended its connection with DISCONNECT. */
export const saidGoodbye = (client: Client): boolean => internals(client)._disconnected

/** Restarts the keepalive timer of a client whose socket is paused: its PINGREQ cannot be read. */
export function refreshKeepalive(client: Client): void {
  internals(client)._keepaliveTimer?.refresh()
}

/** A PUBLISH; the id is 0 where the QoS is. */
export interface Published {
  topic: string
  payload: Buffer
  qos: 0 | 1 | 2
  packetId: number
}

export interface PacketRules {
  /** The parser would gather 256 MB of one packet before any callback runs, from strangers too. */
  refuses: HeaderRule
  /** A packet is whole, and will be handled. */
  taken(bodyBytes: number): void
}

/** Looks at the bytes of a connection before aedes' parser does. */
export function guardPackets(client: Client, { refuses, taken }: PacketRules): void {
  const own = internals(client)
  const parser = own._parser
  const parse = parser.parse
  const headers = new PacketHeaders(refuses)
  parser.prependListener('packet', ({ length = 0 }) => taken(length))
  parser.parse = (bytes) => {
    const reason = headers.take(bytes)
    if (reason !== undefined) {
      parser._emitError(new Error(reason))
      return 0
    }
    if (!own.connackSent) return parse.call(parser, bytes)
    // Counts as a packet, so that answering one of these at once does not resume reading before all are handled.
    own._parsingBatch += 1
    parse.call(parser, bytes)
    if (!client.closed) own._nextBatch()
    return 0
  }
}

/**
 * Calls back with the packet id of each packet of this kind from the client. aedes tells of a PUBACK only where it
 * has kept the message itself, which it does for sessions that persist: in memory, without a limit, and gone with
 * the process.
 */
export function onPacket(
  client: Client,
  kind: 'puback' | 'pubrel',
  received: (packetId: number) => void,
): void {
  internals(client)._parser.on('packet', (packet) => {
    if (packet.cmd === kind && packet.messageId !== undefined) received(packet.messageId)
  })
}

/** What the client has subscribed to, by filter; also what aedes kept of an earlier connection of its session. */
export const subscriptionsOf = (client: Client): Record<string, { qos: number }> =>
  internals(client).subscriptions
