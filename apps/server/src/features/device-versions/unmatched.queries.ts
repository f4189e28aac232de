// Parts that have an older version than the newest release for them.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import { type PartFilter, partMatching } from './device-versions.queries.ts'
import { isJudged, judgedParts } from './judged.queries.ts'

export interface UnmatchedRow {
  code: string
  name: string | null
  isOnline: boolean
  /** Null: never connected. */
  onlineChangedTime: Date | null
  operatorName: string
  equipTypeName: string
  equipModelName: string
  regionName: string
  address: string | null
  partTypeName: string
  /** The numbers of the parts, ascending. */
  addrIds: string[]
  version: string
  newest: string
  /** Time of the device's last report of any kind. */
  updateTime: Date | null
}

/** `unmatched`: the rows, by device, part type, version and newest release. */
const unmatchedOf = (matching: RawBuilder<SqlBool>, filter: PartFilter) => {
  const conditions = sql.join([matching, ...partMatching(filter)], sql` AND `)
  const parts = sql`device_version v JOIN device d ON d.id = v.device_id WHERE ${conditions}`
  return sql`${judgedParts(parts)}, unmatched AS (
    SELECT v.device_id, v.part_type, v.version, j.newest_text,
      array_agg(v.addr_id ORDER BY length(v.addr_id), v.addr_id) AS addr_ids
    FROM (SELECT v.*, d.model_id FROM ${parts}) v
    JOIN judged j ON ${isJudged}
    WHERE j.is_older
    GROUP BY v.device_id, v.part_type, v.version, j.newest_text
  )`
}

/** The rows of the devices `d` that a condition finds, in batches of `batchSize`, the newest device first. */
export async function* walkUnmatched(
  db: Db,
  matching: RawBuilder<SqlBool>,
  filter: PartFilter,
  batchSize: number,
): AsyncGenerator<UnmatchedRow[]> {
  for (let last: number | undefined; ; ) {
    const rest = last === undefined ? matching : sql<SqlBool>`${matching} AND d.id < ${last}`
    const { rows: devices } = await sql<{ id: number }>`
      SELECT d.id FROM device d WHERE ${rest} ORDER BY d.id DESC LIMIT ${batchSize}`.execute(db)
    const ids = devices.map(({ id }) => id)
    const rows = await listUnmatched(db, ids, filter)
    if (rows.length > 0) yield rows
    if (ids.length < batchSize) return
    last = ids.at(-1)
  }
}

async function listUnmatched(db: Db, ids: readonly number[], filter: PartFilter): Promise<UnmatchedRow[]> {
  const { rows } = await sql<UnmatchedRow>`
    WITH ${unmatchedOf(sql`d.id = ANY(${ids}::int4[])`, filter)}
    SELECT d.code, d.name, coalesce(s.is_online, false) AS "isOnline", s.online_changed_at AS "onlineChangedTime",
      o.name AS "operatorName", t.name AS "equipTypeName", m.name AS "equipModelName", r.full_name AS "regionName",
      d.address, coalesce(p.name, u.part_type) AS "partTypeName", u.addr_ids AS "addrIds", u.version,
      u.newest_text AS newest, s.last_report_at AS "updateTime"
    FROM unmatched u
    JOIN device d ON d.id = u.device_id
    JOIN operator o ON o.id = d.operator_id
    JOIN equip_model m ON m.id = d.model_id
    JOIN equip_type t ON t.id = m.equip_type_id
    JOIN region r ON r.id = d.region_id
    LEFT JOIN device_state s ON s.device_id = d.id
    LEFT JOIN part_type p ON p.code = u.part_type
    ORDER BY d.id DESC, p.order_num NULLS LAST, u.part_type, u.version, u.newest_text`.execute(db)
  return rows
}

export async function countUnmatched(
  db: Db,
  matching: RawBuilder<SqlBool>,
  filter: PartFilter,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    WITH ${unmatchedOf(matching, filter)} SELECT count(*)::int AS count FROM unmatched`.execute(db)
  return rows[0]?.count ?? 0
}
