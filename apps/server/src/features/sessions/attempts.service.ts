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
 * Runs the check of a password as an attempt. Refuses 429 `tooManyTries` once the name or the address has failed five
 * times in 15 minutes. An attempt is counted before its check: parallel guesses cannot exceed the limit. An attempt
 * that meets only undecided ones waits for them: many right passwords at once, from an office behind one address,
 * are not refused.
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
    // The password was not checked: a database that is away is not a failed attempt.
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
 * The address that attempts are counted by. An IPv6 subscriber has a whole /64, which counts as one address. An IPv4
 * address in IPv6 form is the IPv4 address.
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
