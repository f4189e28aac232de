import type { listNotifyDeliveries, ParsedInputFor } from '@voltkeep/contract'
import { scopeOf } from '../../../domain/access/data-scope.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import type { Db } from '../../../platform/database/database.ts'
import { idNumber } from '../../../platform/database/ids.ts'
import { pageOf } from '../../../platform/database/paging.ts'
import { said } from '../../../platform/process/language/speech.ts'
import * as queries from './deliveries.queries.ts'

export type Deliveries = ReturnType<typeof createDeliveries>

/** What was sent, to whom, and what came of it. A title that names a device is shown to who sees it now. */
export function createDeliveries({ db }: { db: Db }) {
  return {
    async listNotifyDeliveries(actor: Actor, input: ParsedInputFor<typeof listNotifyDeliveries>) {
      const { channelId, state } = input
      const filter = { state, channelId: channelId === undefined ? undefined : idNumber(channelId) }
      const [rows, total] = await Promise.all([
        queries.listDeliveries(db, actor, await scopeOf(db, actor), filter, pageOf(input)),
        queries.countDeliveries(db, actor, filter),
      ])
      return {
        rows: rows.map((row) => ({ ...row, title: row.title ?? said('设备已不在您的数据范围内') })),
        total,
      }
    },
  }
}
