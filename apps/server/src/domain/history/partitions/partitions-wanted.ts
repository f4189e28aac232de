// Partitions for a clock that has jumped: made where a row is met that has none.
//
// A default partition would have a place at once, but with one there is no DETACH … CONCURRENTLY, and no month could be
// attached before its rows were moved out (decision 39).
import type pg from 'pg'
import { errorFields } from '../../../platform/database/database.ts'
import { clockJumped, type Notices, notice } from '../../../platform/database/notices/notices.ts'
import { atDay, dayOf } from '../../../platform/process/clock.ts'
import { createComplaints } from '../../../platform/process/complaints.ts'
import type { Log } from '../../../platform/process/log.ts'
import { spoken } from '../../../platform/process/sentences.ts'
import { makePartitions } from './partitions.ts'

/** Names the days, `YYYY-MM-DD`, by the clocks of the processes that met a row without a partition. */
export const partitionsWanted = notice<string>('partitionsWanted')

/** Asks whoever may make partitions; the row has to be written again. */
export const wantPartitions = (notices: Pick<Notices, 'publish'>): void =>
  notices.publish(partitionsWanted, [dayOf(new Date())])

/**
 * Makes the partitions that any process asks for. An attempt that fails is not
 * repeated: whoever needs them asks again. Days come from the clocks of our machines, never from a device.
 */
export function makeWhenWanted({
  owner,
  notices,
  log,
  retentionDays,
}: {
  owner: pg.Pool
  notices: Pick<Notices, 'subscribe'>
  log: Log
  retentionDays: number
}): void {
  const days = new Set<string>()
  let isRunning = false
  const complain = createComplaints((error, count) =>
    log.error(
      { ...errorFields(error), count },
      spoken({ zh: '历史分区暂时无法建立', en: 'partitions of the history cannot be made for now' }),
    ),
  )

  async function run(): Promise<void> {
    isRunning = true
    while (days.size > 0) {
      const asked = [...days]
      days.clear()
      try {
        const { rows } = await owner.query<{ now: Date }>('SELECT now()')
        const at = [...asked.map(atDay), ...rows.map(({ now }) => now)]
        const made = await makePartitions(owner, { at, retentionDays })
        if (made.length > 0)
          log.warn(
            { days: asked, made: made.length },
            spoken({
              zh: '时钟有跳变，已补建历史分区',
              en: 'the clock has jumped, missing partitions of the history were made',
            }),
          )
      } catch (error) {
        complain(error)
      }
    }
    isRunning = false
  }
  const ask = (asked: readonly string[]) => {
    for (const day of asked) days.add(day)
    if (!isRunning) void run()
  }

  // Null after a lost connection: nobody knows what was asked for, and whoever waits asks again.
  notices.subscribe(partitionsWanted, (asked) => ask(asked ?? []))
  notices.subscribe(clockJumped, () => ask([dayOf(new Date())]))
}
