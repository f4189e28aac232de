import type pg from 'pg'
import { int4Array, readNumbers, textArray, unparsed } from '../../database/arrays.ts'
import { dayOf, startOfDay } from '../../process/clock.ts'

/** The Mondays of this week and the week before, `YYYY-MM-DD`: a receipt is stored under its week. */
export function receiptWeeks(now: Date): { current: string; previous: string } {
  const monday = startOfDay(now, -((now.getDay() + 6) % 7))
  return { current: dayOf(monday), previous: dayOf(startOfDay(monday, -7)) }
}

export interface MessageKey {
  deviceId: number
  messageId: string
}

/**
 * Stores a receipt for each message. Throws an error that `isRepeated` recognizes when one of them has a receipt
 * already or stands twice in the list. ON CONFLICT would look each one up first and mark it twice: a third of
 * the cost, for a case that hardly ever happens.
 */
export async function insertReceipts(
  db: pg.ClientBase,
  keys: readonly MessageKey[],
  now: Date,
): Promise<void> {
  const { current, previous } = receiptWeeks(now)
  const { rowCount } = await db.query({
    name: 'receipts.insert',
    text: `
      INSERT INTO message_receipt (device_id, message_id, received_on)
      SELECT ($1::int4[])[n], m.message_id, $3::date
      FROM unnest($2::text[]) WITH ORDINALITY AS m(message_id, n)
      WHERE NOT EXISTS (
        SELECT FROM message_receipt r
        WHERE r.device_id = ($1::int4[])[n] AND r.message_id = m.message_id AND r.received_on = $4::date
        OFFSET 0
      )`,
    values: [
      int4Array(keys.map(({ deviceId }) => deviceId)),
      textArray(keys.map(({ messageId }) => messageId)),
      current,
      previous,
    ],
  })
  if (rowCount !== keys.length) throw new RepeatedMessage()
}

class RepeatedMessage extends Error {}

/** True when the error was caused by a message that has a receipt; the caller finds out which one. */
export function isRepeated(error: unknown): boolean {
  if (error instanceof RepeatedMessage) return true
  const { code, table } = error as { code?: string; table?: string }
  return code === '23505' && (table?.startsWith('message_receipt') ?? false)
}

/** The positions in the list of messages that have a receipt. */
export async function findReceipts(
  db: pg.ClientBase,
  keys: readonly MessageKey[],
  now: Date,
): Promise<Set<number>> {
  const { current, previous } = receiptWeeks(now)
  const { rows } = await db.query({
    name: 'receipts.find',
    text: `
      SELECT array_agg(m.n) AS positions
      FROM unnest($1::int4[], $2::text[]) WITH ORDINALITY AS m(device_id, message_id, n)
      WHERE EXISTS (
        SELECT FROM message_receipt r
        WHERE r.device_id = m.device_id AND r.message_id = m.message_id AND r.received_on IN ($3::date, $4::date)
        OFFSET 0
      )`,
    values: [
      int4Array(keys.map(({ deviceId }) => deviceId)),
      textArray(keys.map(({ messageId }) => messageId)),
      current,
      previous,
    ],
    types: unparsed,
  })
  return new Set(readNumbers(rows[0].positions).map((position) => (position as number) - 1))
}
