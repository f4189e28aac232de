// SQL of hardware versions.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db, Trx } from '../../platform/database/database.ts'
import { likeLiteral } from '../../platform/database/like.ts'
import { countRows, type Page } from '../../platform/database/paging.ts'
import { plainQueries } from '../../platform/database/plain-queries.ts'

export interface HwVersionFilter {
  equipTypeId?: number | undefined
  modelId?: number | undefined
  partType?: string | undefined
  /** Part of the name or of the code. */
  versionName?: string | undefined
}

/** The hardware versions `h` of models `m` that a filter asks for. */
function matching({ equipTypeId, modelId, partType, versionName }: HwVersionFilter): RawBuilder<SqlBool> {
  const parts: RawBuilder<SqlBool>[] = [sql<SqlBool>`true`]
  if (equipTypeId !== undefined) parts.push(sql`m.equip_type_id = ${equipTypeId}`)
  if (modelId !== undefined) parts.push(sql`h.equip_model_id = ${modelId}`)
  if (partType !== undefined) parts.push(sql`h.part_type = ${partType}`)
  if (versionName !== undefined) {
    const pattern = `%${likeLiteral(versionName)}%`
    parts.push(sql`(h.name ILIKE ${pattern} OR h.code ILIKE ${pattern})`)
  }
  return sql.join(parts, sql` AND `)
}

export interface HwVersionRow {
  id: number
  equipType: number
  equipTypeName: string
  equipModelId: number
  equipModelName: string
  partType: string
  partTypeName: string
  versionName: string
  versionCode: string
  versionNote: string | null
  createTime: Date
}

/** A page, newest first. */
export async function listHwVersions(db: Db, filter: HwVersionFilter, page: Page): Promise<HwVersionRow[]> {
  const { rows } = await sql<HwVersionRow>`
    SELECT h.id, t.id AS "equipType", t.name AS "equipTypeName", m.id AS "equipModelId",
      m.name AS "equipModelName", h.part_type AS "partType", p.name AS "partTypeName",
      h.name AS "versionName", h.code AS "versionCode", h.note AS "versionNote", h.created_at AS "createTime"
    FROM hw_version h
    JOIN equip_model m ON m.id = h.equip_model_id
    JOIN equip_type t ON t.id = m.equip_type_id
    JOIN part_type p ON p.code = h.part_type
    WHERE ${matching(filter)}
    ORDER BY h.id DESC LIMIT ${page.limit} OFFSET ${page.offset}`.execute(db)
  return rows
}

export async function countHwVersions(db: Db, filter: HwVersionFilter): Promise<number> {
  return countRows(
    db,
    sql`FROM hw_version h JOIN equip_model m ON m.id = h.equip_model_id
    WHERE ${matching(filter)}`,
  )
}

/**
 * Undefined where there is no such type; the model's name is null where the type has no such model. The foreign keys
 * keep the rows found from being deleted before the transaction ends.
 *
 * Subqueries and no chain of outer joins: in `… LEFT JOIN p ON p.type = $1 LEFT JOIN t ON t.code = p.type` PostgreSQL
 * 18.4 looks t up by the constant, also where there is no p, and returns a name that must not be there.
 */
export async function findPlace(trx: Trx, equipTypeId: number, modelId: number, partType: string) {
  const { rows } = await sql<{ modelName: string | null; hasPart: boolean }>`
    SELECT
      (SELECT m.name FROM equip_model m WHERE m.id = ${modelId} AND m.equip_type_id = t.id) AS "modelName",
      EXISTS (
        SELECT FROM equip_model_part p WHERE p.equip_model_id = ${modelId} AND p.part_type = ${partType}
      ) AS "hasPart"
    FROM equip_type t WHERE t.id = ${equipTypeId}`.execute(trx)
  return rows[0]
}

export interface HwVersionValues {
  modelId: number
  partType: string
  name: string
  code: string
  note: string | null
}

const hwVersions = plainQueries('hw_version')

/** Returns the new id. */
export const insertHwVersion = (trx: Trx, { modelId, partType, name, code, note }: HwVersionValues) =>
  hwVersions.insert(trx, { equip_model_id: modelId, part_type: partType, name, code, note })

export const deleteHwVersion = hwVersions.delete

export interface HwVersionEntry {
  id: number
  equipModelName: string
  partType: string
  versionName: string
  versionCode: string
  versionNote: string | null
  version: number
}

export async function lockHwVersion(trx: Trx, id: number): Promise<HwVersionEntry | undefined> {
  return trx
    .selectFrom('hw_version as h')
    .innerJoin('equip_model as m', 'm.id', 'h.equip_model_id')
    .select([
      'h.id',
      'h.version',
      'm.name as equipModelName',
      'h.part_type as partType',
      'h.name as versionName',
      'h.code as versionCode',
      'h.note as versionNote',
    ])
    .where('h.id', '=', id)
    .forUpdate('h')
    .executeTakeFirst()
}
