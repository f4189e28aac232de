// How many rows of history a day may bring, over all processes. Alarms are always written; at the limit events are left
// out.

import { sql } from 'kysely'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Db } from '../../platform/database/database.ts'
import { dayOf } from '../../platform/process/clock.ts'
import { createComplaints } from '../../platform/process/complaints.ts'
import type { Log } from '../../platform/process/log.ts'
import { type Sentence, spoken } from '../../platform/process/sentences.ts'
import type { Warnings } from '../../platform/process/warnings.ts'

/** Which events are written: all, those that say something new, or none. */
export type Keeps = 'all' | 'changes' | 'none'

export interface DayBudget {
  /** Without a limit nobody need remember what could be left out. */
  readonly isLimited: boolean
  readonly keeps: Keeps
  /** Rows of this process that are committed. */
  written(rows: number): void
  /** Events that were acknowledged and not written. */
  withheld(keeps: Keeps, events: number): void
}

/** From this share of the limit on only changes are written. */
const changesShare = 0.8
/** Other processes know of a row after this time at the latest, while there are rows. */
const shareEveryMs = 2_000
const rememberedDays = 7

/** `mostPerDay` 0: no limit, and nothing is counted. */
export function createDayBudget({
  mostPerDay,
  db,
  log,
  metrics,
  warnings,
}: {
  mostPerDay: number
  db: Db
  log: Pick<Log, 'warn'>
  metrics: Registry
  warnings: Warnings
}): DayBudget {
  if (mostPerDay === 0) return { isLimited: false, keeps: 'all', written() {}, withheld() {} }
  let day = dayOf(new Date())
  /** The rows of all processes, as this one last read them. */
  let shared = 0
  /** The rows of this process since then. */
  let own = 0
  let sharedAtMs = 0
  let isSharing = false

  const complain = createComplaints((err, count) =>
    log.warn(
      { err, count },
      spoken({
        zh: '当天的历史记录数暂未读取',
        en: "the number of today's history rows could not be read for now",
      }),
    ),
  )
  const tell = createComplaints((keeps, count) =>
    log.warn({ count }, spoken(withheldLine(lines[keeps as 'changes' | 'none']))),
  )
  const lines = {
    changes: {
      zh: `今天的历史记录已达上限 ${mostPerDay} 条的 80%：重复的事件不再保存，告警照常（HISTORY_ROWS_PER_DAY）`,
      en: `today's history is at 80% of its limit of ${mostPerDay} rows: repeated events are not kept, alarms are (HISTORY_ROWS_PER_DAY)`,
    },
    none: {
      zh: `今天的历史记录已达上限 ${mostPerDay} 条：事件不再保存，告警照常（HISTORY_ROWS_PER_DAY）`,
      en: `today's history is at its limit of ${mostPerDay} rows: events are not kept, alarms are (HISTORY_ROWS_PER_DAY)`,
    },
  }
  const withheldCount = new Counter({
    name: 'voltkeep_history_events_withheld_total',
    help: 'Events that were acknowledged and not written, since the day had brought too many rows: repeats, then all',
    labelNames: ['keeps'],
    registers: [metrics],
  })

  function count(): number {
    const today = dayOf(new Date())
    if (today !== day) {
      day = today
      shared = 0
      own = 0
    }
    return shared + own
  }
  function keeps(): Keeps {
    const rows = count()
    if (rows >= mostPerDay) return 'none'
    return rows >= mostPerDay * changesShare ? 'changes' : 'all'
  }
  async function share(): Promise<void> {
    isSharing = true
    sharedAtMs = performance.now()
    const [ofDay, rows] = [day, own]
    try {
      const total = await addRows(db, ofDay, rows)
      if (ofDay !== day) return
      shared = total
      own -= rows
    } catch (error) {
      complain(error)
    } finally {
      isSharing = false
    }
  }
  void share()
  new Gauge({
    name: 'voltkeep_history_rows_today',
    help: 'Rows of alarm and event history that were written today, by all processes; with HISTORY_ROWS_PER_DAY only',
    registers: [metrics],
    collect() {
      this.set(count())
    },
  })
  warnings.add(() => {
    const kept = keeps()
    return kept === 'all' ? null : lines[kept]
  })

  return {
    isLimited: true,
    get keeps() {
      return keeps()
    },
    written(rows) {
      count()
      own += rows
      if (!isSharing && performance.now() - sharedAtMs >= shareEveryMs) void share()
    },
    withheld(kept, events) {
      withheldCount.inc({ keeps: kept }, events)
      for (let n = 0; n < events; n += 1) tell(kept)
    },
  }
}

const withheldLine = ({ zh, en }: Sentence): Sentence => ({
  zh: `${zh}，未保存的事件已确认并计数`,
  en: `${en}; events that are not kept are acknowledged and counted`,
})

/** Returns how many rows the day has now. */
async function addRows(db: Db, day: string, rows: number): Promise<number> {
  const answer = await sql<{ total: number }>`
    WITH old AS (DELETE FROM history_day WHERE day < ${day}::date - ${sql.lit(rememberedDays)})
    INSERT INTO history_day (day, row_count) VALUES (${day}::date, ${rows})
    ON CONFLICT (day) DO UPDATE SET row_count = history_day.row_count + excluded.row_count
    RETURNING row_count::float8 AS total`.execute(db)
  return answer.rows[0]?.total ?? 0
}
