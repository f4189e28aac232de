// For tests and benches of readings' history: reports as the writer of status gets them, and what a plain list of their
// points says.
import type { StatusReport } from '@voltkeep/contract/topics/index'
import type { OpenDatabase } from '../src/platform/database/database.ts'
import { beginByIndex, inTransaction } from '../src/platform/database/transaction.ts'
import type { Report, StatusConsumer } from '../src/platform/devices/ingest/reports.ts'

export type Reading = number | boolean | string

export function statusReport(
  deviceId: number,
  atMs: number,
  status: Record<string, Reading>,
  compartments?: StatusReport['compartments'],
): Report<StatusReport> {
  return {
    deviceId,
    payload: { id: `${deviceId}-${atMs}`, time: atMs, status, ...(compartments && { compartments }) },
    occurredAtMs: atMs,
    receivedAtMs: atMs,
    clockLimitMs: null,
    refuse() {
      throw new Error('a reading is never refused to the device')
    },
  }
}

/** Writes reports as a batch of intake does, what follows from the commit included. */
export async function writeReports(
  { pool }: Pick<OpenDatabase, 'pool'>,
  consumer: StatusConsumer,
  reports: readonly Report<StatusReport>[],
): Promise<void> {
  const act = await inTransaction(pool, { begin: () => beginByIndex, queryLimitMs: 60_000 }, (connection) =>
    consumer.write(connection, reports),
  )
  act?.()
}
