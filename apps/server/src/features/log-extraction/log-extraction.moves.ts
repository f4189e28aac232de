/**
 * Every change of an extraction, by devices' answers and uploads, by time or by users, goes through `move`, which
 * locks, asks the pure table and writes its result, in the caller's transaction.
 *
 * Locks are taken in one order: commands first, then extractions. The handler of results gets its commands locked, so
 * code that ends commands does so before it locks an extraction.
 */
import type { RawBuilder, SqlBool } from 'kysely'
import type { Trx } from '../../platform/database/database.ts'
import { statementsOf } from '../../platform/database/statements.ts'
import { wake } from '../../platform/database/work/lease-queue.ts'
import { lockExtractions, type MovingExtraction, writeExtractions } from './log-extraction.queries.ts'
import { afterEvent, type ExtractionEvent } from './log-extraction.states.ts'

export const extractionTable = 'log_extraction'

/**
 * Applies to each extraction of the condition the event that `eventOf` names for it; null for none. Answers those that
 * changed, as they are now.
 */
export async function move(
  trx: Trx,
  condition: RawBuilder<SqlBool>,
  eventOf: (extraction: MovingExtraction) => ExtractionEvent | null,
): Promise<MovingExtraction[]> {
  const changed: MovingExtraction[] = []
  for (const before of await lockExtractions(trx, condition)) {
    const event = eventOf(before)
    const after = event ? afterEvent(before, event) : before
    if (after !== before) changed.push({ ...before, ...after })
  }
  if (changed.length === 0) return []
  await writeExtractions(trx, changed)
  const firstMs = changed.reduce((first, { dueAtMs }) => Math.min(first, dueAtMs ?? Infinity), Infinity)
  if (firstMs !== Infinity) await wakeExtractions(trx, firstMs - Date.now())
  return changed
}

/** Makes an extraction due in so many ms. */
export async function wakeExtractions(trx: Trx, inMs: number): Promise<void> {
  await statementsOf(trx).query(wake(extractionTable, inMs))
}
