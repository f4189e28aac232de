// Calls that wait are woken where something was placed that they want: looked up once for all calls of the process.
import type { FeedType } from '@voltkeep/contract'

/** What was placed behind a place. */
export interface Placed {
  last: string
  /** Of each kind the newest; null: more than is looked at, so it may be of any kind. */
  newest: ReadonlyMap<FeedType, string> | null
  /** There is more to place. */
  hasMore: boolean
}

interface Waiter {
  after: bigint
  kinds: readonly FeedType[]
  wake: () => void
}

/** Machines read the feed: half a second late is soon, and a stream of events costs a look twice a second. */
const usualPauseMs = 500

export function createNews(look: (after: string) => Promise<Placed>, pauseMs = usualPauseMs) {
  const waiters = new Set<Waiter>()
  const newest = new Map<FeedType, bigint>()
  /** Behind it everything is looked at; -1: nothing has been. */
  let seen = -1n
  /** Up to here there may be events of any kind. */
  let anyKindUpTo = 0n
  let lookedMs = Number.NEGATIVE_INFINITY
  /** Set until its look is over. */
  let timer: NodeJS.Timeout | undefined
  let isAskedAgain = false

  async function lookAround(): Promise<void> {
    const placed = await look(String(seen))
    const last = BigInt(placed.last)
    if (placed.newest === null || last < seen) anyKindUpTo = last
    // A restore has taken the history back.
    if (last < seen) newest.clear()
    for (const [kind, seq] of placed.newest ?? []) newest.set(kind, BigInt(seq))
    seen = last
    for (const { after, kinds, wake } of waiters)
      if (anyKindUpTo > after || kinds.some((kind) => (newest.get(kind) ?? 0n) > after)) wake()
    if (placed.hasMore) isAskedAgain = true
  }

  function lookSoon(): void {
    if (waiters.size === 0) return
    if (timer) {
      isAskedAgain = true
      return
    }
    const restMs = lookedMs + pauseMs - performance.now()
    timer = setTimeout(
      async () => {
        isAskedAgain = false
        lookedMs = performance.now()
        // Whoever waits looks by itself in the end, and is told what is the matter.
        await lookAround().catch(() => undefined)
        timer = undefined
        if (isAskedAgain) lookSoon()
      },
      Math.max(0, restMs),
    )
  }

  return {
    /** Something may have happened. */
    notice: lookSoon,

    /** Waits until something was placed of these kinds behind the place, for `ms` at most or until a signal is aborted. */
    async wait(
      { after, kinds }: { after: string; kinds: readonly FeedType[] },
      ms: number,
      signals: readonly AbortSignal[],
    ): Promise<void> {
      if (signals.some(({ aborted }) => aborted)) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const wake = () => resolve()
      const waiter = { after: BigInt(after), kinds, wake }
      const patience = setTimeout(wake, ms)
      for (const signal of signals) signal.addEventListener('abort', wake)
      waiters.add(waiter)
      // Of what was placed since the place was read.
      lookSoon()
      try {
        await promise
      } finally {
        waiters.delete(waiter)
        clearTimeout(patience)
        for (const signal of signals) signal.removeEventListener('abort', wake)
      }
    },
  }
}
