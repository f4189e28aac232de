import { isIPv6 } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Db } from '../../platform/database/database.ts'
import { withinLimit } from '../../platform/database/time-limit.ts'
import { refuse } from '../../platform/refusal.ts'
import * as queries from './attempts.queries.ts'

const failureLimit = 5
const retryMs = 40
const retryLimitMs = 4_000

/**
 * Runs a check of a password as an attempt, which it refuses with `tooManyTries` once its name or its
 * address has failed five times in 15 minutes. The attempt is counted before it is checked, so that
 * guesses made at once cannot exceed the limit; who finds only undecided ones in his way waits for them,
 * so that many right passwords at once (an office behind one address) are not refused.
 */
export async function asAttempt(
  db: Db,
  key: queries.AttemptKey,
  isRight: () => Promise<boolean>,
): Promise<boolean> {
  const id = await withinLimit(reserve(db, key))
  let succeeded = false
  try {
    succeeded = await isRight()
  } catch (error) {
    // Nothing was learned about the password: a database away is no failure of the person's.
    await queries.deleteAttempt(db, id).catch(() => undefined)
    throw error
  }
  if (!succeeded) {
    await queries.markFailed(db, id)
    return false
  }
  await queries.deleteAttempt(db, id)
  await queries.forgiveName(db, key.name)
  return true
}

async function reserve(db: Db, key: queries.AttemptKey): Promise<string> {
  for (let waitedMs = 0; waitedMs < retryLimitMs; waitedMs += retryMs) {
    const id = await db.transaction().execute(async (trx) => {
      await queries.lockAttempts(trx, key)
      const { failed, pending } = await queries.countAttempts(trx, key)
      if (failed >= failureLimit) refuse('tooManyTries')
      return failed + pending < failureLimit ? queries.insertAttempt(trx, key) : null
    })
    if (id) return id
    await delay(retryMs)
  }
  return refuse('tooManyTries')
}

/**
 * What one person behind an address can easily have many of counts as one: an IPv6 subscriber holds a
 * whole /64. An IPv4 address in IPv6 form is the IPv4 address.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped) return mapped
  const [plain = ''] = address.split('%')
  if (!isIPv6(plain)) return address
  const [head = '', tail] = plain.toLowerCase().split('::')
  const groups = head === '' ? [] : head.split(':')
  const tailGroups = tail === undefined || tail === '' ? [] : tail.split(':')
  while (tail !== undefined && groups.length + tailGroups.length < 8) groups.push('0')
  const network = [...groups, ...tailGroups].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''))
  return `${network.join(':')}::/64`
}
