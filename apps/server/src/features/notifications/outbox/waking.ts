import type { Trx } from '../../../platform/database/database.ts'
import { statementsOf } from '../../../platform/database/statements.ts'
import { wake } from '../../../platform/database/work/lease-queue.ts'
import { scheduleChannels } from './matching.queries.ts'

export const channelTable = 'notify_channel'

/** Has the channels looked at that have something new to tell; null: all that have anything. */
export async function wakeChannels(trx: Trx, channelIds: readonly number[] | null): Promise<void> {
  await scheduleChannels(trx, channelIds)
  // The queue sleeps until the earliest moment that it knows: it looks at once, and learns the new one.
  await statementsOf(trx).query(wake(channelTable, 0))
}
