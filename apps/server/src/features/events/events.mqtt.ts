import type { EventReport } from '@voltkeep/contract/topics/index'
import type { Report } from '../../platform/mqtt/reports.ts'
import type { RowIds } from '../../platform/mqtt/row-ids.ts'
import type { Writer } from '../../platform/mqtt/write-lanes.ts'
import { insertEvents } from './events.intake.queries.ts'

/** Takes event reports: each is one row of the history, whatever came before. */
export function createEventWriter({ rowIds }: { rowIds: RowIds }): Writer<Report<EventReport>> {
  return {
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
