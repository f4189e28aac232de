import type { EventReport } from '@voltkeep/contract/topics/index'
import type { DayBudget } from '../../domain/history/day-budget.ts'
import type { RowIds } from '../../domain/history/row-ids.ts'
import type { Connection } from '../../platform/database/transaction.ts'
import type { Report } from '../../platform/devices/ingest/reports.ts'
import type { Writer } from '../../platform/devices/ingest/writer.ts'
import { LastEvents } from './event-deduplication.ts'
import { insertEvents } from './event-intake.queries.ts'

/**
 * Writes event reports, each as a row of the history, even if it repeats another. On a day that has brought too many
 * rows (HISTORY_ROWS_PER_DAY), first repetitions and then all events are left out.
 */
export function createEventWriter({
  rowIds,
  dayBudget,
}: {
  rowIds: RowIds
  dayBudget: DayBudget
}): Writer<Report<EventReport>> {
  const last = new LastEvents()
  async function write(connection: Connection, reports: readonly Report<EventReport>[]): Promise<void> {
    await rowIds.ensure(connection, reports.length)
    const events = reports.map(({ deviceId, occurredAtMs, payload: { code, value, isFault, data } }) => ({
      id: rowIds.take(),
      deviceId,
      occurredAtMs,
      code,
      value,
      isFault,
      data: data ?? null,
    }))
    await insertEvents(connection, events)
  }
  return {
    name: 'event',
    async write(connection, reports) {
      if (!dayBudget.isLimited) {
        await write(connection, reports)
        return undefined
      }
      const { keeps } = dayBudget
      const { changes, keep } = last.changesOf(reports)
      const kept = keeps === 'all' ? reports : keeps === 'changes' ? changes : []
      if (kept.length > 0) await write(connection, kept)
      return () => {
        keep()
        dayBudget.written(kept.length)
        if (kept.length < reports.length) dayBudget.withheld(keeps, reports.length - kept.length)
      }
    },
  }
}
