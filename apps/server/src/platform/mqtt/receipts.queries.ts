import type pg from 'pg'
import { dayOf, startOfDay } from '../clock.ts'
import { int4Array, readNumbers, textArray, unparsed } from '../database/arrays.ts'

/** The Monday of the week and the one before, `YYYY-MM-DD`: what a receipt is filed under. */
export function receiptWeeks(now: Date): { current: string; previous: string } {
  const monday = startOfDay(now, -((now.getDay() + 6) % 7))
  return { current: dayOf(monday), previous: dayOf(startOfDay(monday, -7)) }
}

export interface MessageKey {
  deviceId: number
  messageId: string
}

/**
 * Files the messages as taken in; throws what `isRepeated` knows where one of them was taken before or
 * stands twice in the list. Without ON CONFLICT, which would look each one up first and mark it twice:
 * a third of the cost, for what hardly ever happens.
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
      SELECT m.device_id, m.message_id, $3::date
      FROM unnest($1::int4[], $2::text[]) AS m(device_id, message_id)
      WHERE NOT EXISTS (
        SELECT FROM message_receipt r
        WHERE r.device_id = m.device_id AND r.message_id = m.message_id AND r.received_on = $4::date
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

/** Was it for a message that had been taken before? The caller has to find out which. */
export function isRepeated(error: unknown): boolean {
  if (error instanceof RepeatedMessage) return true
  const { code, table } = error as { code?: string; table?: string }
  return code === '23505' && (table?.startsWith('message_receipt') ?? false)
}

/** The positions in the list of what was taken before. */
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
