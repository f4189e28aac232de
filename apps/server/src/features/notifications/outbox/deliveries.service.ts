import type { listNotifyDeliveries, ParsedInputFor } from '@voltkeep/contract'
import type { Actor } from '../../../platform/calls/actor.ts'
import type { Db } from '../../../platform/database/database.ts'
import { idNumber } from '../../../platform/database/ids.ts'
import { pageOf } from '../../../platform/database/paging.ts'
import * as queries from './deliveries.queries.ts'

export type Deliveries = ReturnType<typeof createDeliveries>

/** What was sent, to whom, and what came of it. */
export function createDeliveries({ db }: { db: Db }) {
  return {
    async listNotifyDeliveries(actor: Actor, input: ParsedInputFor<typeof listNotifyDeliveries>) {
      const { channelId, state } = input
      const filter = { state, channelId: channelId === undefined ? undefined : idNumber(channelId) }
      const [rows, total] = await Promise.all([
        queries.listDeliveries(db, actor, filter, pageOf(input)),
        queries.countDeliveries(db, actor, filter),
      ])
      return { rows, total }
    },
  }
}
