import type { EventReport } from '@voltkeep/contract/topics/index'
import type { RowIds } from '../../domain/history/row-ids.ts'
import type { Report } from '../../platform/ingest/reports.ts'
import type { Writer } from '../../platform/ingest/writer.ts'
import { insertEvents } from './events.intake.queries.ts'

/** Takes event reports: each is one row of the history, whatever came before. */
export function createEventWriter({ rowIds }: { rowIds: RowIds }): Writer<Report<EventReport>> {
  return {
    name: 'event',
    async write(connection, reports) {
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
      return undefined
    },
  }
}
