// SQL of models and of their parts.

import { type Expression, type RawBuilder, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../domain/access/data-scope.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { plainQueries } from '../../platform/database/plain-queries.ts'

/** Of one equipment type, or of all. */
export async function listModels(db: Db, equipTypeId: number | null) {
  return db
    .selectFrom('equip_model')
    .innerJoin('equip_type', 'equip_type.id', 'equip_model.equip_type_id')
    .select([
      'equip_model.id',
      'equip_model.name',
      'equip_model.code',
      'equip_model.equip_type_id as equipTypeId',
      'equip_model.compartment_count as compartmentCount',
      'equip_model.compartment_columns as compartmentColumns',
      'equip_model.version',
    ])
    .$if(equipTypeId !== null, (query) => query.where('equip_model.equip_type_id', '=', equipTypeId))
    .orderBy('equip_type.order_num')
    .orderBy('equip_model.id')
    .execute()
}

export interface ModelValues {
  name: string
  code: string
  equipTypeId: number
  /** Null: the model does not say, or has none. */
  compartmentCount: number | null
  compartmentColumns: number | null
}

export interface ModelRow extends ModelValues {
  id: number
  equipTypeName: string
  version: number
}

/** Reads a model, and locks it against changes and new devices until the transaction ends. */
export async function lockModel(trx: Trx, id: number): Promise<ModelRow | undefined> {
  return trx
    .selectFrom('equip_model as m')
    .innerJoin('equip_type as t', 't.id', 'm.equip_type_id')
    .select([
      'm.id',
      'm.name',
      'm.code',
      'm.equip_type_id as equipTypeId',
      'm.compartment_count as compartmentCount',
      'm.compartment_columns as compartmentColumns',
      't.name as equipTypeName',
      'm.version',
    ])
    .where('m.id', '=', id)
    .forUpdate('m')
    .executeTakeFirst()
}

/** The type that a model will be of; locked against changes and deletion until the transaction ends. */
export async function lockEquipTypeShared(trx: Trx, id: number) {
  return trx
    .selectFrom('equip_type')
    .select(['id', 'name'])
    .where('id', '=', id)
    .forShare()
    .executeTakeFirst()
}

const models = plainQueries('equip_model')

/** A code that is taken violates `equip_model_code_taken`. */
export const insertModel = (trx: Trx, values: ModelValues) => models.insert(trx, columnsOf(values))

export const updateModel = (trx: Trx, id: number, values: ModelValues) =>
  models.update(trx, id, columnsOf(values))

const columnsOf = ({ name, code, equipTypeId, compartmentCount, compartmentColumns }: ModelValues) => ({
  name,
  code,
  equip_type_id: equipTypeId,
  compartment_count: compartmentCount,
  compartment_columns: compartmentColumns,
})

/** Its parts are deleted by cascade. */
export const deleteModel = models.delete

export async function hasDevices(trx: Trx, modelId: number): Promise<boolean> {
  const device = await trx
    .selectFrom('device')
    .select('id')
    .where('model_id', '=', modelId)
    .limit(1)
    .executeTakeFirst()
  return device !== undefined
}

/** Whether one of these models has devices that the scope does not cover. */
export async function hasDevicesBeyond(
  trx: Trx,
  scope: DataScope,
  modelIds: readonly number[],
): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM device d WHERE d.model_id = ANY(${modelIds}::int[]) AND NOT ${deviceWithinScope(scope)} LIMIT 1`.execute(
    trx,
  )
  return rows.length > 0
}

/** Whether a model of the type has devices; locks the models against new ones until the transaction ends. */
export async function typeHasDevices(trx: Trx, equipTypeId: number): Promise<boolean> {
  const { rows: models } = await sql<{ id: number }>`
    SELECT id FROM equip_model WHERE equip_type_id = ${equipTypeId} ORDER BY id FOR UPDATE`.execute(trx)
  const { rows } = await sql`
    SELECT FROM device WHERE model_id = ANY(${models.map(({ id }) => id)}::int[]) LIMIT 1`.execute(trx)
  return rows.length > 0
}

/** The models of a type. */
export async function listModelIds(trx: Trx, equipTypeId: number): Promise<number[]> {
  const rows = await trx
    .selectFrom('equip_model')
    .select('id')
    .where('equip_type_id', '=', equipTypeId)
    .execute()
  return rows.map(({ id }) => id)
}

// ── Its parts ────────────────────────────────────────────────────────────────────────────────

const partColumns = [
  'p.id',
  'p.equip_model_id as equipModelId',
  'p.part_type as partType',
  'p.name',
  'p.remark',
  'p.addr_count as addrCount',
  'p.is_default as isDefault',
  'p.version',
] as const

export async function listModelParts(db: Db, modelId: number) {
  return db
    .selectFrom('equip_model_part as p')
    .innerJoin('part_type as t', 't.code', 'p.part_type')
    .select([...partColumns, 't.name as partTypeName'])
    .where('p.equip_model_id', '=', modelId)
    .orderBy('t.order_num')
    .orderBy('t.code')
    .execute()
}

/** The first part of a model, as lists show them: a device that says no more of itself than its version is taken for it. */
export const firstPartOf = (modelId: Expression<number>): RawBuilder<string | null> => sql<string | null>`(
  SELECT p.part_type FROM equip_model_part p JOIN part_type k ON k.code = p.part_type
  WHERE p.equip_model_id = ${modelId} ORDER BY k.order_num, k.code LIMIT 1)`

/** By model. */
export async function readFirstParts(
  trx: Trx,
  modelIds: readonly number[],
): Promise<Map<number, string | null>> {
  const { rows } = await sql<{ id: number; part: string | null }>`
    SELECT m.id, ${firstPartOf(sql.ref<number>('m.id'))} AS part FROM equip_model m
    WHERE m.id = ANY(${modelIds}::int[])`.execute(trx)
  return new Map(rows.map(({ id, part }) => [id, part]))
}

export interface ModelPartValues {
  partType: string
  name: string | null
  remark: string | null
  addrCount: number
}

export interface ModelPartRow extends ModelPartValues {
  id: number
  equipModelId: number
  modelName: string
  isDefault: boolean
  version: number
}

/** Reads a part with its model's name, and locks it against changes until the transaction ends. */
export async function lockModelPart(trx: Trx, id: number): Promise<ModelPartRow | undefined> {
  return trx
    .selectFrom('equip_model_part as p')
    .innerJoin('equip_model as m', 'm.id', 'p.equip_model_id')
    .select([...partColumns, 'm.name as modelName'])
    .where('p.id', '=', id)
    .forUpdate('p')
    .executeTakeFirst()
}

/**
 * Adds a part to a model; overwrites a default part of the same type. Undefined where the model has a part of that
 * type that is not a default.
 */
export async function insertModelPart(
  trx: Trx,
  modelId: number,
  { partType, name, remark, addrCount }: ModelPartValues,
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    INSERT INTO equip_model_part AS p (equip_model_id, part_type, name, remark, addr_count)
    VALUES (${modelId}, ${partType}, ${name}, ${remark}, ${addrCount})
    ON CONFLICT (equip_model_id, part_type) DO UPDATE
      SET name = excluded.name, remark = excluded.remark, addr_count = excluded.addr_count,
        is_default = false, version = p.version + 1
      WHERE p.is_default
    RETURNING id`.execute(trx)
  return rows[0]?.id
}

const parts = plainQueries('equip_model_part')

export const updateModelPart = (
  trx: Trx,
  id: number,
  { partType, name, remark, addrCount }: ModelPartValues,
) => parts.update(trx, id, { part_type: partType, name, remark, addr_count: addrCount, is_default: false })

export const deleteModelPart = parts.delete

/** Adds these parts to the models of a type as defaults; a part that a model has already stays as it is. */
export async function addDefaultParts(
  trx: Trx,
  of: { equipTypeId: number; partTypes: readonly string[] },
): Promise<void> {
  await sql`
    INSERT INTO equip_model_part (equip_model_id, part_type, is_default)
    SELECT m.id, part.code, true
    FROM equip_model m CROSS JOIN unnest(${of.partTypes}::text[]) AS part (code)
    WHERE m.equip_type_id = ${of.equipTypeId}
    ORDER BY m.id, part.code
    ON CONFLICT (equip_model_id, part_type) DO NOTHING`.execute(trx)
}

/** Removes these parts from the models of a type where they are defaults; edited ones stay. */
export async function dropDefaultParts(
  trx: Trx,
  of: { equipTypeId: number; partTypes: readonly string[] },
): Promise<void> {
  await sql`
    DELETE FROM equip_model_part p USING equip_model m
    WHERE m.id = p.equip_model_id AND m.equip_type_id = ${of.equipTypeId}
      AND p.is_default AND p.part_type = ANY(${of.partTypes}::text[])`.execute(trx)
}

/** Replaces the default parts of a model by the parts of its type. */
export async function resetDefaultParts(trx: Trx, modelId: number): Promise<void> {
  await sql`DELETE FROM equip_model_part WHERE equip_model_id = ${modelId} AND is_default`.execute(trx)
  await sql`
    INSERT INTO equip_model_part (equip_model_id, part_type, is_default)
    SELECT m.id, p.part_type, true
    FROM equip_model m JOIN equip_type_part p ON p.equip_type_id = m.equip_type_id
    WHERE m.id = ${modelId}
    ORDER BY p.part_type
    ON CONFLICT (equip_model_id, part_type) DO NOTHING`.execute(trx)
}
