// Devices come by several protocols, each with its own transport.
import type { CommandTransport } from './transport.ts'

/** A transport that knows which devices are connected by it. */
export interface OwnTransport extends CommandTransport {
  has(deviceId: number): boolean
}

/** `others`: as they are when they are asked. What none of them has goes by `first`. */
export function joinTransports(first: CommandTransport, others: readonly OwnTransport[]): CommandTransport {
  return {
    async reachable(deviceIds) {
      const found = await Promise.all([first, ...others].map((one) => one.reachable(deviceIds)))
      return found.flat()
    },
    async connected(deviceIds) {
      const found = await Promise.all([first, ...others].map((one) => one.connected(deviceIds)))
      return [...new Set(found.flat())]
    },
    send(command, delivered) {
      const by = others.find((one) => one.has(command.deviceId)) ?? first
      by.send(command, delivered)
    },
    onReady(listener) {
      for (const one of [first, ...others]) one.onReady(listener)
    },
  }
}
