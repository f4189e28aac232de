// The advertisements that a simulated device keeps.
import type { AdvertisementState } from '@voltkeep/contract/topics/index'

/** An advertisement that was downloaded and verified. */
export interface StoredAdvertisement {
  advertisementId: string
  name: string
  sizeBytes: number
  sha256: string
  contentType: string
  /** Milliseconds since 1970; shown from `startTime` until `endTime`. */
  startTime: number
  endTime: number
  /** The file, where the device was asked to keep it. */
  bytes?: Buffer
}

export type AdvertisementList = { advertisementId: string; state: AdvertisementState }[]

/** Timers are limited to some 24 days, and a device's clock may be changed meanwhile. */
const longestWaitMs = 3_600_000

/**
 * The advertisements that a cabinet stores and shows: each is shown between its two times and removed at the end.
 * `onChange` is called when the list has changed.
 */
export class AdvertisementStore {
  readonly #now: () => number
  readonly #onChange: () => void
  readonly #items = new Map<string, StoredAdvertisement>()
  #timer: NodeJS.Timeout | undefined
  #isRunning = true
  #reported = '[]'

  constructor(now: () => number, onChange: () => void) {
    this.#now = now
    this.#onChange = onChange
  }

  get size(): number {
    return this.#items.size
  }

  get sizeBytes(): number {
    return [...this.#items.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  }

  get(advertisementId: string): StoredAdvertisement | undefined {
    return this.#items.get(advertisementId)
  }

  list(): AdvertisementList {
    const now = this.#now()
    return [...this.#items.values()].map(({ advertisementId, startTime }) => ({
      advertisementId,
      state: startTime <= now ? 'shown' : 'stored',
    }))
  }

  /** Replaces an older file of the same advertisement. */
  put(item: StoredAdvertisement): void {
    this.#items.set(item.advertisementId, item)
    this.#update()
  }

  remove(advertisementId: string): void {
    this.#items.delete(advertisementId)
    this.#update()
  }

  clear(): void {
    this.#items.clear()
    this.#update()
  }

  /** Applies the starts and ends that were missed without power. */
  start(): void {
    this.#isRunning = true
    this.#update()
  }

  stop(): void {
    this.#isRunning = false
    clearTimeout(this.#timer)
  }

  /** Removes advertisements that have ended, reports a change, and sets the timer for the next one. */
  #update(): void {
    clearTimeout(this.#timer)
    if (!this.#isRunning) return
    const now = this.#now()
    let nextMs = Number.POSITIVE_INFINITY
    for (const { advertisementId, startTime, endTime } of this.#items.values()) {
      if (endTime <= now) this.#items.delete(advertisementId)
      else nextMs = Math.min(nextMs, startTime > now ? startTime : endTime)
    }
    const present = JSON.stringify(this.list())
    if (present !== this.#reported) {
      this.#reported = present
      this.#onChange()
    }
    if (nextMs < Number.POSITIVE_INFINITY) {
      this.#timer = setTimeout(() => this.#update(), Math.min(nextMs - now, longestWaitMs))
    }
  }
}
