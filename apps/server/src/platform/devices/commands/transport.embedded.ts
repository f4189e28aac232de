// Commands to devices at the embedded broker, which are connected to this process.
import { type DownTopicName, downTopics, topicOf } from '@voltkeep/contract/topics/index'
import type { Message } from '../mqtt/outgoing.ts'
import type { Peer } from '../mqtt/peer.ts'
import type { CommandTransport, Reachable } from './transport.ts'

interface ConnectedDevice {
  id: number
  code: string
}

/** Of devices that do not speak our protocol: what they listen to, and commands in their words. */
export interface ForeignWords<Device> {
  /** The kinds of command that it can be told now; null where it speaks our protocol. */
  listening(device: Device, isSubscribed: (topic: string) => boolean): readonly string[] | null
  /** The message; null where there is none: the command was answered otherwise. `delivered`: its PUBACK has come. */
  tell(device: Device, topic: string, payload: string): { message: Message; delivered: () => void } | null
}

/** Devices at our own broker: reachable once they have subscribed; PUBACK comes from the device itself. */
export interface EmbeddedTransport<Device> extends CommandTransport {
  /** The peer has subscribed to something. */
  subscribed(peer: Peer<Device>): void
  disconnected(peer: Peer<Device>): void
}

interface Connected<Device> {
  peer: Peer<Device>
  /** The down topics that these filters cover: asked for with each command, and nearly always the same. */
  filters: string
  topics: readonly string[]
  /** The sender has found no room, and waits to be told when there is some. */
  isAwaited: boolean
}

/** Commands under way to one device. One that never acknowledges gets no more, which bounds what it costs. */
export const mostUnderWay = 16

const topicNames = Object.keys(downTopics) as DownTopicName[]

const allOurs: ForeignWords<unknown> = { listening: () => null, tell: () => null }

export interface EmbeddedTransportNeeds<Device> {
  /** Whether the devices that are connected here are surely this process's. */
  isServing(): boolean
  /** Those of the devices that are connected to another process. */
  listElsewhere(deviceIds: readonly number[]): Promise<number[]>
  foreign?: ForeignWords<Device>
}

export function createEmbeddedTransport<Device extends ConnectedDevice>({
  isServing,
  listElsewhere,
  foreign = allOurs,
}: EmbeddedTransportNeeds<Device>): EmbeddedTransport<Device> {
  const connected = new Map<number, Connected<Device>>()
  let ready: (deviceId: number | null, isReturn: boolean) => void = () => {}
  let gone = () => {}

  const subscribedBy = (peer: Peer<Device>) => (topic: string) => peer.isSubscribed(topic)

  function reachableOf(deviceId: number, device: Connected<Device>): Reachable {
    const { peer } = device
    const room = peer.isBehind ? 0 : Math.max(0, mostUnderWay - peer.unacknowledgedCount)
    if (room === 0) device.isAwaited = true
    const words = foreign.listening(peer.identity, subscribedBy(peer))
    if (words !== null) return { deviceId, room, topics: words }
    const { filters } = peer
    if (device.filters !== filters) {
      device.filters = filters
      device.topics = topicNames.filter((name) =>
        peer.isSubscribed(topicOf(peer.identity.code, 'down', name)),
      )
    }
    return { deviceId, room, topics: device.topics }
  }

  return {
    async reachable(deviceIds) {
      if (!isServing()) return []
      return deviceIds.flatMap((deviceId) => {
        const device = connected.get(deviceId)
        return device ? [reachableOf(deviceId, device)] : []
      })
    },
    async connected(deviceIds) {
      const [here, others] = [[] as number[], [] as number[]]
      for (const deviceId of deviceIds) (connected.has(deviceId) ? here : others).push(deviceId)
      return [...here, ...(await listElsewhere(others))]
    },
    send({ deviceId, deviceCode, topic, payload }, delivered) {
      const device = connected.get(deviceId)
      if (!device) return
      const isForeign = foreign.listening(device.peer.identity, subscribedBy(device.peer)) !== null
      const told = isForeign ? foreign.tell(device.peer.identity, topic, payload) : null
      if (isForeign && told === null) return
      const message = told?.message ?? {
        topic: topicOf(deviceCode, 'down', topic),
        payload: Buffer.from(payload),
      }
      device.peer.publish(message, () => {
        delivered()
        told?.delivered()
        if (!device.isAwaited || device.peer.unacknowledgedCount > mostUnderWay / 2) return
        device.isAwaited = false
        ready(deviceId, false)
      })
      if (device.peer.unacknowledgedCount >= mostUnderWay) device.isAwaited = true
    },
    onReady(listener) {
      ready = listener
    },
    onGone(listener) {
      gone = listener
    },
    subscribed(peer) {
      const { id } = peer.identity
      const isReturn = connected.get(id)?.peer !== peer
      if (isReturn) connected.set(id, { peer, filters: '', topics: [], isAwaited: false })
      ready(id, isReturn)
    },
    disconnected(peer) {
      const { id } = peer.identity
      if (connected.get(id)?.peer !== peer) return
      connected.delete(id)
      gone()
    },
  }
}
