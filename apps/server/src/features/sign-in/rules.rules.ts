import { anyValue } from '@voltkeep/contract'
import type { KeptRule } from './providers.queries.ts'

/** What a provider says of a person. */
export type Claims = Readonly<Record<string, unknown>>

const textsOf = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.flatMap(textsOf)
    : typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? [String(value)]
      : []

/** The first rule that the claims match. A mail address that is not verified is anybody's. */
export function ruleFor(rules: readonly KeptRule[], claims: Claims): KeptRule | undefined {
  return rules.find(({ claim, value }) => {
    if (claim === 'email' && claims.email_verified !== true) return false
    const texts = textsOf(Object.hasOwn(claims, claim) ? claims[claim] : undefined).filter(
      (text) => text !== '',
    )
    return value === anyValue ? texts.length > 0 : texts.includes(value)
  })
}
