import { type DownTopicName, downTopics, topicOf } from '@voltkeep/contract/topics/index'
import type { Peer } from '../mqtt/peer.ts'
import type { CommandTransport, Reachable } from './transport.ts'

type DevicePeer = Peer<{ id: number; code: string }>

/** Devices at our own broker: reachable once they have subscribed; PUBACK comes from the device itself. */
export interface EmbeddedTransport extends CommandTransport {
  /** The peer has subscribed to something. */
  subscribed(peer: DevicePeer): void
  disconnected(peer: DevicePeer): void
}

interface Connected {
  peer: DevicePeer
  /** The down topics that these filters cover: asked for with each command, and nearly always the same. */
  filters: string
  topics: readonly string[]
  /** The sender has found no room, and waits to be told when there is some. */
  isAwaited: boolean
}

/** Commands under way to one device. One that never acknowledges gets no more, which bounds what it costs. */
export const mostUnderWay = 16

const topicNames = Object.keys(downTopics) as DownTopicName[]

export interface EmbeddedTransportNeeds {
  /** Whether the devices that are connected here are surely this process's. */
  isServing(): boolean
  /** Those of the devices that are connected to another process. */
  listElsewhere(deviceIds: readonly number[]): Promise<number[]>
}

export function createEmbeddedTransport({
  isServing,
  listElsewhere,
}: EmbeddedTransportNeeds): EmbeddedTransport {
  const connected = new Map<number, Connected>()
  let ready: (deviceId: number | null, isReturn: boolean) => void = () => {}

  function reachableOf(deviceId: number, device: Connected): Reachable {
    const { peer } = device
    const room = peer.isBehind ? 0 : Math.max(0, mostUnderWay - peer.unacknowledgedCount)
    if (room === 0) device.isAwaited = true
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
      const message = { topic: topicOf(deviceCode, 'down', topic), payload: Buffer.from(payload) }
      device.peer.publish(message, () => {
        delivered()
        if (!device.isAwaited || device.peer.unacknowledgedCount > mostUnderWay / 2) return
        device.isAwaited = false
        ready(deviceId, false)
      })
      if (device.peer.unacknowledgedCount >= mostUnderWay) device.isAwaited = true
    },
    onReady(listener) {
      ready = listener
    },
    subscribed(peer) {
      const { id } = peer.identity
      const isReturn = connected.get(id)?.peer !== peer
      if (isReturn) connected.set(id, { peer, filters: '', topics: [], isAwaited: false })
      ready(id, isReturn)
    },
    disconnected(peer) {
      const { id } = peer.identity
      if (connected.get(id)?.peer === peer) connected.delete(id)
    },
  }
}
