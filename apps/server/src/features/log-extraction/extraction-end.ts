// The open request waits for its extraction, on whichever process it ends.
import type { Db } from '../../platform/database/database.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { logExtractionsChanged } from './log-extraction.notices.ts'
import { readOutcome } from './log-extraction.queries.ts'
import { isOver, reasons } from './log-extraction.states.ts'

export interface Outcome {
  state: 'done' | 'failed' | 'cancelled'
  reason: string | null
  /** The device has not uploaded anything in time. */
  isLate: boolean
}

/**
 * Resolves with the end of the extraction; with null where it is not over after this number of ms, or where the caller
 * has gone. A notice only triggers a look at the row; so does the possibility that notices were missed.
 */
export async function waitForEnd(
  id: string,
  {
    db,
    notices,
    signal,
    timeoutMs,
  }: { db: Db; notices: Pick<Notices, 'subscribe'>; signal: AbortSignal; timeoutMs: number },
): Promise<Outcome | null> {
  const look = async (): Promise<Outcome | null> => {
    const row = await readOutcome(db, id)
    if (!row || !isOver(row)) return null
    const { state, reason } = row
    return { state: state as Outcome['state'], reason, isLate: reason === reasons.noUpload }
  }
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      unsubscribe()
      signal.removeEventListener('abort', give)
    }
    const end = (outcome: Outcome | null) => {
      stop()
      resolve(outcome)
    }
    const give = () => end(null)
    const lookNow = () => {
      // If the database is away now, the notice of its return triggers another look.
      look().then(
        (outcome) => outcome && end(outcome),
        () => undefined,
      )
    }
    const unsubscribe = notices.subscribe(logExtractionsChanged, (ids) => {
      if (ids === null || ids.includes(id)) lookNow()
    })
    // One more look when the time is over: the notice of the end may have been lost.
    const timer = setTimeout(() => {
      look().then(end, (error: Error) => {
        stop()
        reject(error)
      })
    }, timeoutMs)
    signal.addEventListener('abort', give, { once: true })
    if (signal.aborted) give()
    else lookNow()
  })
}
