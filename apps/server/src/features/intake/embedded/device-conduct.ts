// The conduct of each device: how fast it sends, how many of its messages are refused, and the consequences.

import type { ThrottleReason } from '@voltkeep/contract/devices'

export interface ConductLimits {
  /** 0: no limit. A device may send `messageBurst` at once and then this number a second. */
  messagesPerSecond: number
  messageBurst: number
  /** 0: no limit. Twenty times as many may be sent at once. */
  bytesPerSecond: number
}

export interface Conduct {
  /** A packet of the device has come. Returns how long its connection is not read, ms. */
  received(deviceId: number, sizeBytes: number): number
  /** A message of the device was refused. True where it was one too many: its connection has to end. */
  refused(deviceId: number): boolean
  /** The device has proved its identity. Returns why it may not connect now; null where it may. */
  connects(deviceId: number): { reason: ThrottleReason; forMs: number } | null
  close(): void
}

/** How much may be sent at once, in seconds of the rate. */
const byteBurstSeconds = 20
/** A connection costs as much as this number of messages. */
const connectionCost = 10
/** A device with a longer debt is turned away and has to come again later. */
const patienceMs = 1_000
const refusalBurst = 500
const refusalsPerSecond = 1
const firstBanMs = 10_000
const longestBanMs = 600_000
/** After so long without a ban, the next ban is short again. */
const forgivenAfterMs = 3_600_000
/** A mark stays for so long after its cause. */
const markMs = 10_000
const banMarkMs = 60_000
const sweepMs = 60_000

/** A bucket of tokens is one number here: when it will be full again. Ten thousand devices have a record each. */
interface Record {
  messagesFullMs: number
  bytesFullMs: number
  refusalsFullMs: number
  banMs: number
  bannedUntilMs: number
}

/** `throttle` shows the device as throttled for that reason, until so long after the last call. */
export function createConduct({
  limits: { messagesPerSecond, messageBurst, bytesPerSecond },
  throttle,
  now = () => performance.now(),
}: {
  limits: ConductLimits
  throttle(deviceId: number, reason: ThrottleReason, forMs: number): void
  now?: () => number
}): Conduct {
  const records = new Map<number, Record>()
  const messages = new Bucket(messagesPerSecond, messageBurst)
  const bytes = new Bucket(bytesPerSecond, bytesPerSecond * byteBurstSeconds)
  const refusals = new Bucket(refusalsPerSecond, refusalBurst)
  const recordOf = (deviceId: number): Record => {
    let record = records.get(deviceId)
    if (!record) {
      record = {
        messagesFullMs: 0,
        bytesFullMs: 0,
        refusalsFullMs: 0,
        banMs: 0,
        bannedUntilMs: Number.NEGATIVE_INFINITY,
      }
      records.set(deviceId, record)
    }
    return record
  }

  function take(
    deviceId: number,
    messageCount: number,
    sizeBytes: number,
  ): { waitMs: number; record: Record } {
    const record = recordOf(deviceId)
    const atMs = now()
    record.messagesFullMs = messages.fullAfter(messageCount, record.messagesFullMs, atMs)
    record.bytesFullMs = bytes.fullAfter(sizeBytes, record.bytesFullMs, atMs)
    const byMessages = messages.debtMs(record.messagesFullMs, atMs)
    const byBytes = bytes.debtMs(record.bytesFullMs, atMs)
    const waitMs = Math.max(byMessages, byBytes)
    if (waitMs > 0) throttle(deviceId, byMessages >= byBytes ? 'messages' : 'bytes', waitMs + markMs)
    return { waitMs, record }
  }

  // Most devices have full buckets most of the time, and need no record then.
  const timer = setInterval(() => {
    const atMs = now()
    for (const [deviceId, { messagesFullMs, bytesFullMs, refusalsFullMs, bannedUntilMs }] of records) {
      const isClean = Math.max(messagesFullMs, bytesFullMs, refusalsFullMs) <= atMs
      if (isClean && atMs - bannedUntilMs > forgivenAfterMs) records.delete(deviceId)
    }
  }, sweepMs)

  return {
    received: (deviceId, sizeBytes) => take(deviceId, 1, sizeBytes).waitMs,
    refused(deviceId) {
      const record = recordOf(deviceId)
      const atMs = now()
      record.refusalsFullMs = refusals.fullAfter(1, record.refusalsFullMs, atMs)
      if (refusals.debtMs(record.refusalsFullMs, atMs) === 0) return false
      if (atMs < record.bannedUntilMs) return true
      const isForgiven = record.banMs === 0 || atMs - record.bannedUntilMs > forgivenAfterMs
      record.banMs = isForgiven ? firstBanMs : Math.min(record.banMs * 2, longestBanMs)
      record.bannedUntilMs = atMs + record.banMs
      throttle(deviceId, 'refusals', record.banMs + banMarkMs)
      return true
    },
    connects(deviceId) {
      const { waitMs, record } = take(deviceId, connectionCost, 0)
      const bannedMs = record.bannedUntilMs - now()
      if (bannedMs > 0) return { reason: 'refusals', forMs: bannedMs }
      return waitMs > patienceMs ? { reason: 'messages', forMs: waitMs } : null
    },
    close: () => clearInterval(timer),
  }
}

/** A token bucket that may go into debt, since a packet is counted after it has come. A rate of 0 is no limit. */
class Bucket {
  readonly #perMs: number
  readonly #mostMs: number

  constructor(perSecond: number, most: number) {
    this.#perMs = perSecond / 1_000
    this.#mostMs = most / this.#perMs
  }

  /** When a bucket that is full at `fullMs` is full again after these tokens were taken. */
  fullAfter(tokens: number, fullMs: number, atMs: number): number {
    return this.#perMs === 0 ? 0 : Math.max(fullMs, atMs) + tokens / this.#perMs
  }

  /** How long it takes until there is no debt, ms. */
  debtMs(fullMs: number, atMs: number): number {
    return this.#perMs === 0 ? 0 : Math.max(0, fullMs - atMs - this.#mostMs)
  }
}
