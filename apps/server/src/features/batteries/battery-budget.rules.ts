// How many batteries one device may make known, and how many stays it may begin. A device that lies is bounded by it, and
// what is beyond is as if the device had not said which battery it is.

/** New batteries, that no device had reported before, of one device within a day: a large cabinet is loaded eight times. */
export const newCodesPerDay = 500
/** Stays that one device begins within a day: 64 compartments, each with a battery every half an hour. */
export const staysPerDay = 3_000

const dayMs = 86_400_000

/** The stays that devices begin, by a bucket for each that fills up within a day. It takes some 10 MB when full. */
export class StayBudget {
  readonly #buckets = new Map<number, { used: number; atMs: number }>()
  readonly #now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  isEnough(deviceId: number, count: number): boolean {
    return this.#used(deviceId) + count <= staysPerDay
  }

  /** To be called after the commit. */
  spend(deviceId: number, count: number): void {
    const used = this.#used(deviceId) + count
    this.#buckets.delete(deviceId)
    this.#buckets.set(deviceId, { used, atMs: this.#now() })
    for (const [id, { used: before, atMs }] of this.#buckets) {
      const isFull = before <= ((this.#now() - atMs) / dayMs) * staysPerDay
      if (!isFull && this.#buckets.size <= 100_000) return
      this.#buckets.delete(id)
    }
  }

  #used(deviceId: number): number {
    const bucket = this.#buckets.get(deviceId)
    if (!bucket) return 0
    return Math.max(0, bucket.used - ((this.#now() - bucket.atMs) / dayMs) * staysPerDay)
  }
}
