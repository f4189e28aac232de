import type { Endpoint } from '@voltkeep/contract'
import * as contract from '@voltkeep/contract'

/** All calls of the contract with their names, for tests that iterate over them. */
export const endpoints: readonly { name: string; endpoint: Endpoint }[] = Object.entries(
  contract as Record<string, unknown>,
).flatMap(([name, value]) => (isEndpoint(value) ? [{ name, endpoint: value }] : []))

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'methods' in value && 'access' in value
}

/** As the specification writes it: its first verb, and its path with the ids in braces. */
export const callOf = ({ methods, path }: Pick<Endpoint, 'methods' | 'path'>) =>
  `${methods[0]} ${path.replace(/:(\w+)/g, '{$1}')}`
