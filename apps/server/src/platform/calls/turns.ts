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
   * after `ownLastsMs` its caller's too.
   */
  lastsMs: number
  ownLastsMs: number
}

/** Ending it again does nothing. */
export interface Turn {
  end(): void
}

interface Caller {
  underWay: number
  /** In order. */
  waiting: Set<() => void>
}

export type Turns = ReturnType<typeof createTurns>

/** Turns of callers that are told apart by `key`. Callers that wait are served in a circle, one call each. */
export function createTurns({ inAll, perCaller, waiting: waitingAtMost, lastsMs, ownLastsMs }: TurnLimits) {
  const callers = new Map<string, Caller>()
  /** Those of whom a call waits and could begin, in the order of their next turn. */
  const ready = new Set<Caller>()
  let underWay = 0
  let waiting = 0

  const callerOf = (key: string): Caller => {
    const known = callers.get(key)
    if (known) return known
    const caller = { underWay: 0, waiting: new Set<() => void>() }
    callers.set(key, caller)
    return caller
  }

  /** What has come in meanwhile is read first: calls that take no time would else follow each other until none waits. */
  let isServing = false
  function serveSoon(): void {
    if (isServing || ready.size === 0) return
    isServing = true
    setImmediate(() => {
      isServing = false
      serve()
    })
  }

  function serve(): void {
    let begun = 0
    for (const caller of ready) {
      if (underWay >= inAll) return
      if (begun === inAll) {
        serveSoon()
        return
      }
      begun += 1
      ready.delete(caller)
      const [begin] = caller.waiting
      if (!begin) continue
      caller.waiting.delete(begin)
      waiting -= 1
      begin()
      // To the end of the circle; a Set goes through what is added meanwhile.
      if (caller.waiting.size > 0 && caller.underWay < perCaller) ready.add(caller)
    }
  }

  function begin(key: string, caller: Caller): Turn {
    underWay += 1
    caller.underWay += 1
    let isOfAll = true
    let isOwn = true
    const leaveToOthers = () => {
      if (!isOfAll) return
      isOfAll = false
      underWay -= 1
      serveSoon()
    }
    const leave = () => {
      if (!isOwn) return
      isOwn = false
      caller.underWay -= 1
      if (caller.waiting.size > 0) ready.add(caller)
      else if (caller.underWay === 0) callers.delete(key)
      if (isOfAll) leaveToOthers()
      else serveSoon()
    }
    const timers = [setTimeout(leaveToOthers, lastsMs), setTimeout(leave, ownLastsMs)]
    return {
      end() {
        for (const timer of timers) clearTimeout(timer)
        leave()
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
      if (underWay < inAll && caller.underWay < perCaller && caller.waiting.size === 0)
        return { turn: begin(key, caller), waits: false }
      if (caller.waiting.size >= waitingAtMost) return null
      let turn: Turn | undefined
      const beginNow = () => {
        turn = begin(key, caller)
        onTurn()
      }
      caller.waiting.add(beginNow)
      waiting += 1
      if (caller.underWay < perCaller) ready.add(caller)
      const end = () => {
        if (turn) return turn.end()
        if (!caller.waiting.delete(beginNow)) return
        waiting -= 1
        if (caller.waiting.size > 0) return
        ready.delete(caller)
        if (caller.underWay === 0) callers.delete(key)
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
