/**
 * All use of aedes beyond its declared interface. The lock file pins the version, and broker.mqtt.test.ts
 * proves each use through a socket.
 */
import { Aedes, type Client, type PublishPacket } from 'aedes'
import type { Packet } from 'mqtt-packet'

interface ClientInternals {
  _disconnected: boolean
  subscriptions: Record<string, { qos: number }>
  _keepaliveTimer: NodeJS.Timeout | null
  _parser: ParserInternals
}

interface ParserInternals {
  packet: { cmd: Packet['cmd']; length: number }
  on(event: 'packet', listener: (packet: Packet) => void): void
  _parsePayload(): boolean
  _emitError(error: Error): boolean
}

const internals = (client: Client) => client as unknown as ClientInternals

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

/** How a message has to be acknowledged. */
export interface Acknowledging {
  qos: 1 | 2
  packetId: number
}

/**
 * Makes aedes treat a packet as QoS 0, so that it neither acknowledges nor keeps it: of QoS 2 it would keep each
 * message until its PUBREL, in sessions that persist beyond the connection. Returns what the caller must send;
 * undefined when the packet is of QoS 0.
 */
export function takeOverAcknowledgement(packet: PublishPacket): Acknowledging | undefined {
  const { qos, messageId } = packet
  // The packet of a last will has no id.
  if (qos === 0 || messageId === undefined) return undefined
  packet.qos = 0
  return { qos, packetId: messageId }
}

/** True when the client ended its connection with DISCONNECT. */
export const saidGoodbye = (client: Client): boolean => internals(client)._disconnected

/** Restarts the keepalive timer of a client whose socket is paused: its PINGREQ cannot be read. */
export function refreshKeepalive(client: Client): void {
  internals(client)._keepaliveTimer?.refresh()
}

/**
 * Refuses a packet by its kind and the length in its header. Without this the parser buffers up to 256 MB before
 * any callback runs, also for clients that have not signed in. `refuses` answers why, or undefined; it is asked
 * again for each piece of a packet, and `taken` called once when it is whole.
 */
export function limitPackets(
  client: Client,
  refuses: (kind: Packet['cmd'], sizeBytes: number) => string | undefined,
  taken: (sizeBytes: number) => void,
): void {
  const parser = internals(client)._parser
  const parsePayload = parser._parsePayload
  parser._parsePayload = function (this: ParserInternals) {
    const reason = refuses(this.packet.cmd, this.packet.length)
    if (reason !== undefined) return this._emitError(new Error(reason))
    const isWhole = parsePayload.call(this)
    if (isWhole) taken(this.packet.length)
    return isWhole
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
