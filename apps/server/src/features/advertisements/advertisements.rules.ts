/** The wait before the second attempt, ms. It doubles with each further one. */
export const firstWaitMs = 30_000
export const longestWaitMs = 6 * 3_600_000
/** A cabinet that fails to store so often in a row waits for a user. With these waits that is after two days. */
export const mostAttempts = 16

/**
 * How long to wait after this number of failed attempts in a row, ms; null where a user has to ask for the next one.
 * `jitter` is from 0 to 1: cabinets that failed together do not come back together.
 */
export function waitAfter(attempts: number, jitter: number): number | null {
  if (attempts >= mostAttempts) return null
  const waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** (attempts - 1))
  return Math.round(waitMs * (0.75 + jitter / 2))
}

const dayMs = 86_400_000
/**
 * How long a command waits for its cabinet. The signed address in it expires with it; a cabinet that is offline
 * for longer is sent another one, with a fresh address.
 */
const longestCommandMs = 7 * dayMs

/** The deadline of a command: that of the file's address, and never after the period. */
export const advertiseDeadlineMs = (nowMs: number, endMs: number) => Math.min(endMs, nowMs + longestCommandMs)
export const withdrawDeadlineMs = (nowMs: number) => nowMs + longestCommandMs

/** How often a running advertisement looks for cabinets that came into its scope or left it, ms. */
export const resolveEveryMs = 10 * 60_000
