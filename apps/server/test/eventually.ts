import { vi } from 'vitest'

/** Waits until the check no longer throws: 20 s and not the library's one second, which a loaded machine takes. */
export const eventually = <Value>(check: () => Value | Promise<Value>): Promise<Value> =>
  vi.waitFor(check, 20_000)
