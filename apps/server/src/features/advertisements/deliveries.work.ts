// Deliveries as work on devices: their table and their states.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { deviceWork, type Portion } from '../../domain/device-work/device-work.ts'
import type { Asker, WorkRow } from '../../domain/device-work/work.queries.ts'
import type { Trx } from '../../platform/database/database.ts'
import type { Commands } from '../../platform/devices/commands/commands.ts'
import { sharedNowMs } from '../../platform/process/clocks/shared-clock.ts'
import { afterEvent, type Delivery, type DeliveryEvent, type Withdrawal } from './advertisements.states.ts'
import { replacedBy } from './deliveries.queries.ts'

/** A delivery with what its command needs. */
export interface MovingDelivery extends Delivery, WorkRow {
  state: Delivery['state']
  advertisementId: number
  asker: Asker | null
  /** The end of the advertisement's period. */
  endsAtMs: number
}

export const deliveries = deviceWork<MovingDelivery, DeliveryEvent>({
  name: 'advertisement_delivery',
  joins: sql`JOIN advertisement a ON a.id = t.advertisement_id`,
  columns: {
    attempts: ['attempts', 'int4'],
    withdrawal: ['withdrawal', 'text'],
    reportedAtMs: ['reported_at', 'ms'],
    asker: ['asked_by', 'asker'],
  },
  reads: sql`, t.advertisement_id AS "advertisementId", (extract(epoch FROM a.ends_at) * 1000)::float8 AS "endsAtMs"`,
  writes: sql`,
    stored_at = CASE WHEN n.state IN ('stored', 'shown') THEN coalesce(t.stored_at, now())
                     WHEN n.state IN ('waiting', 'sent', 'failed', 'refused') THEN NULL ELSE t.stored_at END,
    shown_at = CASE WHEN n.state = 'shown' THEN coalesce(t.shown_at, now())
                    WHEN n.state IN ('waiting', 'sent', 'failed', 'refused') THEN NULL ELSE t.shown_at END`,
  // What left the scope may still be deleted or replaced, or be over.
  isOpen: sql<SqlBool>`(t.state NOT IN ('removing', 'removed', 'ended') OR t.withdrawal = 'leftScope')`,
  after(delivery, event) {
    const after = afterEvent(delivery, event)
    // From here on the creator's decision alone brings the file, or has the cabinet keep it.
    const isOfCreator = hasFile(after) || event.kind === 'withdrawn' || event.kind === 'returned'
    return after !== delivery && isOfCreator ? { ...after, asker: null } : after
  },
  async follow(trx, steps, move) {
    const gained = steps.filter(({ before, after }) => hasFile(after) && !hasFile(before))
    if (gained.length === 0) return []
    const nowMs = sharedNowMs()
    // The old advertisement is withdrawn from a cabinet only when the cabinet has the new one.
    return move(trx, replacedBy(gained.map(({ after }) => after)), () => ({
      kind: 'withdrawn',
      why: 'replaced',
      nowMs,
    }))
  },
})

const hasFile = ({ state }: Delivery) => state === 'stored' || state === 'shown'

/** Withdraws deliveries of the condition from their cabinets, and ends the commands that would bring them: a portion. */
export function withdraw(
  trx: Trx,
  condition: RawBuilder<SqlBool>,
  why: Withdrawal,
  commands: Pick<Commands, 'cancel'>,
): Promise<Portion<MovingDelivery>> {
  const nowMs = sharedNowMs()
  return deliveries.end(trx, condition, commands, () => ({ kind: 'withdrawn', why, nowMs }))
}
