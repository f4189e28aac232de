// What the operator should know now: states that last, a line each, shown on the server page.

import { languageNow } from './language/speech.ts'
import type { Log } from './log.ts'
import { type Sentence, spoken } from './sentences.ts'

/** Returns its line while the state lasts, null otherwise. Called for every look at the page, so it must be cheap. */
export type WarningSource = () => Sentence | null | readonly Sentence[]

export interface Warnings {
  add(source: WarningSource): void
  /** Of this process, in the order in which the sources were added, and in the language of the page. */
  current(): string[]
}

export function createWarnings(): Warnings {
  const sources: WarningSource[] = []
  return {
    add: (source) => void sources.push(source),
    current: () => sources.flatMap((source) => source() ?? []).map((line) => line[languageNow()]),
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
  line(share: number): Sentence
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
    if (!isSaid) log.warn(spoken(text))
    isSaid = true
    return text
  }
  setInterval(look, lookEveryMs).unref()
  return look
}
