import type pg from 'pg'
import type { Db } from '../database/database.ts'
import type { Job } from '../jobs/jobs.ts'
import type { Log } from '../log.ts'
import { closeMonths, countDeltas, foldDeltas, keepZone, mergeDeltas, settleLevels } from './counters.ts'
import { settleMoves } from './move.ts'
import { keepPartitions } from './partitions.ts'

/**
 * A fold's cost is its cells: 2,000 deltas as they come touch 11 each, the merged deltas of a day two. So
 * folding waits for an hour or for so many that adding them up would cost a list some milliseconds; until
 * then deltas are merged whenever there are twice as many as the last merge left. A merge is cheaper, but a
 * second of a core all the same, in which devices wait twice as long for their PUBACK.
 */
const foldAfterMs = 3_600_000
const manyDeltas = 50_000

/** What the history needs by the clock. */
export function historyJobs({
  db,
  pool,
  log,
  zone,
  retentionDays,
}: {
  db: Db
  pool: pg.Pool
  log: Log
  zone: string
  retentionDays: number
}): Job[] {
  // Not right after the start: that is when ten thousand devices come back, and code runs for the first time.
  let foldedAtMs = Date.now()
  let leftByMerge = 0
  return [
    {
      name: 'history.fold',
      everyMs: 10_000,
      run: async () => {
        const isDue = Date.now() - foldedAtMs >= foldAfterMs
        if (!isDue) {
          const mergeAt = Math.max(manyDeltas, leftByMerge * 2)
          if ((await countDeltas(db, mergeAt)) < mergeAt) return
          leftByMerge = await mergeDeltas(db)
        }
        if (isDue || leftByMerge >= manyDeltas) {
          while ((await foldDeltas(db)) > 0);
          foldedAtMs = Date.now()
          leftByMerge = 0
        }
        // Dead rows would be read by every list until autovacuum comes by, a minute later.
        await pool.query('VACUUM (TRUNCATE false) history_delta')
      },
    },
    {
      name: 'history.settleLevels',
      everyMs: 30_000,
      run: async () => {
        const codes = await settleLevels(db)
        // Soon after the first start as well, for every code of the dictionary: nobody has changed anything then.
        if (codes > 0) log.debug({ codes }, '已按新的告警级别重新统计')
      },
    },
    {
      name: 'history.settleMoves',
      everyMs: 30_000,
      run: async () => {
        await settleMoves(db)
      },
    },
    {
      name: 'history.keep',
      everyMs: 3_600_000,
      run: async () => {
        const { made, dropped } = await keepPartitions(pool, { retentionDays })
        if (made.length + dropped.length > 0) log.info({ made, dropped }, '已整理历史分区')
        if (await keepZone(db, zone)) log.info({ zone }, '时区已更改，已重新统计历史数据')
        const closed = await closeMonths(db)
        if (closed.length > 0) log.info({ closed }, '已汇总历史月份')
      },
    },
  ]
}
