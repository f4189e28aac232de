// SQL of what happened on a device around a moment: its alarms and events, by the device's index of either history.
import { type RawBuilder, sql } from 'kysely'
import { meaningOf } from '../../domain/history/index.ts'
import type { Db } from '../../platform/database/database.ts'

export interface TimelineRecord {
  kind: 'alarm' | 'event'
  id: string
  semaphoreCode: string
  semaphoreName: string
  alarmLevel: number | null
  status: 0 | 1 | null
  recoveryTime: Date | null
  meaning: string | null
  /** As text: an int8. */
  value: string
  occurrenceTime: Date
}

/**
 * The nearest rows before the moment (that of the moment itself included) and after it, `eachWay` of either, within a
 * day; the latest first. Scope is the caller's: the device is one that passed it.
 */
export async function readAround(
  db: Db,
  { deviceId, at, eachWay, hasEvents }: { deviceId: number; at: Date; eachWay: number; hasEvents: boolean },
): Promise<TimelineRecord[]> {
  const limits = [
    {
      between: sql`h.occurred_at <= ${at} AND h.occurred_at > ${at}::timestamptz - interval '1 day'`,
      order: sql`DESC`,
    },
    {
      between: sql`h.occurred_at > ${at} AND h.occurred_at < ${at}::timestamptz + interval '1 day'`,
      order: sql`ASC`,
    },
  ]
  const tables = hasEvents ? (['alarm', 'event'] as const) : (['alarm'] as const)
  const halves = limits.map(
    ({ between, order }) => sql`(
      SELECT * FROM (${sql.join(
        tables.map((kind) => nearest(kind, sql`h.device_id = ${deviceId} AND ${between}`, order, eachWay)),
        sql` UNION ALL `,
      )}) AS near ORDER BY occurred_at ${order}, id ${order} LIMIT ${eachWay}
    )`,
  )
  const { rows } = await sql<TimelineRecord>`
    SELECT h.kind, h.id, h.semaphore_code AS "semaphoreCode", coalesce(e.name, h.semaphore_code) AS "semaphoreName",
      CASE h.kind WHEN 'alarm' THEN e.alarm_level END AS "alarmLevel",
      CASE h.kind WHEN 'alarm' THEN (h.recovered_at IS NULL)::int END AS status,
      h.recovered_at AS "recoveryTime",
      CASE h.kind WHEN 'alarm' THEN ${meaningOf(sql`h.value`)} ELSE h.value || e.unit END AS meaning,
      h.value, h.occurred_at AS "occurrenceTime"
    FROM (${sql.join(halves, sql` UNION ALL `)}) AS h
    JOIN device d ON d.id = ${deviceId}
    JOIN equip_model m ON m.id = d.model_id
    JOIN equip_type t ON t.id = m.equip_type_id
    LEFT JOIN dictionary_entry e ON e.code = h.semaphore_code AND e.type = upper(h.kind)
    ORDER BY h.occurred_at DESC, h.id DESC
  `.execute(db)
  return rows
}

function nearest(
  kind: 'alarm' | 'event',
  condition: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
  limit: number,
) {
  const table = sql.table(kind === 'alarm' ? 'alarm_history' : 'event_history')
  const recoveredAt = kind === 'alarm' ? sql`h.recovered_at` : sql`NULL::timestamptz`
  return sql`(
    SELECT ${sql.lit(kind)}::text AS kind, h.id, h.semaphore_code, h.value, h.occurred_at,
      ${recoveredAt} AS recovered_at
    FROM ${table} h WHERE ${condition}
    ORDER BY h.occurred_at ${order}, h.id ${order} LIMIT ${limit}
  )`
}
