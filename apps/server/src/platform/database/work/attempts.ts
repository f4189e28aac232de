/** How often something is tried, and how long apart. */
export interface AttemptRule {
  /** At least 1. */
  maxAttempts: number
  /** From the first attempt to the second, ms. */
  intervalMs: number
  /** Each interval is the one before it times this factor; 1 (the default) leaves them equal. */
  growth?: number
  /** Growing intervals stop growing here, ms. */
  longestIntervalMs?: number
  /** 0 to 1: by what part an interval varies either way, so that ten thousand rows do not come due at once. */
  jitter?: number
}

/** What a row says of its attempts so far. */
export interface AttemptedRow {
  /** Made so far. */
  attempts: number
  /** Null where the row may be tried for ever. */
  deadline: Date | null
}

export type NextAttempt =
  /** Try again at that time. */
  | { kind: 'again'; at: Date }
  /** No attempt is left before the deadline; an answer may still come until then. */
  | { kind: 'awaitDeadline'; at: Date }
  /** No attempt is left, or the deadline is past. */
  | { kind: 'over' }

/** Whether the rule allows one more attempt. */
export const hasAttemptLeft = ({ attempts }: Pick<AttemptedRow, 'attempts'>, { maxAttempts }: AttemptRule) =>
  attempts < maxAttempts

/**
 * What follows an attempt that was made at `now` and is counted in `row.attempts` already. `random` is in
 * [0, 1), and there for tests.
 */
export function nextAttempt(
  row: AttemptedRow,
  rule: AttemptRule,
  now: Date,
  random: () => number = Math.random,
): NextAttempt {
  const deadlineMs = row.deadline?.getTime() ?? Number.POSITIVE_INFINITY
  if (now.getTime() >= deadlineMs) return { kind: 'over' }
  if (hasAttemptLeft(row, rule)) {
    const atMs = now.getTime() + intervalAfter(row.attempts, rule, random)
    if (atMs < deadlineMs) return { kind: 'again', at: new Date(atMs) }
  }
  return row.deadline ? { kind: 'awaitDeadline', at: row.deadline } : { kind: 'over' }
}

/** From attempt number `attempts` to the next, whole ms. */
function intervalAfter(
  attempts: number,
  { intervalMs, growth = 1, longestIntervalMs = Number.POSITIVE_INFINITY, jitter = 0 }: AttemptRule,
  random: () => number,
): number {
  const grownMs = Math.min(intervalMs * growth ** Math.max(0, attempts - 1), longestIntervalMs)
  return Math.round(grownMs * (1 + jitter * (2 * random() - 1)))
}
