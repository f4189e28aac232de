export interface Lanes {
  /** Never rejects: the work says itself what went wrong. */
  add(lane: number, work: () => Promise<void>): void
  /** When nothing is left. */
  drain(): Promise<void>
}

/** Runs so many works at once, each of another lane: however much waits in one lane, the others have their turn. */
export function createLanes(atOnce: number): Lanes {
  const waiting = new Map<number, (() => Promise<void>)[]>()
  const running = new Map<number, Promise<void>>()

  function fill(): void {
    for (const [lane, [work, ...rest]] of [...waiting]) {
      if (running.size >= atOnce) return
      if (running.has(lane) || !work) continue
      waiting.delete(lane)
      if (rest.length > 0) waiting.set(lane, rest)
      running.set(
        lane,
        work().finally(() => leave(lane)),
      )
    }
  }

  function leave(lane: number): void {
    running.delete(lane)
    // The others that wait are first.
    const rest = waiting.get(lane)
    waiting.delete(lane)
    if (rest) waiting.set(lane, rest)
    fill()
  }

  return {
    add(lane, work) {
      waiting.set(lane, [...(waiting.get(lane) ?? []), work])
      fill()
    },
    async drain() {
      while (running.size > 0) await Promise.all(running.values())
    },
  }
}
