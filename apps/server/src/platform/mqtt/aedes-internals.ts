import { Aedes, type Client, type PublishPacket } from 'aedes'

/**
 * What we need of aedes beyond its declared interface, in one place. The lock file pins the version, and
 * broker.mqtt.test.ts proves each of these through a socket.
 */

interface ClientInternals {
  _disconnected: boolean
  _keepaliveTimer: NodeJS.Timeout | null
  _parser: ParserInternals
}

interface ParserInternals {
  packet: { length: number }
  _parsePayload(): boolean
  _emitError(error: Error): boolean
}

const internals = (client: Client) => client as unknown as ClientInternals

type Done = (error?: Error) => void

/**
 * aedes without forwarding what clients publish: its routing, retained messages and queues for clients that
 * are away would cost as much as the rest of a message's way, and nobody may listen to a device.
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
 * Makes aedes take a QoS 1 packet for one that asks for no acknowledgement, and answers the id under which
 * we have to send it; undefined where the packet is not QoS 1.
 */
export function takeOverAcknowledgement(packet: PublishPacket): number | undefined {
  // A last will is handed over without an id.
  if (packet.qos !== 1 || packet.messageId === undefined) return undefined
  packet.qos = 0
  return packet.messageId
}

/** Whether the client ended its connection with DISCONNECT. */
export const saidGoodbye = (client: Client): boolean => internals(client)._disconnected

/** A client that we do not read from at the moment cannot be blamed for its silence. */
export function refreshKeepalive(client: Client): void {
  internals(client)._keepaliveTimer?.refresh()
}

/**
 * Refuses a packet by the length that it announces: the parser would gather up to 256 MB before anyone is
 * asked, also from clients that have not signed in.
 */
export function limitPackets(
  client: Client,
  limitBytes: () => number,
  exceeded: (sizeBytes: number) => void,
): void {
  const parser = internals(client)._parser
  const parsePayload = parser._parsePayload
  parser._parsePayload = function (this: ParserInternals) {
    if (this.packet.length > limitBytes()) {
      exceeded(this.packet.length)
      return this._emitError(new Error('packet too large'))
    }
    return parsePayload.call(this)
  }
}
