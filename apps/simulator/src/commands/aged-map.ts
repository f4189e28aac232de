/** A map that forgets: entries older than `maxAgeMs`, and the oldest ones beyond `limit`. */
export class AgedMap<Value> {
  readonly #limit: number
  readonly #maxAgeMs: number
  readonly #now: () => number
  /** In the order of writing, hence by age. */
  readonly #entries = new Map<string, { value: Value; atMs: number }>()

  constructor({ limit, maxAgeMs, now }: { limit: number; maxAgeMs: number; now: () => number }) {
    this.#limit = limit
    this.#maxAgeMs = maxAgeMs
    this.#now = now
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    return entry && this.#now() - entry.atMs <= this.#maxAgeMs ? entry.value : undefined
  }

  set(key: string, value: Value): void {
    const atMs = this.#now()
    this.#entries.delete(key)
    this.#entries.set(key, { value, atMs })
    for (const [oldest, entry] of this.#entries) {
      if (this.#entries.size <= this.#limit && atMs - entry.atMs <= this.#maxAgeMs) break
      this.#entries.delete(oldest)
    }
  }

  /** From the oldest to the newest. */
  values(): Value[] {
    const now = this.#now()
    return [...this.#entries.values()]
      .filter(({ atMs }) => now - atMs <= this.#maxAgeMs)
      .map(({ value }) => value)
  }

  clear(): void {
    this.#entries.clear()
  }
}
