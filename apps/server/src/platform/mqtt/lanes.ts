export interface LanesOptions<Entry> {
  /** How many run side by side. */
  count: number
  /** A lane with this many entries waiting runs at once. */
  batchSize: number
  /** How long the first entry of an incomplete batch waits for company, ms. */
  lingerMs: number
  /** Takes a batch to its end, failures included: it never rejects. One at a time per lane. */
  run(batch: Entry[]): Promise<void>
}

export interface Lanes<Entry> {
  /** Entries of one key stay in order and never run side by side. */
  put(key: number, entry: Entry): void
  /** Resolves when nothing waits or runs any more. */
  drained(): Promise<void>
}

/**
 * Batches by lanes. Without lanes, two transactions hold rows of the same devices in different orders:
 * measured, the deadlocks stalled everything.
 */
export function createLanes<Entry>(options: LanesOptions<Entry>): Lanes<Entry> {
  const lanes = Array.from({ length: options.count }, () => new Lane(options))
  return {
    put(key, entry) {
      ;(lanes[key % lanes.length] as Lane<Entry>).put(entry)
    },
    async drained() {
      await Promise.all(lanes.map((lane) => lane.drained()))
    },
  }
}

class Lane<Entry> {
  readonly #options: LanesOptions<Entry>
  #waiting: Entry[] = []
  /** When the first of those that wait came. */
  #waitingSinceMs = 0
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined

  constructor(options: LanesOptions<Entry>) {
    this.#options = options
  }

  put(entry: Entry): void {
    if (this.#waiting.length === 0) this.#waitingSinceMs = performance.now()
    this.#waiting.push(entry)
    if (!this.#running) this.#startWhenDue()
  }

  async drained(): Promise<void> {
    while (this.#running || this.#waiting.length > 0) {
      if (!this.#running) this.#start()
      await this.#running
    }
  }

  /** The time that entries wait for a batch under way counts as lingering. */
  #startWhenDue(): void {
    const { batchSize, lingerMs } = this.#options
    if (this.#waiting.length === 0) return
    const restMs = this.#waitingSinceMs + lingerMs - performance.now()
    if (this.#waiting.length >= batchSize || restMs <= 0) this.#start()
    else this.#timer ??= setTimeout(() => this.#start(), restMs)
  }

  #start(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#running = this.#options.run(this.#take()).finally(() => {
      this.#running = undefined
      this.#startWhenDue()
    })
  }

  #take(): Entry[] {
    const { batchSize } = this.#options
    const batch = this.#waiting
    this.#waiting = batch.length > batchSize ? batch.splice(batchSize) : []
    return batch
  }
}
