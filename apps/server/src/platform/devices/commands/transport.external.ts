// Commands to devices that are connected to an external MQTT broker.
import { topicOf } from '@voltkeep/contract/topics/index'
import type { Message } from '../mqtt/outgoing.ts'
import type { Subscriber } from '../mqtt/subscriber.ts'
import type { CommandTransport } from './transport.ts'

/** Which devices are online, where no connection of ours says so. */
export interface DeviceReachability {
  /** Those of the devices that are online. */
  listOnline(deviceIds: readonly number[]): Promise<number[]>
  /** Tells of devices that came or went; null where any may have. Returns the function that unsubscribes. */
  onChange(listener: (deviceIds: readonly number[] | null) => void): () => void
}

/**
 * A command in the words of a device's maker; `ours` where it speaks our protocol, null where it is answered already.
 * `delivered` is called once the broker has it.
 */
export type ForeignCommand = 'ours' | null | { message: Message; delivered(): void }
export interface ForeignCommands {
  /** Whether any device speaks otherwise. */
  readonly isAny: boolean
  of(deviceCode: string, topic: string, payload: string): Promise<ForeignCommand>
}
const allOurs: ForeignCommands = { isAny: false, of: async () => 'ours' }

const mostPerDevice = 16
/** Messages that the broker has not taken yet, of all devices. */
const mostUnderWay = 2_000
/** How often within the span a device that came or went gets its unanswered commands again. */
const mostReturns = 20
const returnsWithinMs = 600_000

/**
 * The broker's PUBACK says that the broker has the message, not that the device has it: so no command becomes
 * `delivered` here, and the device's reply is the first sign of it.
 *
 * Commands that were sent and not answered go out again when a device says that it has connected, since a broker keeps
 * nothing for a clean session, and when this process has connected to the broker, since the old connection or an
 * earlier process may have lost them. A command that crashes the device makes it connect again and again: after a few
 * times nothing is sent again, and the command expires.
 */
export function createExternalTransport(
  broker: Pick<Subscriber, 'isConnected' | 'publish' | 'onConnected'>,
  reachability: DeviceReachability,
  foreign = allOurs,
): CommandTransport & { close(): void } {
  /** Commands under way by device; `wasFull`: the device used all its room and is queried again when there is some. */
  const underWay = new Map<number, { count: number; wasFull: boolean }>()
  let total = 0
  let isAwaited = false
  let ready: (deviceId: number | null, isReturn: boolean) => void = () => {}
  const returns = new Map<number, { count: number; sinceMs: number }>()

  function isReturn(deviceId: number): boolean {
    const nowMs = performance.now()
    const known = returns.get(deviceId)
    if (!known || nowMs - known.sinceMs > returnsWithinMs) {
      returns.set(deviceId, { count: 1, sinceMs: nowMs })
      return true
    }
    known.count += 1
    return known.count <= mostReturns
  }

  const stop = reachability.onChange((deviceIds) => {
    if (deviceIds === null) ready(null, true)
    // A device that has gone is found unreachable when it is queried.
    for (const deviceId of deviceIds ?? []) ready(deviceId, isReturn(deviceId))
  })
  broker.onConnected(() => {
    // PUBACKs of the old connection do not come any more.
    underWay.clear()
    total = 0
    isAwaited = false
    ready(null, true)
  })

  function taken(deviceId: number): void {
    total -= 1
    const device = underWay.get(deviceId)
    if (device && --device.count === 0) {
      underWay.delete(deviceId)
      if (device.wasFull) ready(deviceId, false)
    }
    if (isAwaited && total <= mostUnderWay / 2) {
      isAwaited = false
      ready(null, false)
    }
  }

  function publish(deviceId: number, message: Message, delivered = () => {}): void {
    const isUnderWay = broker.publish(message, () => {
      taken(deviceId)
      delivered()
    })
    if (!isUnderWay) return
    total += 1
    const device = underWay.get(deviceId) ?? { count: 0, wasFull: false }
    underWay.set(deviceId, device)
    device.count += 1
    if (device.count >= mostPerDevice) device.wasFull = true
  }

  return {
    async reachable(deviceIds) {
      if (!broker.isConnected || deviceIds.length === 0) return []
      const online = await reachability.listOnline(deviceIds)
      if (total >= mostUnderWay) isAwaited = true
      return online.map((deviceId) => {
        const device = underWay.get(deviceId)
        const room = isAwaited ? 0 : Math.max(0, mostPerDevice - (device?.count ?? 0))
        if (device && room === 0) device.wasFull = true
        return { deviceId, room, topics: null }
      })
    },
    connected: (deviceIds) => reachability.listOnline(deviceIds),
    send({ deviceId, deviceCode, topic, payload }) {
      const ours = () => ({ topic: topicOf(deviceCode, 'down', topic), payload: Buffer.from(payload) })
      if (!foreign.isAny) {
        publish(deviceId, ours())
        return
      }
      foreign.of(deviceCode, topic, payload).then(
        (told) => {
          if (told === 'ours') publish(deviceId, ours())
          else if (told) publish(deviceId, told.message, told.delivered)
        },
        // The database is away: it counts as sent, and is sent again as one that was lost.
        () => {},
      )
    },
    onReady(listener) {
      ready = listener
    },
    close: stop,
  }
}
