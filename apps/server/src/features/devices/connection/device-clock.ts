/** A smaller difference is ignored; two messages may differ by as much. */
const toleranceMs = 60_000
/** A device has to show the same lag for so long before its clock counts as slow. */
const slowAfterMs = 5 * 60_000

/** How far behind a device's messages are, while it is not known whether its clock is slow or they are late. */
interface Lag {
  offsetMs: number
  sinceMs: number
  lastMs: number
}

export interface Clocks {
  /**
   * How far a message shows its device's clock to differ from ours; null where it shows nothing yet: the message may be
   * late, or the clock slow. `isOfNow`: the message cannot be late, so that its time is the clock's.
   */
  offsetOf(deviceId: number, receivedAtMs: number, offsetMs: number, isOfNow?: boolean): number | null
}

/**
 * A clock that is right or ahead shows at once: no delay makes a message come before its time. One that is
 * behind looks like a late message. But late messages do not stay late by the same amount: they are sent
 * faster than they happened, or all belong to one moment. So a clock is slow where messages that arrive
 * minutes apart are behind by the same, and none between them by less; or where a message that is of now says so.
 */
export function createClocks(): Clocks {
  const lags = new Map<number, Lag>()

  return {
    offsetOf(deviceId, receivedAtMs, offsetMs, isOfNow = false) {
      if (offsetMs > -toleranceMs) {
        lags.delete(deviceId)
        return offsetMs
      }
      if (isOfNow) {
        lags.set(deviceId, { offsetMs, sinceMs: receivedAtMs - slowAfterMs, lastMs: receivedAtMs })
        return offsetMs
      }
      const lag = lags.get(deviceId)
      const difference = lag ? offsetMs - lag.offsetMs : 0
      // The least lag counts: a greater one is that of a late message, unless nothing else has come for a while.
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

/**
 * How far a clock is ahead after a message, from its former value and the offset that the message shows (`offsetOf`).
 * The least delay counts, so a clock that goes back has to show it: by a message of now, by being right, or by being
 * slow for a while. A message that is less ahead than others were may be late.
 */
export function clockAfter(knownMs: number | null, toldMs: number | null, isOfNow: boolean): number | null {
  if (toldMs === null) return knownMs
  if (knownMs === null || isOfNow || toldMs > knownMs) return toldMs
  return toldMs < knownMs - toleranceMs && toldMs <= toleranceMs ? toldMs : knownMs
}

/** Whether a message with this offset was written when it was sent, by a clock that is so far ahead. */
export const isCurrent = (clockMs: number | null, toldMs: number | null) =>
  clockMs !== null && toldMs !== null && toldMs >= clockMs - toleranceMs
