import type { ThrottleReason } from '@voltkeep/contract/devices'

export interface Holds {
  /** The device is held back for this reason, and for so long from now. */
  hold(deviceId: number, reason: ThrottleReason, forMs: number): void
  /** How many devices are held back. */
  readonly count: number
  close(): void
}

const lookEveryMs = 5_000
/** Of several reasons the first is shown. */
const order: readonly ThrottleReason[] = ['refusals', 'alarms', 'codes', 'messages', 'bytes']

/** Keeps which devices are held back and why. `mark` is told of each change of what is to be shown. */
export function createHolds(mark: (deviceId: number, reason: ThrottleReason | null) => void): Holds {
  /** Until when, by reason. */
  const devices = new Map<number, Map<ThrottleReason, number>>()

  const timer = setInterval(() => {
    const nowMs = Date.now()
    for (const [deviceId, reasons] of devices) {
      for (const [reason, untilMs] of reasons) if (untilMs <= nowMs) reasons.delete(reason)
      if (reasons.size === 0) devices.delete(deviceId)
      mark(deviceId, order.find((reason) => reasons.has(reason)) ?? null)
    }
  }, lookEveryMs)

  return {
    hold(deviceId, reason, forMs) {
      const untilMs = Date.now() + forMs
      let reasons = devices.get(deviceId)
      if (!reasons) {
        reasons = new Map()
        devices.set(deviceId, reasons)
      }
      const isNew = !reasons.has(reason)
      reasons.set(reason, Math.max(untilMs, reasons.get(reason) ?? 0))
      if (isNew) mark(deviceId, order.find((one) => reasons.has(one)) ?? null)
    },
    get count() {
      return devices.size
    },
    close: () => clearInterval(timer),
  }
}
