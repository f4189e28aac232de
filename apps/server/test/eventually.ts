import { vi } from 'vitest'

/**
 * Retries the check until it no longer throws, for up to 20 s: the library's default of one second is too short on a
 * loaded machine.
 */
export const eventually = <Value>(check: () => Value | Promise<Value>): Promise<Value> =>
  vi.waitFor(check, 20_000)
