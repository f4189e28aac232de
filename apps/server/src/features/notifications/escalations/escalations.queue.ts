import type pg from 'pg'
import type { Trx } from '../../../platform/database/database.ts'
import type { Notices } from '../../../platform/database/notices/notices.ts'
import { kyselyOn } from '../../../platform/database/statements.ts'
import { createLeaseQueue } from '../../../platform/database/work/lease-queue.ts'
import type { Worker } from '../../../platform/database/work/worker.ts'
import { sharedNow } from '../../../platform/process/clocks/shared-clock.ts'
import type { Log } from '../../../platform/process/log.ts'
import { type Escalations, escalationTable } from './escalations.ts'

/** Takes escalations whose next turn is due. */
export function createEscalationQueue(
  needs: { pool: pg.Pool; notices: Pick<Notices, 'subscribe'>; log: Log },
  {
    escalations,
    wakeChannels,
  }: {
    escalations: Escalations
    wakeChannels: (trx: Trx, channelIds: readonly number[]) => Promise<void>
  },
): Worker {
  return createLeaseQueue<{ id: string }>(needs, {
    table: escalationTable,
    key: ['id'],
    columns: 't.id',
    leaseMs: 60_000,
    async handle(connection, due) {
      const trx = kyselyOn(connection)
      const ids = due.map(({ id }) => id)
      const channelIds = await escalations.advance(trx, ids, sharedNow())
      if (channelIds.length > 0) await wakeChannels(trx, channelIds)
      return undefined
    },
  })
}
