// SQL of versions: what devices report of their parts, and the releases that there are for them.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import { countRows, type Page } from '../../platform/database/paging.ts'
import { isOlder, isRecommended, packageMatches, packageVersion, packageVersionText } from './matching.ts'

export interface PartFilter {
  partType?: string | undefined
  version?: string | undefined
  /** A part that says no board passes where `isBoardGuessed`. */
  pcbCode?: string | undefined
  isBoardGuessed?: boolean | undefined
}

/** The conditions on a part `v`. */
export function partMatching({
  partType,
  version,
  pcbCode,
  isBoardGuessed,
}: PartFilter): RawBuilder<SqlBool>[] {
  const parts: RawBuilder<SqlBool>[] = []
  if (partType !== undefined) parts.push(sql`v.part_type = ${partType}`)
  if (version !== undefined) parts.push(sql`v.version = ${version}`)
  if (pcbCode !== undefined) {
    parts.push(
      isBoardGuessed ? sql`(v.pcb_code = ${pcbCode} OR v.pcb_code IS NULL)` : sql`v.pcb_code = ${pcbCode}`,
    )
  }
  return parts
}

/** Of the devices `d` that a condition finds, those that report such a part. */
export function reporting(matching: RawBuilder<SqlBool>, filter: PartFilter): RawBuilder<SqlBool> {
  const parts = partMatching(filter)
  if (parts.length === 0) return matching
  return sql<SqlBool>`(${matching} AND EXISTS (
    SELECT FROM device_version v WHERE v.device_id = d.id AND ${sql.join(parts, sql` AND `)}))`
}

/** Of the devices `d` that a condition finds, those of a model that the board is built in. */
export function builtWith(matching: RawBuilder<SqlBool>, boardId: number): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${matching} AND d.model_id IN (
    SELECT m.id FROM pcb_board b JOIN equip_model m ON m.equip_type_id = b.equip_type_id
    WHERE b.id = ${boardId} AND (
      NOT EXISTS (SELECT FROM pcb_board_model bm WHERE bm.pcb_board_id = b.id)
      OR EXISTS (SELECT FROM pcb_board_model bm WHERE bm.pcb_board_id = b.id AND bm.equip_model_id = m.id))))`
}

/** The board of this code; undefined where none is registered. */
export async function findBoard(db: Db, pcbCode: string) {
  return db
    .selectFrom('pcb_board')
    .select(['id', 'part_type as partType'])
    .where('pcb_code', '=', pcbCode)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

export interface VersionedDeviceRow {
  id: number
  code: string
  isOnline: 0 | 1
  onlineChangedTime: Date | null
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
    SELECT d.id, d.code, coalesce(s.is_online, false)::int AS "isOnline",
      s.online_changed_at AS "onlineChangedTime", p.name AS "operatorName",
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
  return countRows(db, sql`FROM device d WHERE ${matching}`)
}

export interface PartRow {
  deviceId: number
  partType: string
  partTypeName: string
  addrId: string
  version: string
  hwVersion: string | null
  pcbCode: string | null
  reportTime: Date
}

/** What these devices report of such parts: kinds in the order of their list, numbered parts by number. */
export async function listParts(
  db: Db,
  deviceIds: readonly number[],
  filter: PartFilter = {},
): Promise<PartRow[]> {
  if (deviceIds.length === 0) return []
  const conditions = [sql<SqlBool>`v.device_id = ANY(${deviceIds}::int4[])`, ...partMatching(filter)]
  const { rows } = await sql<PartRow>`
    SELECT v.device_id AS "deviceId", v.part_type AS "partType", coalesce(p.name, v.part_type) AS "partTypeName",
      v.addr_id AS "addrId", v.version, v.hw_version AS "hwVersion", v.pcb_code AS "pcbCode",
      v.reported_at AS "reportTime"
    FROM device_version v
    LEFT JOIN part_type p ON p.code = v.part_type
    WHERE ${sql.join(conditions, sql` AND `)}
    ORDER BY p.order_num NULLS LAST, v.part_type, length(v.addr_id), v.addr_id`.execute(db)
  return rows
}

export interface NewestRow {
  partType: string
  softwareVersionId: number
  version: string
  pcbCode: string
  fileName: string
  fileSize: number
  /** Parts of this kind that have an older version than the newest release for them. */
  outdatedCount: number
}

/** The newest release for each kind of part of a device; kinds without any are left out. */
export async function listNewest(db: Db, deviceId: number): Promise<NewestRow[]> {
  const { rows } = await sql<NewestRow>`
    SELECT DISTINCT ON (n.part_type) n.part_type AS "partType", n.id AS "softwareVersionId", n.shown AS version,
      b.pcb_code AS "pcbCode", n.file_name AS "fileName", f.size_bytes::float8 AS "fileSize",
      (count(*) FILTER (WHERE n.is_older) OVER (PARTITION BY n.part_type))::int AS "outdatedCount"
    FROM device d
    JOIN device_version v ON v.device_id = d.id
    JOIN LATERAL (
      SELECT k.id, k.part_type, k.pcb_board_id, k.file_id, k.file_name, ${packageVersion} AS version,
        ${packageVersionText} AS shown, ${isOlder} AS is_older
      FROM software_package k
      WHERE k.deleted_at IS NULL AND ${isRecommended} AND ${packageMatches}
      ORDER BY version DESC, k.id DESC LIMIT 1
    ) n ON true
    JOIN pcb_board b ON b.id = n.pcb_board_id
    JOIN stored_file f ON f.id = n.file_id
    WHERE d.id = ${deviceId}
    ORDER BY n.part_type, n.version DESC, n.id DESC`.execute(db)
  return rows
}
