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
  /**
   * What a message's time against ours tells of its device's clock; null where it tells nothing yet: the message is
   * late, or the clock is slow. `isOfNow`: the message cannot be late, so that its time is the clock's.
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

/**
 * How far a clock is ahead after a message, from what it was taken for and what the message tells (`offsetOf`). The
 * least delay counts, so a clock that goes back has to show it: by a message of now, by being right, or by being slow
 * for a while. A message that is less ahead than others were may be late.
 */
export function clockAfter(knownMs: number | null, toldMs: number | null, isOfNow: boolean): number | null {
  if (toldMs === null) return knownMs
  if (knownMs === null || isOfNow || toldMs > knownMs) return toldMs
  return toldMs < knownMs - toleranceMs && toldMs <= toleranceMs ? toldMs : knownMs
}

/** Whether a message that tells this was written when it was sent, by a clock that is so far ahead. */
export const isCurrent = (clockMs: number | null, toldMs: number | null) =>
  clockMs !== null && toldMs !== null && toldMs >= clockMs - toleranceMs
