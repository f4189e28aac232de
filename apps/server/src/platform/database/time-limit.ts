import { setTimeout as delay } from 'node:timers/promises'
import { Refusal } from '../refusal.ts'

/**
 * For reads that are always quick. Without an answer in this time the database hangs (a frozen machine, a cut
 * connection), which no error would report for minutes. Throws `databaseAway`.
 */
const limitMs = 5_000

export async function withinLimit<Result>(reading: Promise<Result>): Promise<Result> {
  const answered = new AbortController()
  const limit = delay(limitMs, undefined, { signal: answered.signal }).then(() => {
    // A later error of the reading has no other handler.
    reading.catch(() => undefined)
    throw new Refusal('databaseAway')
  })
  limit.catch(() => undefined)
  try {
    return await Promise.race([reading, limit])
  } finally {
    answered.abort()
  }
}
