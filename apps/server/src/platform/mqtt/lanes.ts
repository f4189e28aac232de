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
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined

  constructor(options: LanesOptions<Entry>) {
    this.#options = options
  }

  put(entry: Entry): void {
    this.#waiting.push(entry)
    if (this.#running) return
    if (this.#waiting.length >= this.#options.batchSize) this.#start()
    else this.#timer ??= setTimeout(() => this.#start(), this.#options.lingerMs)
  }

  async drained(): Promise<void> {
    while (this.#running || this.#waiting.length > 0) {
      if (!this.#running) this.#start()
      await this.#running
    }
  }

  #start(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#running = this.#work().finally(() => {
      this.#running = undefined
      if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#start(), this.#options.lingerMs)
    })
  }

  /** What came while a batch was under way has waited long enough once that batch is done. */
  async #work(): Promise<void> {
    do {
      await this.#options.run(this.#take())
    } while (this.#waiting.length >= this.#options.batchSize)
  }

  #take(): Entry[] {
    const { batchSize } = this.#options
    const waiting = this.#waiting
    if (waiting.length <= batchSize) {
      this.#waiting = []
      return waiting
    }
    this.#waiting = waiting.slice(batchSize)
    return waiting.slice(0, batchSize)
  }
}
