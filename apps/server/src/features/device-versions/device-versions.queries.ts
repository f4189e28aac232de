import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import type { Page } from '../../platform/paging.ts'

export interface PartFilter {
  partType?: string | undefined
  version?: string | undefined
}

/** Of the devices `d` that a condition finds, those that report such a part. */
export function reporting(
  matching: RawBuilder<SqlBool>,
  { partType, version }: PartFilter,
): RawBuilder<SqlBool> {
  if (partType === undefined && version === undefined) return matching
  const parts: RawBuilder<SqlBool>[] = [sql<SqlBool>`v.device_id = d.id`]
  if (partType !== undefined) parts.push(sql`v.part_type = ${partType}`)
  if (version !== undefined) parts.push(sql`v.version = ${version}`)
  return sql<SqlBool>`(${matching} AND EXISTS (SELECT FROM device_version v WHERE ${sql.join(parts, sql` AND `)}))`
}

export interface VersionedDeviceRow {
  id: number
  code: string
  isOnline: 0 | 1
  operatorName: string
  equipTypeId: number
  equipTypeName: string
  equipModelName: string
  regionName: string
  updateTime: Date | null
}

/** A page of the devices `d` that a condition finds, newest first. */
export async function listDevices(
  db: Db,
  matching: RawBuilder<SqlBool>,
  page: Page,
): Promise<VersionedDeviceRow[]> {
  const { rows } = await sql<VersionedDeviceRow>`
    WITH page AS MATERIALIZED (
      SELECT d.id FROM device d WHERE ${matching} ORDER BY d.id DESC LIMIT ${page.limit} OFFSET ${page.offset}
    )
    SELECT d.id, d.code, coalesce(s.is_online, false)::int AS "isOnline", p.name AS "operatorName",
      t.id AS "equipTypeId", t.name AS "equipTypeName", m.name AS "equipModelName",
      r.full_name AS "regionName", s.last_report_at AS "updateTime"
    FROM page
    JOIN device d ON d.id = page.id
    JOIN operator p ON p.id = d.operator_id
    JOIN equip_model m ON m.id = d.model_id
    JOIN equip_type t ON t.id = m.equip_type_id
    JOIN region r ON r.id = d.region_id
    LEFT JOIN device_state s ON s.device_id = d.id
    ORDER BY d.id DESC`.execute(db)
  return rows
}

export async function countDevices(db: Db, matching: RawBuilder<SqlBool>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM device d WHERE ${matching}`.execute(db)
  return rows[0]?.count ?? 0
}

export interface PartRow {
  deviceId: number
  partType: string
  partTypeName: string
  addrId: string
  version: string
  hwVersion: string | null
  reportTime: Date
}

/** What these devices report of their parts: parts in the order of their list, numbered ones by number. */
export async function listParts(db: Db, deviceIds: readonly number[], partType?: string): Promise<PartRow[]> {
  if (deviceIds.length === 0) return []
  const { rows } = await sql<PartRow>`
    SELECT v.device_id AS "deviceId", v.part_type AS "partType", coalesce(p.name, v.part_type) AS "partTypeName",
      v.addr_id AS "addrId", v.version, v.hw_version AS "hwVersion", v.reported_at AS "reportTime"
    FROM device_version v
    LEFT JOIN part_type p ON p.code = v.part_type
    WHERE v.device_id = ANY(${deviceIds}::int4[])
      ${partType === undefined ? sql`` : sql`AND v.part_type = ${partType}`}
    ORDER BY p.order_num NULLS LAST, v.part_type, length(v.addr_id), v.addr_id`.execute(db)
  return rows
}
