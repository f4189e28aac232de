export interface LanesOptions<Entry> {
  /** How many may run side by side. */
  count: number
  /** The most entries of one batch. */
  batchSize: number
  /** How long the first entry of an incomplete batch waits for company, ms. */
  lingerMs: number
  /** Takes a batch to its end, failures included: it never rejects. Never two with entries of one lane. */
  run(batch: Entry[]): Promise<void>
}

export interface Lanes<Entry> {
  /** Entries of one key stay in order and never run side by side. */
  put(key: number, entry: Entry): void
  /** Resolves when nothing waits or runs any more. */
  drained(): Promise<void>
}

/** How often a lane lets others go on before it stops waiting to run together with them. */
const patience = 4

/**
 * Batches by lanes. Without lanes, two transactions hold rows of the same devices in different orders:
 * measured, the deadlocks stalled everything.
 *
 * While few entries come, all lanes run together in one batch: a batch costs much by itself, and at 5,000
 * entries a second two lanes of 40 entries took half as much again as one batch of 80. A lane with a full share
 * of a batch runs apart.
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

  /** Takes no more than a batch: of one lane, or of several that have less than their share each. */
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
  /** When the first of those that wait came: the time that they wait for a batch under way counts too. */
  waitingSinceMs = 0

  put(entry: Entry): void {
    if (this.waiting.length === 0) this.waitingSinceMs = performance.now()
    this.waiting.push(entry)
  }

  take(limit: number): Entry[] {
    const batch = this.waiting
    this.waiting = batch.length > limit ? batch.splice(limit) : []
    return batch
  }
}
