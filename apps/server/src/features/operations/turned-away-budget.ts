const hourMs = 3_600_000
/** As long as a limit of sign-ins lasts. */
const pauseMs = 900_000
/** The limits for one name, and for all together. */
const mostAnHour = { name: 20, all: 200 }

/** A call that was turned away: the name is the one that was tried, or the caller's. */
export interface TurnedAwayCall {
  name: string | null
  call: string
  address: string
}

/**
 * Which of the calls that a limit turned away are recorded in the operation log: of one name, call and address the
 * first in 15 minutes, 20 an hour of one name from wherever, and 200 an hour of each process.
 */
export function createTurnedAwayBudget(now: () => number) {
  let hourBeganAt = Number.NEGATIVE_INFINITY
  let taken = 0
  const takenByName = new Map<string | null, number>()
  /** The calls of this hour and the quarter before it: 400 at most. */
  const takenAt = new Map<string, number>()

  return {
    /** Whether the call is to be recorded; if so, it is counted. */
    take({ name, call, address }: TurnedAwayCall): boolean {
      const at = now()
      if (at - hourBeganAt >= hourMs) {
        hourBeganAt = at
        taken = 0
        takenByName.clear()
        for (const [one, when] of takenAt) if (at - when >= pauseMs) takenAt.delete(one)
      }
      const key = `${call}\n${name}\n${address}`
      const ofName = takenByName.get(name) ?? 0
      if (taken >= mostAnHour.all || ofName >= mostAnHour.name) return false
      if (at - (takenAt.get(key) ?? Number.NEGATIVE_INFINITY) < pauseMs) return false
      taken += 1
      takenByName.set(name, ofName + 1)
      takenAt.set(key, at)
      return true
    },
  }
}
