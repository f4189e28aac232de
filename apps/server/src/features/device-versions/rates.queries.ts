import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import { isJudged, judgedParts } from './judged.queries.ts'

export interface RateRow {
  equipTypeId: number
  equipTypeName: string
  partType: string
  partTypeName: string
  version: string
  deviceCount: number
  newestCount: number
}

/**
 * Of the devices `d` that a condition finds, by equipment type and part: how many there are that a release is for, and
 * how many have the newest one for each of their parts.
 *
 * Parts are told apart by what a package looks at (model, kind, hardware version, board, version): some hundreds of
 * combinations, and only these are compared with packages, not each of millions of parts.
 */
export async function readRates(
  db: Db,
  matching: RawBuilder<SqlBool>,
  partType: string | undefined,
): Promise<RateRow[]> {
  const parts = sql`device_version v JOIN device d ON d.id = v.device_id
    WHERE ${matching} ${partType === undefined ? sql`` : sql`AND v.part_type = ${partType}`}`
  const { rows } = await sql<RateRow>`
    WITH ${judgedParts(parts)}, of_device AS (
      SELECT v.device_id, v.model_id, v.part_type, bool_or(j.is_older) AS is_older, max(j.newest) AS newest
      FROM (SELECT v.*, d.model_id FROM ${parts}) v
      JOIN judged j ON ${isJudged}
      GROUP BY v.device_id, v.model_id, v.part_type
    )
    SELECT t.id AS "equipTypeId", t.name AS "equipTypeName", o.part_type AS "partType",
      p.name AS "partTypeName", array_to_string(max(o.newest), '.') AS version,
      count(*)::int AS "deviceCount", (count(*) FILTER (WHERE NOT o.is_older))::int AS "newestCount"
    FROM of_device o
    JOIN equip_model m ON m.id = o.model_id
    JOIN equip_type t ON t.id = m.equip_type_id
    JOIN part_type p ON p.code = o.part_type
    GROUP BY t.id, t.name, o.part_type, p.name, p.order_num
    ORDER BY t.id, p.order_num, o.part_type`.execute(db)
  return rows
}
