// Concurrency of attempts to sign in: who waits, and how many passwords are checked at once.
import { availableParallelism } from 'node:os'
import { createTurns, turnIn } from '../../platform/calls/turns.ts'

/** Of those that go first; then one of the rest has its turn. */
const firstInRow = 3

/**
 * Runs at most `places` works at once. The others wait in order, those marked as first before the rest, of whom every
 * fourth is nevertheless: nobody waits for ever.
 */
export function createConcurrencyLimit(places: number) {
  let free = places
  let inRow = 0
  const first: (() => void)[] = []
  const others: (() => void)[] = []

  return async <Result>(work: () => Promise<Result>, { goesFirst = false } = {}): Promise<Result> => {
    if (free > 0) free -= 1
    else await new Promise<void>((enter) => (goesFirst ? first : others).push(enter))
    try {
      return await work()
    } finally {
      const isFirst = first.length > 0 && (inRow < firstInRow || others.length === 0)
      inRow = isFirst ? inRow + 1 : 0
      const next = (isFirst ? first : others).shift()
      if (next) next()
      else free += 1
    }
  }
}

export type ConcurrencyLimit = ReturnType<typeof createConcurrencyLimit>

/** How many attempts may be under way in a process: with one name, from one address, in all. */
const most = { name: 32, address: 64, all: 256 }

/**
 * The attempts under way in this process. `enter` returns null where a limit is reached. An attempt that waits shares
 * the refusal of the one that has read the count: a flood of sign-ins does not query the database for each.
 */
export function createWaitingRoom() {
  /** Attempts under way by key; a key is forgotten with its last attempt. */
  const present = new Map<string, { count: number; refusedAt: number }>()
  let all = 0
  let moment = 0

  const come = (key: string) => {
    const known = present.get(key)
    if (known) known.count += 1
    else present.set(key, { count: 1, refusedAt: 0 })
  }
  const go = (key: string) => {
    const known = present.get(key)
    if (!known) return
    known.count -= 1
    if (known.count === 0) present.delete(key)
  }
  const isFull = (key: string, bound: number) => (present.get(key)?.count ?? 0) >= bound

  return {
    most: most.all,
    get count() {
      return all
    },

    enter({ name, address }: { name: string; address: string }) {
      const keys = { name: `name ${name}`, address: `address ${address}`, pair: `pair ${name}\n${address}` }
      if (all >= most.all || isFull(keys.name, most.name) || isFull(keys.address, most.address)) return null
      const cameAt = ++moment
      all += 1
      for (const key of Object.values(keys)) come(key)
      return {
        /** Refuses every attempt that waits with the same pair, or from the same address, like this one. */
        refuseLike(by: 'pair' | 'address') {
          const known = present.get(keys[by])
          if (known) known.refusedAt = ++moment
        },
        /** The reason by which another attempt was refused since this one came. */
        refusedBy(): 'pair' | 'address' | null {
          const isSince = (key: string) => (present.get(key)?.refusedAt ?? 0) > cameAt
          return isSince(keys.pair) ? 'pair' : isSince(keys.address) ? 'address' : null
        },
        leave() {
          all -= 1
          for (const key of Object.values(keys)) go(key)
        },
      }
    },
  }
}

/** A check computes for 30 ms on one of the threads that also read files and compress answers. */
const checksAtOnce = Math.max(1, Math.floor(availableParallelism() / 2))
/** No check lasts as long. */
const checkLastsMs = 60_000

/**
 * Checks of passwords, one at a time on two processors, in turns of those whom `key` tells apart. `run` returns null,
 * without a check, where the client has gone before its turn.
 */
export function createChecks() {
  const turns = createTurns({
    inAll: checksAtOnce,
    perCaller: 1,
    waiting: most.all,
    lastsMs: checkLastsMs,
    ownLastsMs: checkLastsMs,
  })

  return {
    async run<Result>(
      key: string,
      check: () => Promise<Result>,
      signal?: AbortSignal,
    ): Promise<Result | null> {
      const turn = await turnIn(turns, key, signal)
      if (!turn) return null
      try {
        return await check()
      } finally {
        turn.end()
      }
    },
  }
}
