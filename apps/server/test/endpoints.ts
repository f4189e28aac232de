import type { Endpoint } from '@voltkeep/contract'
import * as contract from '@voltkeep/contract'

/** Every call of the contract with its name, for tests that walk them all. */
export const endpoints: readonly { name: string; endpoint: Endpoint }[] = Object.entries(
  contract as Record<string, unknown>,
).flatMap(([name, value]) => (isEndpoint(value) ? [{ name, endpoint: value }] : []))

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'methods' in value && 'access' in value
}
