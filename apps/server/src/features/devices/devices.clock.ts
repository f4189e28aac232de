/** A difference below it is nobody's concern, and is as much as two messages may disagree by. */
const toleranceMs = 60_000
/** So long a device has to keep saying the same before its clock is said to be slow. */
const slowAfterMs = 5 * 60_000

/** How far behind a device's messages are, while it is not known whether its clock is slow or they are late. */
interface Lag {
  offsetMs: number
  sinceMs: number
  lastMs: number
}

export interface Clocks {
  /** What a message's time against ours tells of its device's clock; null where it tells nothing yet. */
  offsetOf(deviceId: number, receivedAtMs: number, offsetMs: number): number | null
}

/**
 * A clock that is right or ahead shows at once: no delay makes a message come before its time. One that is
 * behind looks like a late message. But late messages do not stay late by the same amount: they are sent
 * faster than they happened, or all belong to one moment. So a clock is slow where messages that arrive
 * minutes apart are behind by the same, and none between them by less.
 */
export function createClocks(): Clocks {
  const lags = new Map<number, Lag>()

  return {
    offsetOf(deviceId, receivedAtMs, offsetMs) {
      if (offsetMs > -toleranceMs) {
        lags.delete(deviceId)
        return offsetMs
      }
      const lag = lags.get(deviceId)
      const difference = lag ? offsetMs - lag.offsetMs : 0
      // The least lag counts: more is that of a late message, until nothing else has come for a while.
      const isForgotten = lag !== undefined && receivedAtMs - lag.lastMs > slowAfterMs
      if (!lag || difference > toleranceMs || (difference < -toleranceMs && isForgotten)) {
        lags.set(deviceId, { offsetMs, sinceMs: receivedAtMs, lastMs: receivedAtMs })
        return null
      }
      if (difference < -toleranceMs) return null
      lag.lastMs = receivedAtMs
      return receivedAtMs - lag.sinceMs >= slowAfterMs ? offsetMs : null
    },
  }
}
