// The jobs of the history: partitions to come, counts by day, and the removal of what has expired.
import type pg from 'pg'
import type { Db } from '../../platform/database/database.ts'
import type { Job } from '../../platform/database/jobs/jobs.ts'
import type { Log } from '../../platform/process/log.ts'
import { spoken } from '../../platform/process/sentences.ts'
import {
  countDeltas,
  foldDeltas,
  foldLimit,
  keepZone,
  mergeDeltas,
  recountLevels,
  recountUncounted,
} from './counters.ts'
import { recountGroups } from './groups.ts'
import { repairMoves } from './move.ts'
import { dropPartitions, makePartitions } from './partitions/partitions.ts'

/**
 * The cost of a fold is its cells: 2,000 deltas as they come touch 11 cells each, the merged deltas of a day two.
 * So a fold waits for an hour, or for so many deltas that adding them up would cost a list some milliseconds;
 * until then deltas are merged whenever there are twice as many as the last merge left. A merge is cheaper, but
 * still takes a second of a core, in which devices wait twice as long for their PUBACK.
 */
const foldAfterMs = 3_600_000
const manyDeltas = 50_000

/** The periodic work of the history. */
export function historyJobs({
  db,
  owner,
  log,
  zone,
  retentionDays,
}: {
  db: Db
  /** Who may make and drop partitions, and vacuum. */
  owner: pg.Pool
  log: Log
  zone: string
  retentionDays: number
}): Job[] {
  // Not right after the start: ten thousand devices reconnect then, and code is not compiled yet.
  let foldedAtMs = performance.now()
  let leftByMerge = 0
  return [
    {
      name: 'history.fold',
      everyMs: 10_000,
      run: async (signal) => {
        const isDue = performance.now() - foldedAtMs >= foldAfterMs
        if (!isDue) {
          const mergeAt = Math.max(manyDeltas, leftByMerge * 2)
          if ((await countDeltas(db, mergeAt)) < mergeAt) return
          leftByMerge = await mergeDeltas(db, signal)
        }
        if (signal.aborted) return
        if (isDue || leftByMerge >= manyDeltas) {
          // Deltas that arrive meanwhile wait for the next fold: a loop until none is left would never end.
          while ((await foldDeltas(db)) === foldLimit) if (signal.aborted) return
          foldedAtMs = performance.now()
          leftByMerge = 0
        }
        // Every list would read the dead rows until autovacuum runs, up to a minute later.
        await owner.query('VACUUM (TRUNCATE false) history_delta')
      },
    },
    {
      name: 'history.recountLevels',
      everyMs: 30_000,
      run: async () => {
        await recountUncounted(db)
        const codes = await recountLevels(db)
        // Debug: after the first start this happens for every code of the dictionary, which is no change.
        if (codes > 0)
          log.debug(
            { codes },
            spoken({ zh: '已按新的告警级别重新统计', en: 'counted anew by the changed alarm levels' }),
          )
      },
    },
    {
      name: 'history.recountGroups',
      everyMs: 30_000,
      run: async (signal) => {
        const organizations = await recountGroups(db, signal)
        if (organizations > 0)
          log.debug(
            { organizations },
            spoken({ zh: '已按新的机构重新统计', en: 'counted anew by the changed organizations' }),
          )
      },
    },
    {
      name: 'history.repairMoves',
      everyMs: 30_000,
      run: async (signal) => {
        await repairMoves(db, { signal })
      },
    },
    {
      name: 'history.keep',
      everyMs: 3_600_000,
      run: async () => {
        const made = await makePartitions(owner, { at: [new Date()], retentionDays })
        if (made.length > 0)
          log.info({ made }, spoken({ zh: '已建立历史分区', en: 'partitions of the history were made' }))
        if (await keepZone(db, zone))
          log.info(
            { zone },
            spoken({
              zh: '时区已更改，已重新统计历史数据',
              en: 'the zone has changed, the history was counted anew',
            }),
          )
      },
    },
    {
      name: 'history.drop',
      everyMs: 3_600_000,
      deletesByAge: true,
      run: async () => {
        const dropped = await dropPartitions(owner, { retentionDays })
        if (dropped.length > 0)
          log.info({ dropped }, spoken({ zh: '已清理过期历史', en: 'expired history was removed' }))
      },
    },
  ]
}
