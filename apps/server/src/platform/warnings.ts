// What the operator should know now: states that last, a line each, shown on the server page.

/** Answers its line while the state lasts, null otherwise. Called for every look at the page, so it must be cheap. */
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
