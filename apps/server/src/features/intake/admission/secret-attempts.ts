// How often a device's secret may be tried.

const burst = 10
/** One more attempt is allowed after each of these intervals. */
const refillMs = 6_000
const most = 50_000

export interface Attempts {
  /**
   * Whether a secret for this code, from this address, is checked at all. Asked after the last thing that is waited for
   * before `failed`, so that guesses which are sent together are counted one after another.
   */
  mayTry(code: string, address: string): boolean
  failed(code: string, address: string): void
  succeeded(code: string, address: string): void
}

/**
 * Counts wrong secrets by pair of device and address, so that a stranger who guesses does not block the device, which
 * connects from elsewhere. Ten at once, then ten a minute.
 */
export function createAttempts(now: () => number = Date.now): Attempts {
  /** When the count of the pair is back at zero; the pair untouched for longest comes first. */
  const clearAt = new Map<string, number>()
  const keyOf = (code: string, address: string) => `${code} ${address}`
  return {
    mayTry: (code, address) => (clearAt.get(keyOf(code, address)) ?? 0) - now() <= (burst - 1) * refillMs,
    failed(code, address) {
      const key = keyOf(code, address)
      const atMs = Math.max(clearAt.get(key) ?? 0, now()) + refillMs
      clearAt.delete(key)
      clearAt.set(key, atMs)
      if (clearAt.size > most) clearAt.delete(clearAt.keys().next().value as string)
    },
    succeeded: (code, address) => void clearAt.delete(keyOf(code, address)),
  }
}
