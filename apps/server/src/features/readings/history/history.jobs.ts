// The jobs of the history of readings: packing, partitions to come, and the removal of what is over.
import type pg from 'pg'
import type { Job } from '../../../platform/database/jobs/jobs.ts'
import { atDay } from '../../../platform/process/clock.ts'
import type { Log } from '../../../platform/process/log.ts'
import { spoken } from '../../../platform/process/sentences.ts'
import { deleteUnusedKeys } from './keys.queries.ts'
import {
  dropReadingPartitions,
  makeReadingPartitions,
  oldestHours,
  type ReadingRetention,
} from './partitions-of-readings.ts'
import {
  forgetSealing,
  listOpenHours,
  markHoursGone,
  readDatabaseTime,
  readSealedTo,
} from './sealing.queries.ts'
import { addUp, nextToAddUp, sealHours } from './sealing.ts'
import type { Thinned } from './thinning.ts'

export function readingHistoryJobs({
  pool,
  owner,
  log,
  retention,
  count,
}: {
  pool: pg.Pool
  /** Who may make, empty and drop partitions. */
  owner: pg.Pool
  log: Log
  retention: ReadingRetention
  /** Told of readings beyond what is kept of an hour, and of their devices. */
  count(counts: Readonly<Thinned>, crowded: Iterable<number>): void
}): Job[] {
  return [
    {
      name: 'readings.seal',
      everyMs: 60_000,
      run: async (signal) => {
        const sealing = { pool, owner, retention, signal }
        const { hours, reports, expired, refused, crowded } = await sealHours(sealing)
        if (hours > 0)
          log.debug(
            { hours, reports },
            spoken({ zh: '设备读数已归档', en: 'readings of devices were packed' }),
          )
        if (expired > 0)
          log.warn(
            { expired },
            spoken({
              zh: '部分迟到的设备读数早于保留期，未保存（READINGS_RAW_DAYS）',
              en: 'late readings were older than what is kept, and left out (READINGS_RAW_DAYS)',
            }),
          )
        if (refused > 0) count({ kept: 0, thinned: 0, refused }, crowded)
        if (!signal.aborted) await addUp(sealing)
      },
    },
    {
      name: 'readings.keep',
      everyMs: 3_600_000,
      run: async () => {
        const now = await readDatabaseTime(pool)
        await makeReadingPartitions(owner, { at: [now], retention })
      },
    },
    {
      name: 'readings.drop',
      everyMs: 3_600_000,
      deletesByAge: true,
      run: async () => {
        const dropped = await dropOldReadings({ pool, owner, retention })
        if (dropped.length > 0)
          log.info(
            { dropped },
            spoken({ zh: '已清理过期的设备读数', en: 'expired readings of devices were removed' }),
          )
      },
    },
  ]
}

/** Drops what is over, packed partitions, and names of which nothing is left. Returns the names of the partitions. */
export async function dropOldReadings({
  pool,
  owner,
  retention,
  now,
}: {
  pool: pg.Pool
  owner: pg.Pool
  retention: ReadingRetention
  now?: Date
}): Promise<string[]> {
  const at = now ?? (await readDatabaseTime(pool))
  const day = await nextToAddUp(pool, 'day')
  const month = await nextToAddUp(pool, 'month')
  // Where there is nothing, nothing is still to be added up.
  const addedUpTo = day === null ? at : atDay(day)
  const oldest = oldestHours(at, retention, addedUpTo)
  if (oldest) await markHoursGone(pool, oldest)
  const dropped = await dropReadingPartitions(owner, {
    now: at,
    retention,
    sealedTo: await readSealedTo(pool, await listOpenHours(pool)),
    addedUpTo,
    monthsTo: month === null ? at : atDay(month),
  })
  await forgetSealing(pool, await listOpenHours(pool))
  await deleteUnusedKeys(pool)
  return dropped
}
