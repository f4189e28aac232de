// Whose call is next: callers take turns, and what one of them sends at once waits behind itself.

export interface TurnLimits {
  /** Turns of all callers at once. */
  inAll: number
  /** Turns of one caller at once. */
  perCaller: number
  /** Calls of one caller that wait for a turn. */
  waiting: number
  /**
   * A call that lasts longer (it waits for something, e.g. for a lock of the database) leaves its place to others, and
   * after `ownLastsMs` its caller's too. `Infinity`: never.
   */
  lastsMs: number
  ownLastsMs: number
  /** Calls of one caller that have begun and have not ended, however long they last. */
  lasting?: number
  /**
   * A caller with more calls than this waiting has one turn at a time until none waits, and rests after each for twice as
   * long as it lasted: what a burst costs the others is bounded by its share of the time, not by their number alone.
   */
  burst?: number
}

/** Half as long, and a neighbour's p95 beside 300 connections on the API document was 1.6 of quiet. */
const restsTimes = 2
/** The shortest rest of a caller with a burst: a timer's. */
const leastRestMs = 1

/** Ending it again does nothing. */
export interface Turn {
  end(): void
}

interface Caller {
  /** Of its turns: those that have lasted too long are none any more. */
  underWay: number
  lasting: number
  /** In order. */
  waiting: Set<() => void>
  isInBurst: boolean
  isResting: boolean
}

export type Turns = ReturnType<typeof createTurns>

/** Turns of callers that are told apart by `key`. Callers that wait are served in a circle, one call each. */
export function createTurns({
  inAll,
  perCaller,
  waiting: waitingAtMost,
  lastsMs,
  ownLastsMs,
  lasting = Number.POSITIVE_INFINITY,
  burst = Number.POSITIVE_INFINITY,
}: TurnLimits) {
  const callers = new Map<string, Caller>()
  /** Those of whom a call waits and could begin, in the order of their next turn. */
  const ready = new Set<Caller>()
  let underWay = 0
  let waiting = 0

  const callerOf = (key: string): Caller => {
    const known = callers.get(key)
    if (known) return known
    const caller = {
      underWay: 0,
      lasting: 0,
      waiting: new Set<() => void>(),
      isInBurst: false,
      isResting: false,
    }
    callers.set(key, caller)
    return caller
  }

  const mayBegin = (caller: Caller) =>
    !caller.isResting && caller.lasting < lasting && caller.underWay < (caller.isInBurst ? 1 : perCaller)

  /**
   * An ended turn is given back when the event loop has come round, not at once: calls that take no time would else never
   * wait, and all that have come in, of 300 connections, would be answered before anybody else's is read.
   */
  let ended: (() => void)[] = []
  function giveBackSoon(leave: () => void): void {
    if (ended.push(leave) > 1) return
    setImmediate(() => {
      const leaving = ended
      ended = []
      for (const leaveNow of leaving) leaveNow()
      serve()
    })
  }

  function serve(): void {
    for (const caller of ready) {
      if (underWay >= inAll) return
      ready.delete(caller)
      const [begin] = caller.waiting
      if (!begin || !mayBegin(caller)) continue
      caller.waiting.delete(begin)
      waiting -= 1
      if (caller.waiting.size === 0) caller.isInBurst = false
      begin()
      // To the end of the circle; a Set goes through what is added meanwhile.
      if (caller.waiting.size > 0 && mayBegin(caller)) ready.add(caller)
    }
  }

  function rest(caller: Caller, forMs: number): void {
    if (caller.isResting) return
    caller.isResting = true
    setTimeout(() => {
      caller.isResting = false
      if (caller.waiting.size === 0) return
      ready.add(caller)
      serve()
    }, forMs)
  }

  function begin(key: string, caller: Caller): Turn {
    underWay += 1
    caller.underWay += 1
    caller.lasting += 1
    const beganAt = performance.now()
    let isOfAll = true
    let isOwn = true
    const leaveToOthers = () => {
      if (!isOfAll) return
      isOfAll = false
      underWay -= 1
    }
    const leave = () => {
      if (!isOwn) return
      isOwn = false
      caller.underWay -= 1
      leaveToOthers()
      if (caller.waiting.size === 0) {
        if (caller.lasting === 0) callers.delete(key)
      } else if (caller.isInBurst)
        rest(caller, Math.max(restsTimes * (performance.now() - beganAt), leastRestMs))
      else ready.add(caller)
    }
    let isOver = false
    const over = () => {
      if (isOver) return
      isOver = true
      caller.lasting -= 1
      if (isOwn) leave()
      else if (caller.waiting.size > 0) ready.add(caller)
      else if (caller.lasting === 0) callers.delete(key)
    }
    const andServe = (work: () => void) => () => {
      work()
      serve()
    }
    const timers = [after(lastsMs, andServe(leaveToOthers)), after(ownLastsMs, andServe(leave))]
    return {
      end() {
        for (const timer of timers) clearTimeout(timer)
        if (!isOver) giveBackSoon(over)
      },
    }
  }

  return {
    /**
     * A turn for the caller of this key. Where the call has to wait for it, `onTurn` tells that it has come, and ending
     * the turn before gives up the wait. Null where the caller has too many waiting.
     */
    take(key: string, onTurn: () => void): { turn: Turn; waits: boolean } | null {
      const caller = callerOf(key)
      if (underWay < inAll && mayBegin(caller) && caller.waiting.size === 0)
        return { turn: begin(key, caller), waits: false }
      if (caller.waiting.size >= waitingAtMost) return null
      let turn: Turn | undefined
      const beginNow = () => {
        turn = begin(key, caller)
        onTurn()
      }
      caller.waiting.add(beginNow)
      waiting += 1
      if (caller.waiting.size > burst) caller.isInBurst = true
      if (mayBegin(caller)) ready.add(caller)
      const end = () => {
        if (turn) return turn.end()
        if (!caller.waiting.delete(beginNow)) return
        waiting -= 1
        if (caller.waiting.size > 0) return
        caller.isInBurst = false
        ready.delete(caller)
        if (caller.lasting === 0) callers.delete(key)
      }
      return { turn: { end }, waits: true }
    },

    get underWay() {
      return underWay
    },
    get waiting() {
      return waiting
    },
  }
}

/** A timer of Node's that is longer fires at once. */
const after = (ms: number, work: () => void) => (Number.isFinite(ms) ? setTimeout(work, ms) : undefined)

/** The turn, when it has come. Null where the caller has too many waiting, and where the client goes before. */
export const turnIn = (turns: Turns, key: string, signal?: AbortSignal): Promise<Turn | null> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve(null)
    const giveUp = () => {
      taken?.turn.end()
      resolve(null)
    }
    const begin = () => {
      signal?.removeEventListener('abort', giveUp)
      resolve(taken?.turn ?? null)
    }
    const taken = turns.take(key, begin)
    signal?.addEventListener('abort', giveUp)
    if (!taken?.waits) begin()
  })
