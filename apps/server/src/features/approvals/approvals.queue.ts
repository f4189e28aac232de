import { sql } from 'kysely'
import type pg from 'pg'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { kyselyOn } from '../../platform/database/statements.ts'
import { createLeaseQueue } from '../../platform/database/work/lease-queue.ts'
import type { Worker } from '../../platform/database/work/worker.ts'
import type { Log } from '../../platform/process/log.ts'
import { writeDecision } from './approvals.queries.ts'
import { approvalTable } from './approvals.service.ts'
import { approvalAfter } from './approvals.states.ts'

/** Ends what nobody has decided in time. */
export const createApprovalQueue = (
  needs: { pool: pg.Pool; notices: Pick<Notices, 'subscribe'>; log: Log },
  tellChanged: (id: string) => void,
): Worker =>
  createLeaseQueue<{ id: string }>(needs, {
    table: approvalTable,
    key: ['id'],
    columns: 't.id',
    leaseMs: 30_000,
    async handle(connection, due) {
      const trx = kyselyOn(connection)
      const { rows } = await sql<{ id: string }>`
        SELECT id FROM approval WHERE id = ANY(${due.map(({ id }) => id)}::int8[]) AND state = 'waiting'
          AND expires_at <= now()
        ORDER BY id FOR UPDATE`.execute(trx)
      const state = approvalAfter('waiting', 'timePassed')
      for (const { id } of rows)
        if (state) await writeDecision(trx, id, { state, by: null, note: null, resultId: null })
      return () => {
        for (const { id } of rows) tellChanged(id)
      }
    },
  })
