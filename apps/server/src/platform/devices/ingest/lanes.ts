// Batches of entries by lanes: entries of one key stay in order, and lanes with little to do share a batch.

export interface LanesOptions<Entry> {
  /** How many batches may run at a time. */
  count: number
  /** The most entries of one batch. */
  batchSize: number
  /** How long the first entry of an incomplete batch waits for others, ms. */
  lingerMs: number
  /** Processes a batch completely, failures included: it never rejects. Two batches of one lane never run at a time. */
  run(batch: Entry[]): Promise<void>
}

export interface Lanes<Entry> {
  /** Entries of one key stay in order, and two batches with entries of one key never run at a time. */
  put(key: number, entry: Entry): void
  /** For how long the oldest entry has waited or been processed, ms; 0 where there is none. */
  readonly lagMs: number
  /** Resolves when no entry waits and no batch runs. */
  drained(): Promise<void>
}

/** While a batch runs, an incomplete batch waits this many times as long. */
const patience = 4

/**
 * Batches by lanes: a key belongs to one lane. Without lanes two transactions lock rows of the same devices in
 * different orders; measured, the deadlocks stalled everything.
 *
 * Under low load all lanes share one batch: a batch has a fixed cost, and at 5,000 entries a second two lanes of
 * 40 entries took half as long again as one batch of 80. A lane with a full share of a batch runs by itself.
 */
export function createLanes<Entry>({ count, batchSize, lingerMs, run }: LanesOptions<Entry>): Lanes<Entry> {
  const lanes = Array.from({ length: count }, () => new Lane<Entry>())
  const share = Math.ceil(batchSize / count)
  const running = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | undefined

  const waitMs = () => (running.size > 0 ? lingerMs * patience : lingerMs)
  const idle = () => lanes.filter((lane) => !lane.isRunning && lane.waiting.length > 0)

  function startWhenDue(): void {
    clearTimeout(timer)
    timer = undefined
    for (const lane of idle()) if (lane.waiting.length >= share) start([lane])
    const now = performance.now()
    const due = idle().filter((lane) => lane.waitingSinceMs + waitMs() <= now)
    if (due.length > 0) start(running.size > 0 ? due : idle())
    const left = idle()
    if (left.length === 0) return
    const firstMs = Math.min(...left.map(({ waitingSinceMs }) => waitingSinceMs))
    timer = setTimeout(startWhenDue, Math.max(0, firstMs + waitMs() - now))
  }

  /** Starts one batch: of one lane, or of several lanes that have less than their share each. */
  function start(together: Lane<Entry>[]): void {
    const batch = together.flatMap((lane) => lane.take(batchSize))
    for (const lane of together) lane.isRunning = true
    const promise = run(batch).finally(() => {
      running.delete(promise)
      for (const lane of together) lane.isRunning = false
      startWhenDue()
    })
    running.add(promise)
  }

  return {
    put(key, entry) {
      const lane = lanes[key % lanes.length] as Lane<Entry>
      lane.put(entry)
      if (lane.isRunning) return
      if (lane.waiting.length >= share || !timer) startWhenDue()
    },
    get lagMs() {
      const sinceMs = Math.min(...lanes.map((lane) => lane.oldestMs))
      return sinceMs === Number.POSITIVE_INFINITY ? 0 : performance.now() - sinceMs
    },
    async drained() {
      for (;;) {
        if (running.size === 0 && idle().length > 0) start(idle())
        if (running.size === 0) return
        await Promise.race(running)
      }
    },
  }
}

class Lane<Entry> {
  isRunning = false
  waiting: Entry[] = []
  /** When the first waiting entry came; the time that it waits for a running batch counts. */
  waitingSinceMs = 0
  /** The same of those that are being processed. */
  #runningSinceMs = Number.POSITIVE_INFINITY

  get oldestMs(): number {
    const waitingSinceMs = this.waiting.length > 0 ? this.waitingSinceMs : Number.POSITIVE_INFINITY
    return Math.min(waitingSinceMs, this.isRunning ? this.#runningSinceMs : Number.POSITIVE_INFINITY)
  }

  put(entry: Entry): void {
    if (this.waiting.length === 0) this.waitingSinceMs = performance.now()
    this.waiting.push(entry)
  }

  take(limit: number): Entry[] {
    const batch = this.waiting
    this.#runningSinceMs = batch.length > 0 ? this.waitingSinceMs : Number.POSITIVE_INFINITY
    this.waiting = batch.length > limit ? batch.splice(limit) : []
    return batch
  }
}
