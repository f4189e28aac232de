// What the operator should know now: states that last, a line each, shown on the server page.

import type { Log } from './log.ts'

/** Returns its line while the state lasts, null otherwise. Called for every look at the page, so it must be cheap. */
export type WarningSource = () => string | null | readonly string[]

export interface Warnings {
  add(source: WarningSource): void
  /** Of this process, in the order in which the sources were added. */
  current(): string[]
}

export function createWarnings(): Warnings {
  const sources: WarningSource[] = []
  return {
    add: (source) => void sources.push(source),
    current: () => sources.flatMap((source) => source() ?? []),
  }
}

const warnShare = 0.8
const lookEveryMs = 5_000

/** Warns while little room is left below a limit; the log says it once each time that the state begins. */
export function nearlyFull({
  count,
  most,
  line,
  log,
}: {
  count(): number
  most: number
  /** `share`: in percent. */
  line(share: number): string
  log: Pick<Log, 'warn'>
}): WarningSource {
  let isSaid = false
  const look = () => {
    const share = count() / most
    if (share < warnShare) {
      isSaid = false
      return null
    }
    const text = line(Math.floor(share * 100))
    if (!isSaid) log.warn(text)
    isSaid = true
    return text
  }
  setInterval(look, lookEveryMs).unref()
  return look
}
