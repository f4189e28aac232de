// Tokens of apps: a provider counts how often one is asked for, so they are kept while they are valid.
import type { Company } from './company.ts'

interface Token {
  text: string
  lifeSeconds: number
}

/** Before the end of a token's life another one is asked for. */
const reserveSeconds = 300

export function keepTokens(read: (company: Company) => Promise<Token>) {
  const kept = new Map<string, { untilMs: number; text: Promise<string> }>()
  const keyOf = (company: Company) => JSON.stringify(company)
  return {
    of(company: Company): Promise<string> {
      const key = keyOf(company)
      const found = kept.get(key)
      if (found && performance.now() < found.untilMs) return found.text
      const reading = read(company)
      const token = { untilMs: Number.POSITIVE_INFINITY, text: reading.then(({ text }) => text) }
      kept.set(key, token)
      reading.then(
        ({ lifeSeconds }) => {
          token.untilMs = performance.now() + Math.max(0, lifeSeconds - reserveSeconds) * 1_000
        },
        () => kept.delete(key),
      )
      return token.text
    },
    forget: (company: Company) => void kept.delete(keyOf(company)),
  }
}
