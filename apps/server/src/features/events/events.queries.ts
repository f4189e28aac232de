import { sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../domain/access/data-scope.ts'
import {
  type DeviceColumns,
  deviceColumns,
  deviceJoins,
  keyed,
  type RowKey,
} from '../../domain/history/index.ts'
import type { Db } from '../../platform/database/database.ts'

export interface EventRecord extends DeviceColumns {
  id: string
  semaphoreCode: string
  semaphoreName: string
  /** As text: an int8. */
  value: string
  unit: string | null
  isFault: boolean
  occurrenceTime: Date
  data: Record<string, unknown> | null
}

const eventColumns = sql`
  h.id, ${deviceColumns},
  h.semaphore_code AS "semaphoreCode", coalesce(e.name, h.semaphore_code) AS "semaphoreName",
  h.value, e.unit, h.is_fault AS "isFault", h.occurred_at AS "occurrenceTime", h.data`

const names = sql`
  LEFT JOIN dictionary_entry e ON e.type = 'EVENT' AND e.code = h.semaphore_code`

/** The rows of a page of keys, newest first. */
export async function readEvents(db: Db, keys: readonly RowKey[]): Promise<EventRecord[]> {
  if (keys.length === 0) return []
  const { relation, condition } = keyed(keys)
  const { rows } = await sql<EventRecord>`
    SELECT ${eventColumns}
    FROM ${relation} JOIN event_history h ON ${condition}
    ${deviceJoins(sql`h.device_id`)} ${names}
    ORDER BY h.occurred_at DESC, h.id DESC
  `.execute(db)
  return rows
}

/** One event within the scope. Where the moment is not known, each month's index of id blocks finds it. */
export async function findEvent(
  db: Db,
  scope: DataScope,
  id: string,
  occurred: { from: Date; to: Date } | null,
): Promise<EventRecord | undefined> {
  const when = occurred
    ? sql`AND h.occurred_at >= ${occurred.from} AND h.occurred_at < ${occurred.to}`
    : sql``
  const { rows } = await sql<EventRecord>`
    SELECT ${eventColumns}
    FROM event_history h
    ${deviceJoins(sql`h.device_id`)} ${names}
    WHERE h.id = ${id}::bigint ${when}
      AND ${deviceWithinScope(scope)}
  `.execute(db)
  return rows[0]
}
