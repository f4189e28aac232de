// SQL of the definitions of readings.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../../domain/access/data-scope.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { likeLiteral } from '../../../platform/database/like.ts'
import { countRows, type Page } from '../../../platform/database/paging.ts'
import { plainQueries } from '../../../platform/database/plain-queries.ts'

/** What is written of a definition. */
export interface DefinitionValues {
  equipTypeId: number
  key: string
  name: string
  unit: string | null
  decimals: number | null
  plausibleMin: number | null
  plausibleMax: number | null
  normalMin: number | null
  normalMax: number | null
  group: string | null
  keepsHistory: boolean
  deadband: number
  longestSeconds: number
  orderNum: number
}

export interface DefinitionRow extends DefinitionValues {
  id: number
  equipTypeName: string
  version: number
}

export interface DefinitionFilter {
  equipTypeId?: number | undefined
  /** Part of the key or of the name. */
  keyword?: string | undefined
  id?: number | undefined
}

const columns = sql`
  r.id, r.equip_type_id AS "equipTypeId", t.name AS "equipTypeName", r.key, r.name, r.unit, r.decimals,
  r.plausible_min AS "plausibleMin", r.plausible_max AS "plausibleMax", r.normal_min AS "normalMin",
  r.normal_max AS "normalMax", r.group_name AS "group", r.keeps_history AS "keepsHistory", r.deadband,
  r.longest_seconds AS "longestSeconds", r.order_num AS "orderNum", r.version`
const definitions = sql`reading_definition r JOIN equip_type t ON t.id = r.equip_type_id`

function matching({ equipTypeId, keyword, id }: DefinitionFilter): RawBuilder<SqlBool> {
  const parts: RawBuilder<SqlBool>[] = [sql<SqlBool>`true`]
  if (equipTypeId !== undefined) parts.push(sql`r.equip_type_id = ${equipTypeId}`)
  if (id !== undefined) parts.push(sql`r.id = ${id}`)
  if (keyword !== undefined) {
    const pattern = `%${likeLiteral(keyword)}%`
    parts.push(sql`(r.key ILIKE ${pattern} OR r.name ILIKE ${pattern})`)
  }
  return sql.join(parts, sql` AND `)
}

/** A page, by type and by the order in which readings are shown. */
export async function listDefinitions(
  db: Db,
  filter: DefinitionFilter,
  page: Page,
): Promise<DefinitionRow[]> {
  const { rows } = await sql<DefinitionRow>`
    SELECT ${columns} FROM ${definitions} WHERE ${matching(filter)}
    ORDER BY t.order_num, t.id, r.order_num, r.id LIMIT ${page.limit} OFFSET ${page.offset}`.execute(db)
  return rows
}

export const countDefinitions = (db: Db, filter: DefinitionFilter): Promise<number> =>
  countRows(db, sql`FROM ${definitions} WHERE ${matching(filter)}`)

/** Those of the type of a device, in the order in which they are shown. */
export async function listDefinitionsOfDevice(db: Db, deviceId: number): Promise<DefinitionRow[]> {
  const { rows } = await sql<DefinitionRow>`
    SELECT ${columns} FROM ${definitions}
    WHERE r.equip_type_id = (
      SELECT m.equip_type_id FROM device d JOIN equip_model m ON m.id = d.model_id WHERE d.id = ${deviceId}
    )
    ORDER BY r.order_num, r.id`.execute(db)
  return rows
}

export type RuleRow = Pick<
  DefinitionRow,
  'equipTypeId' | 'key' | 'keepsHistory' | 'deadband' | 'longestSeconds' | 'plausibleMin' | 'plausibleMax'
>

/** How the histories of all readings are kept. */
export async function listRules(db: Db): Promise<RuleRow[]> {
  const { rows } = await sql<RuleRow>`
    SELECT equip_type_id AS "equipTypeId", key, keeps_history AS "keepsHistory", deadband,
      longest_seconds AS "longestSeconds", plausible_min AS "plausibleMin", plausible_max AS "plausibleMax"
    FROM reading_definition`.execute(db)
  return rows
}

export async function lockDefinition(trx: Trx, id: number): Promise<DefinitionRow | undefined> {
  const { rows } = await sql<DefinitionRow>`
    SELECT ${columns} FROM ${definitions} WHERE r.id = ${id} FOR UPDATE OF r`.execute(trx)
  return rows[0]
}

/** The name of a type; the foreign key keeps it from being deleted before the transaction ends. */
export async function findEquipTypeName(trx: Trx, id: number): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`SELECT name FROM equip_type WHERE id = ${id}`.execute(trx)
  return rows[0]?.name
}

/** Whether there are devices of these types that the scope does not cover. */
export async function hasDevicesBeyond(
  trx: Trx,
  scope: DataScope,
  typeIds: readonly number[],
): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM device d JOIN equip_model m ON m.id = d.model_id
    WHERE m.equip_type_id = ANY(${typeIds}::int[]) AND NOT ${deviceWithinScope(scope)} LIMIT 1`.execute(trx)
  return rows.length > 0
}

const written = plainQueries('reading_definition')

/** A key that the type has already violates `reading_definition_taken`. */
export const insertDefinition = (trx: Trx, values: DefinitionValues) => written.insert(trx, columnsOf(values))

export const updateDefinition = (trx: Trx, id: number, values: DefinitionValues) =>
  written.update(trx, id, columnsOf(values))

export const deleteDefinition = written.delete

const columnsOf = (values: DefinitionValues) => ({
  equip_type_id: values.equipTypeId,
  key: values.key,
  name: values.name,
  unit: values.unit,
  decimals: values.decimals,
  plausible_min: values.plausibleMin,
  plausible_max: values.plausibleMax,
  normal_min: values.normalMin,
  normal_max: values.normalMax,
  group_name: values.group,
  keeps_history: values.keepsHistory,
  deadband: values.deadband,
  longest_seconds: values.longestSeconds,
  order_num: values.orderNum,
})
