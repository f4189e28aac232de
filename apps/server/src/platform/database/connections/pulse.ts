/**
 * When a database last answered any query: this tells a busy database from one that hangs. And when one was last left
 * unanswered because the database was away. Times are those of `performance.now()`.
 */
export class Pulse {
  #atMs = Number.NEGATIVE_INFINITY
  #awayAtMs = Number.NEGATIVE_INFINITY

  beat(): void {
    this.#atMs = performance.now()
  }

  miss(): void {
    this.#awayAtMs = performance.now()
  }

  get awayAtMs(): number {
    return this.#awayAtMs
  }

  hasBeatSince(sinceMs: number): boolean {
    return this.#atMs > sinceMs
  }
}

const pulses = new WeakMap<object, Pulse>()

/** Of a database that openDatabase has opened, or of a pool. */
export const pulseOf = (db: object): Pulse | undefined => pulses.get(db)

export const keepPulse = (db: object, pulse: Pulse): void => void pulses.set(db, pulse)
