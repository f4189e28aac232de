// Timed work: devices that never began their upload, and uploads that no process receives any more.
import type pg from 'pg'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { kyselyOn } from '../../platform/database/statements.ts'
import { createLeaseQueue } from '../../platform/database/work/lease-queue.ts'
import type { Worker } from '../../platform/database/work/worker.ts'
import type { Log } from '../../platform/process/log.ts'
import { extractionTable, move } from './log-extraction.moves.ts'
import { type MovingExtraction, ofIds } from './log-extraction.queries.ts'

const leaseMs = 30_000

export function createExtractionQueue(needs: {
  pool: pg.Pool
  notices: Pick<Notices, 'subscribe'>
  log: Log
  tellChanged: (extractions: readonly MovingExtraction[]) => void
}): Worker {
  return createLeaseQueue<{ id: string }>(needs, {
    table: extractionTable,
    key: ['id'],
    columns: 't.id',
    leaseMs,
    async handle(connection, due) {
      const nowMs = Date.now()
      const ids = due.map(({ id }) => id)
      const moved = await move(kyselyOn(connection), ofIds(ids), () => ({ kind: 'due', nowMs }))
      return () => needs.tellChanged(moved)
    },
  })
}
