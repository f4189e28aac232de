import { setTimeout as delay } from 'node:timers/promises'
import { Refusal } from '../refusal.ts'

/**
 * For reads that are always quick: one that is not answered in this time has a database that hangs (a
 * frozen machine, a cut line), which no error would tell for minutes. The caller hears `databaseAway`.
 */
const limitMs = 5_000

export async function withinLimit<Result>(reading: Promise<Result>): Promise<Result> {
  const answered = new AbortController()
  const limit = delay(limitMs, undefined, { signal: answered.signal }).then(() => {
    // What comes of it later is nobody's any more.
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
