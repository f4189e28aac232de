import { Refusal } from '../../calls/refusal.ts'
import { createTurns, turnIn } from '../../calls/turns.ts'

/** An export that is made occupies a connection to the database; calls need connections too. */
const madeAtOnce = 4
/** Or two users of one organization would keep the exports of all others waiting. */
const ofOneBranch = madeAtOnce / 2
const always = { lastsMs: Number.POSITIVE_INFINITY, ownLastsMs: Number.POSITIVE_INFINITY }

/**
 * Turns in which exports are made: a caller makes one at a time, a branch of organizations two; those who wait are served in
 * a circle of branches, and within each of callers. Returns what ends the turn. Refuses `tooManyExports` where more than
 * `waiting` of one caller or branch wait, and the export of a client that has gone.
 */
export function createMakings({ waiting }: { waiting: number }) {
  const ofCallers = createTurns({ inAll: Number.POSITIVE_INFINITY, perCaller: 1, waiting, ...always })
  // Each caller has one there at most.
  const ofBranches = createTurns({ inAll: madeAtOnce, perCaller: ofOneBranch, waiting, ...always })

  return async function take(caller: number, branch: number, signal: AbortSignal): Promise<() => void> {
    const refused = () => new Refusal(signal.aborted ? 'serverBusy' : 'tooManyExports')
    const own = await turnIn(ofCallers, String(caller), signal)
    if (!own) throw refused()
    const turn = await turnIn(ofBranches, String(branch), signal)
    if (!turn) {
      own.end()
      throw refused()
    }
    return () => {
      turn.end()
      own.end()
    }
  }
}
