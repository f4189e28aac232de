import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import {
  type DeviceColumns,
  deviceColumns,
  deviceJoins,
  keyed,
  type RowKey,
} from '../../platform/history/index.ts'

export interface EventRecord extends DeviceColumns {
  id: string
  semaphoreCode: string
  semaphoreName: string
  /** As text: an int8. */
  value: string
  isFault: boolean
  occurrenceTime: Date
  data: Record<string, unknown> | null
}

/** The rows of a page of keys, newest first. */
export async function readEvents(db: Db, keys: readonly RowKey[]): Promise<EventRecord[]> {
  if (keys.length === 0) return []
  const { relation, condition } = keyed(keys)
  const { rows } = await sql<EventRecord>`
    SELECT h.id, ${deviceColumns},
      h.semaphore_code AS "semaphoreCode", coalesce(e.name, h.semaphore_code) AS "semaphoreName",
      h.value, h.is_fault AS "isFault", h.occurred_at AS "occurrenceTime", h.data
    FROM ${relation} JOIN event_history h ON ${condition}
    ${deviceJoins(sql`h.device_id`)}
    LEFT JOIN dictionary_entry e ON e.type = 'EVENT' AND e.code = h.semaphore_code
    ORDER BY h.occurred_at DESC, h.id DESC
  `.execute(db)
  return rows
}
