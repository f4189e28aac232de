// The clock of the database, as this process knows it: all that is decided by a time that another process, or a statement,
// looks at goes by it. The clock of this machine may be minutes off, and then a deadline of a minute would be over before its
// command has left, or an upgrade would be ended that has an hour left.

const sources: (() => number)[] = []

/** From now on the clock is that one, until the returned function is called; the newest counts. */
export function followClock(nowMs: () => number): () => void {
  sources.push(nowMs)
  return () => {
    const at = sources.indexOf(nowMs)
    if (at >= 0) sources.splice(at, 1)
  }
}

/** Now, ms since 1970; by the clock of this machine as long as none is followed. */
export const sharedNowMs = (): number => sources.at(-1)?.() ?? Date.now()

export const sharedNow = (): Date => new Date(sharedNowMs())
