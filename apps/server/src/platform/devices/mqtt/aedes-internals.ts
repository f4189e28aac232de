/**
 * All use of aedes beyond its declared interface. The lock file pins the version; aedes-internals.test.ts names what a
 * release has changed, and broker.mqtt.test.ts proves each use through a socket.
 */
import { Aedes, type Client, type PublishPacket } from 'aedes'
import type { Packet } from 'mqtt-packet'
import { Packets } from './packets.ts'

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
 * A message that aedes has parsed: a last will, or what came before the CONNACK. Makes aedes treat it as of QoS 0, so
 * that it neither acknowledges nor keeps it: of QoS 2 it would keep each message until its PUBREL, in sessions that
 * persist beyond the connection.
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

/** The first four bits of a packet. */
export const packetKinds = { connect: 1, publish: 3 } as const

/** A PUBLISH; the id is 0 where the QoS is. */
export interface Published {
  topic: string
  payload: Buffer
  qos: 0 | 1 | 2
  packetId: number
}

export interface PacketRules {
  /**
   * Called with the first four bits of a packet and the length in its header, before the packet is whole: the reason to
   * end the connection, or undefined. aedes' parser would gather 256 MB before any callback runs, from strangers too.
   */
  refuses(kind: number, sizeBytes: number): string | undefined
  /** A packet is whole. */
  taken(sizeBytes: number): void
  /** A client with a CONNACK has published. The connection is not read before `answered`; an error ends it. */
  published(message: Published, answered: (error: Error | null) => void): void
}

/**
 * Reads packets in front of aedes' parser, and PUBLISH in its place: the parser makes a Buffer of each number it reads,
 * and a message then goes through five more callbacks. From the socket to the PUBACK, without the database, a message
 * cost the server 9.3 µs that way and costs 6.3 this way. Every other packet, a malformed PUBLISH too, still goes to
 * the parser.
 */
export function receivePackets(client: Client, { refuses, taken, published }: PacketRules): void {
  const own = internals(client)
  const parser = own._parser
  const parse = parser.parse
  const answered = own._nextBatch
  const packets = new Packets({
    accepts(firstByte, bodyBytes) {
      const reason = refuses(firstByte >> 4, bodyBytes)
      if (reason !== undefined) parser._emitError(new Error(reason))
      return reason === undefined
    },
    packet(bytes, at, bodyAt, end) {
      if (client.closed) return
      taken(end - bodyAt)
      const message = own.connackSent ? publishedIn(bytes, at, bodyAt, end) : undefined
      if (message) {
        own._parsingBatch += 1
        published(message, answered)
      } else {
        parse.call(parser, bytes.subarray(at, end))
      }
    },
    malformed: (bytes) => void parse.call(parser, bytes),
  })
  parser.parse = (bytes) => {
    if (!own.connackSent) {
      packets.take(bytes)
      return 0
    }
    // Counts as a packet, so that answering one of these at once does not resume reading before all are handled.
    own._parsingBatch += 1
    packets.take(bytes)
    if (client.closed) return 0
    own._keepaliveTimer?.refresh()
    own._nextBatch()
    return 0
  }
}

/** Undefined where the packet is no PUBLISH, or none that is well-formed and has a topic without wildcards. */
function publishedIn(bytes: Buffer, at: number, bodyAt: number, end: number): Published | undefined {
  const firstByte = bytes[at] as number
  const topicAt = bodyAt + 2
  if (firstByte >> 4 !== packetKinds.publish || topicAt > end) return undefined
  const qos = ((firstByte >> 1) & 3) as 0 | 1 | 2 | 3
  const topicEnd = topicAt + bytes.readUInt16BE(bodyAt)
  const payloadAt = qos === 0 ? topicEnd : topicEnd + 2
  if (qos === 3 || topicEnd === topicAt || payloadAt > end) return undefined
  const topic = bytes.toString('utf8', topicAt, topicEnd)
  if (topic.includes('#') || topic.includes('+')) return undefined
  const packetId = qos === 0 ? 0 : bytes.readUInt16BE(topicEnd)
  return { topic, payload: bytes.subarray(payloadAt, end), qos, packetId }
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
