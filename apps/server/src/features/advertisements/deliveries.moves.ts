/**
 * Every change of a delivery, by cabinets' answers and reports, by time or by users, goes through `move`, which locks,
 * asks the pure table and writes its result, in the caller's transaction.
 *
 * Locks are taken in one order: commands first, then deliveries. The handlers of results get their commands locked, so
 * code that ends commands itself (`withdraw`) does so before it locks a delivery.
 */
import type { RawBuilder, SqlBool } from 'kysely'
import type { Trx } from '../../platform/database/database.ts'
import { statementsOf } from '../../platform/database/statements.ts'
import { wake } from '../../platform/database/work/lease-queue.ts'
import type { Commands } from '../../platform/devices/commands/commands.ts'
import { afterEvent, type DeliveryEvent, type Withdrawal } from './advertisements.states.ts'
import {
  commandsUnderWay,
  lockDeliveries,
  type MovingDelivery,
  replacedBy,
  writeDeliveries,
} from './deliveries.queries.ts'

export const deliveryTable = 'advertisement_delivery'

/**
 * Applies to each delivery of the condition the event that `eventOf` names for it; null for none. Answers those that
 * changed, as they are now. `prepare` may complete them before they are written: the command of one that is sent.
 */
export async function move(
  trx: Trx,
  condition: RawBuilder<SqlBool>,
  eventOf: (delivery: MovingDelivery) => DeliveryEvent | null,
  prepare: (deliveries: MovingDelivery[]) => Promise<void> = async () => undefined,
): Promise<MovingDelivery[]> {
  const locked = await lockDeliveries(trx, condition)
  const gained: MovingDelivery[] = []
  const changed: MovingDelivery[] = []
  for (const before of locked) {
    const event = eventOf(before)
    if (!event) continue
    const after = afterEvent(before, event)
    if (after === before) continue
    const delivery: MovingDelivery = { ...before, ...after }
    changed.push(delivery)
    // From here on the creator's decision alone has the cabinet keep it.
    if (hasFile(delivery)) delivery.asker = null
    if (hasFile(delivery) && !hasFile(before)) gained.push(delivery)
  }
  if (changed.length === 0) return []
  await prepare(changed)
  await writeDeliveries(trx, changed)
  await wakeFor(trx, changed)
  if (gained.length > 0) {
    const nowMs = Date.now()
    // The old advertisement is withdrawn from a cabinet only when the cabinet has the new one.
    const replaced = await move(trx, replacedBy(gained), () => ({
      kind: 'withdrawn',
      why: 'replaced',
      nowMs,
    }))
    changed.push(...replaced)
  }
  return changed
}

const hasFile = ({ state }: MovingDelivery) => state === 'stored' || state === 'shown'

/** Withdraws the deliveries of the condition from their cabinets, and ends the commands that would bring them. */
export async function withdraw(
  trx: Trx,
  condition: RawBuilder<SqlBool>,
  why: Withdrawal,
  commands: Pick<Commands, 'cancel'>,
): Promise<MovingDelivery[]> {
  await commands.cancel(trx, await commandsUnderWay(trx, condition))
  const nowMs = Date.now()
  return move(trx, condition, () => ({ kind: 'withdrawn', why, nowMs }))
}

async function wakeFor(trx: Trx, deliveries: readonly MovingDelivery[]): Promise<void> {
  const firstMs = deliveries.reduce((first, { dueAtMs }) => Math.min(first, dueAtMs ?? Infinity), Infinity)
  if (firstMs !== Infinity) await wakeDeliveries(trx, firstMs - Date.now())
}

/** Makes deliveries due in so many ms. */
export async function wakeDeliveries(trx: Trx, inMs: number): Promise<void> {
  await statementsOf(trx).query(wake(deliveryTable, inMs))
}
