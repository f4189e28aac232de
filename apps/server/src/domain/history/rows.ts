import { type RawBuilder, sql } from 'kysely'
import type { RowKey } from './counted-page.ts'

/**
 * What every alarm and event row shows of its device. Joined to the rows of one page at the end, never to rows that
 * are counted or sorted: see `deviceJoins`.
 */
export interface DeviceColumns {
  code: string
  equipCode: string
  equipId: number
  equipName: string | null
  organizationId: number
  operatorId: number
  operatorName: string
  equipTypeId: number
  equipTypeName: string
  equipModelId: number
  equipModelName: string
  equipClassify: string
  isOnline: 0 | 1
  /** From the country down. */
  regionName: string
  address: string | null
}

export const deviceColumns = sql`
  d.code, d.code AS "equipCode", d.id AS "equipId", d.name AS "equipName",
  o.organization_id AS "organizationId", o.id AS "operatorId", o.name AS "operatorName",
  t.id AS "equipTypeId", t.name AS "equipTypeName", t.classify AS "equipClassify",
  m.id AS "equipModelId", m.name AS "equipModelName",
  coalesce(ds.is_online, false)::int AS "isOnline", r.full_name AS "regionName", d.address`

/** To follow a relation that has `device_id`. */
export const deviceJoins = (deviceId: RawBuilder<unknown>) => sql`
  JOIN device d ON d.id = ${deviceId}
  JOIN operator o ON o.id = d.operator_id
  JOIN equip_model m ON m.id = d.model_id
  JOIN equip_type t ON t.id = m.equip_type_id
  JOIN region r ON r.id = d.region_id
  LEFT JOIN device_state ds ON ds.device_id = d.id`

/**
 * The keys of a page as a relation `k` (occurred_at, id), and the condition that finds their rows `h`: by
 * primary key, with bounds that let the planner leave the other months out.
 */
export function keyed(keys: readonly RowKey[]) {
  const moments = keys.map(({ occurredAt }) => occurredAt)
  const ids = keys.map(({ id }) => id)
  const relation = sql`unnest(${moments}::timestamptz[], ${ids}::bigint[]) AS k (occurred_at, id)`
  const condition = sql`
    h.occurred_at = k.occurred_at AND h.id = k.id
    AND h.occurred_at BETWEEN ${moments.at(-1)}::timestamptz AND ${moments[0]}::timestamptz`
  return { relation, condition }
}
