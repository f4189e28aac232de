import type pg from 'pg'
import type { Db } from '../database/database.ts'
import type { Job } from '../jobs/jobs.ts'
import type { Log } from '../log.ts'
import { areDeltasMany, closeMonths, foldDeltas, keepZone, settleLevels } from './counters.ts'
import { settleMoves } from './move.ts'
import { keepPartitions } from './partitions.ts'

/**
 * Rows of a minute share cells: 2,000 deltas come to 11 cells each, 30,000 to half of that. So a fold waits
 * for a minute to pass, or for so many deltas that adding them up would cost a list two milliseconds.
 */
const foldAfterMs = 60_000
const foldAtDeltas = 20_000

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
  let foldedAtMs = 0
  return [
    {
      name: 'history.fold',
      everyMs: 10_000,
      run: async () => {
        if (Date.now() - foldedAtMs < foldAfterMs && !(await areDeltasMany(db, foldAtDeltas))) return
        const taken = await foldDeltas(db)
        foldedAtMs = Date.now()
        // Dead rows would be read by every list until autovacuum comes by, a minute later.
        if (taken > 0) await pool.query('VACUUM (TRUNCATE false) history_delta')
      },
    },
    {
      name: 'history.settleLevels',
      everyMs: 30_000,
      run: async () => {
        const codes = await settleLevels(db)
        if (codes > 0) log.info({ codes }, '已按新的告警级别重新统计')
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
