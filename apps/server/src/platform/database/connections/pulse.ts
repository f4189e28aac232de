/** When a database last answered any query: this tells a busy database from one that hangs. */
export class Pulse {
  #atMs = Number.NEGATIVE_INFINITY

  beat(): void {
    this.#atMs = performance.now()
  }

  hasBeatSince(sinceMs: number): boolean {
    return this.#atMs > sinceMs
  }
}

const pulses = new WeakMap<object, Pulse>()

/** Of a database that openDatabase has opened. */
export const pulseOf = (db: object): Pulse | undefined => pulses.get(db)

export const keepPulse = (db: object, pulse: Pulse): void => void pulses.set(db, pulse)
