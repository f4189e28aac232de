import { Refusal } from '../../calls/refusal.ts'
import type { Db } from '../database.ts'
import { pulseOf } from './pulse.ts'

const usualLimitMs = 5_000
const usualPatienceMs = 30_000

/**
 * For reads that are always quick. Without an answer in this time the database hangs (a frozen machine, a cut
 * connection), which no error would report for minutes: throws `databaseAway`. Where the database answers other queries
 * of `db` meanwhile, it is busy: the read then gets more time before `serverBusy` is thrown.
 */
export function withinLimit<Result>(
  reading: Promise<Result>,
  {
    db,
    limitMs = usualLimitMs,
    patienceMs = usualPatienceMs,
  }: { db?: Db; limitMs?: number; patienceMs?: number } = {},
): Promise<Result> {
  const pulse = db && pulseOf(db)
  const askedAtMs = performance.now()
  return new Promise((resolve, reject) => {
    let lookedAtMs = askedAtMs
    let timer = setTimeout(due, limitMs)
    // Answers that came while this process was blocked are read after its timers, and before this runs.
    function due(): void {
      timer = setTimeout(look, 0)
    }
    function look(): void {
      const isAnswering = pulse?.hasBeatSince(lookedAtMs)
      lookedAtMs = performance.now()
      if (!isAnswering) reject(new Refusal('databaseAway'))
      else if (lookedAtMs - askedAtMs >= patienceMs) reject(new Refusal('serverBusy'))
      else timer = setTimeout(due, limitMs)
    }
    reading.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
