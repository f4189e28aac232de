// Attempts to sign in: counted by name and address, turned away or slowed down.
import { setTimeout as delay } from 'node:timers/promises'
import { refuse } from '../../platform/calls/refusal.ts'
import { withinLimit } from '../../platform/database/connections/time-limit.ts'
import type { Db } from '../../platform/database/database.ts'
import * as queries from './attempts.queries.ts'
import { type Limits, type Verdict, verdictOn } from './attempts.rules.ts'
import { createChecks, createConcurrencyLimit, createWaitingRoom } from './sign-in-concurrency.ts'

/** Why an attempt was turned away before its password was checked. */
export type TurnedAway = 'pair' | 'address' | 'slowed' | 'busy'

export interface AttemptNeeds {
  db: Db
  /** Connections of this process; sign-ins use a quarter of them at once, and two where that is less. */
  poolSize: number
  /** Failures from one address, with whatever names, in 15 minutes. */
  addressLimit: number
  onTurnedAway(reason: TurnedAway, key: queries.AttemptKey): void
}

/** Attempts with one name that wait for its turn. */
const mostForTurn = 4
const waitLimitMs = 4_000
const turnLimitMs = 15_000
const mostBetweenLooksMs = 500

/**
 * Counts attempts to guess a password, and decides which are checked. An attempt is counted before its check: parallel
 * guesses cannot exceed a limit. An attempt that meets only undecided ones waits for them: many right passwords at
 * once, from an office behind one address, are not refused.
 */
export function createAttempts({ db, poolSize, addressLimit, onTurnedAway }: AttemptNeeds) {
  const limits: Limits = { pair: 5, address: addressLimit, name: 20, nameSpacingMs: 3_000 }
  const limited = createConcurrencyLimit(Math.max(2, Math.floor(poolSize / 4)))
  const room = createWaitingRoom()
  const checks = createChecks()
  const waitingForTurn = new Map<string, number>()

  const turnAway = (reason: TurnedAway, key: queries.AttemptKey): never => {
    onTurnedAway(reason, key)
    return refuse(reason === 'busy' ? 'signInBusy' : reason === 'slowed' ? 'signInSlowed' : 'tooManyTries')
  }

  /** Reads the counts, and takes the locks to read them again and to count this attempt only where there is room. */
  async function tryToCount(key: queries.AttemptKey, isAlone: boolean): Promise<Verdict | string> {
    const verdict = verdictOn(await queries.countAttempts(db, key), limits, isAlone)
    if (verdict.is !== 'allowed') return verdict
    return db.transaction().execute(async (trx) => {
      await (isAlone ? queries.lockPair : queries.lockAttempts)(trx, key)
      const now = verdictOn(await queries.countAttempts(trx, key), limits, isAlone)
      return now.is === 'allowed' ? queries.insertAttempt(trx, key) : now
    })
  }

  /** Counts the attempt from now on, and returns its id. */
  async function reserve(key: queries.AttemptKey, isAlone: boolean): Promise<string> {
    // With so many waiting, another attempt would only wait behind them: it is turned away without a query.
    if (!isAlone && (waitingForTurn.get(key.name) ?? 0) >= mostForTurn) turnAway('slowed', key)
    const place = isAlone ? null : (room.enter(key) ?? turnAway('busy', key))
    let isForTurn = false
    try {
      for (let waitedMs = 0; ; ) {
        let isGivenUp = false
        const looked = limited(
          async () => {
            const by = place?.refusedBy()
            if (by) return { is: 'refused', by } as const
            // The caller has given up: an attempt counted now would belong to nobody.
            return isGivenUp ? refuse('databaseAway') : tryToCount(key, isAlone)
          },
          { goesFirst: isAlone },
        )
        const counted = await withinLimit(looked, { db }).catch((error: unknown) => {
          isGivenUp = true
          throw error
        })
        if (typeof counted === 'string') return counted
        if (counted.is === 'refused') {
          place?.refuseLike(counted.by)
          return turnAway(counted.by, key)
        }
        if (counted.is === 'allowed') throw new Error('an attempt with room is counted')
        if (counted.for === 'turn' && !isForTurn) {
          const others = waitingForTurn.get(key.name) ?? 0
          if (others >= mostForTurn) return turnAway('slowed', key)
          waitingForTurn.set(key.name, others + 1)
          isForTurn = true
        }
        // Longer each time: others may be checked for seconds, and each look is a query.
        const ms = Math.max(counted.ms, Math.min(waitedMs, mostBetweenLooksMs))
        waitedMs += ms
        if (waitedMs > (isForTurn ? turnLimitMs : waitLimitMs))
          return turnAway(isForTurn ? 'slowed' : 'busy', key)
        await delay(ms)
      }
    } finally {
      place?.leave()
      if (isForTurn) {
        const left = (waitingForTurn.get(key.name) ?? 1) - 1
        if (left > 0) waitingForTurn.set(key.name, left)
        else waitingForTurn.delete(key.name)
      }
    }
  }

  return {
    /** Attempts under way in this process, those that wait too, and the most that there may be. */
    room,

    /** Uses a connection for a query of signing in: a limited number of them run at once. */
    limited,

    /**
     * Runs the check of a password as an attempt. `isAlone`: counted by its pair alone. Refuses 429 `tooManyTries` once
     * the pair has failed five times in 15 minutes or the address `addressLimit` times, `signInSlowed` where a name
     * that fails from many addresses is being tried too often, and `signInBusy` where too many attempts are under way, or
     * where the client has gone (`signal`) before its turn.
     */
    async asAttempt(
      key: queries.AttemptKey,
      isRight: () => Promise<boolean>,
      { isAlone = false, signal }: { isAlone?: boolean; signal?: AbortSignal } = {},
    ): Promise<boolean> {
      const id = await reserve(key, isAlone)
      let succeeded = false
      try {
        succeeded = (await checks.run(key.address, isRight, signal)) ?? refuse('signInBusy')
      } catch (error) {
        // The password was not checked: a database that is away is not a failed attempt.
        await limited(() => queries.deleteAttempt(db, id)).catch(() => undefined)
        throw error
      }
      await limited(
        async () => {
          if (!succeeded) return queries.markFailed(db, id)
          await queries.deleteAttempt(db, id)
          await queries.forgivePair(db, key)
        },
        { goesFirst: true },
      )
      return succeeded
    },
  }
}

export type Attempts = ReturnType<typeof createAttempts>
