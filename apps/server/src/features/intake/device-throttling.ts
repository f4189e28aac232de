import type { ThrottleReason } from '@voltkeep/contract/devices'

export interface Throttling {
  /** The device is throttled for this reason, and for so long from now. */
  throttle(deviceId: number, reason: ThrottleReason, forMs: number): void
  /** How many devices are throttled. */
  readonly count: number
  close(): void
}

const lookEveryMs = 5_000
/** Of several reasons the first is shown. */
const order: readonly ThrottleReason[] = ['refusals', 'alarms', 'codes', 'messages', 'bytes']

/** Keeps which devices are throttled and why. `mark` is called when the reason that is shown changes. */
export function createThrottling(
  mark: (deviceId: number, reason: ThrottleReason | null) => void,
): Throttling {
  /** The end of the throttling, by device and reason. */
  const devices = new Map<number, Map<ThrottleReason, number>>()

  const timer = setInterval(() => {
    const nowMs = performance.now()
    for (const [deviceId, reasons] of devices) {
      for (const [reason, untilMs] of reasons) if (untilMs <= nowMs) reasons.delete(reason)
      if (reasons.size === 0) devices.delete(deviceId)
      mark(deviceId, order.find((reason) => reasons.has(reason)) ?? null)
    }
  }, lookEveryMs)

  return {
    throttle(deviceId, reason, forMs) {
      const untilMs = performance.now() + forMs
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
