// SQL of equipment types and of the parts that they have by default.

import type { Db, Trx } from '../../platform/database/database.ts'
import { plainQueries } from '../../platform/database/plain-queries.ts'

export async function listEquipTypes(db: Db) {
  return db
    .selectFrom('equip_type as t')
    .leftJoin('dictionary_entry as e', (join) =>
      join.on('e.type', '=', 'EQUIP_CLASSIFY').onRef('e.code', '=', 't.classify'),
    )
    .select((eb) => [
      't.id',
      't.name',
      't.code',
      't.classify',
      eb.fn.coalesce('e.name', 't.classify').as('classifyName'),
      't.version',
      eb
        .exists(
          eb
            .selectFrom('equip_model as m')
            .innerJoin('device as d', 'd.model_id', 'm.id')
            .select('d.id')
            .whereRef('m.equip_type_id', '=', 't.id'),
        )
        .$castTo<boolean>()
        .as('hasDevices'),
    ])
    .orderBy('t.order_num')
    .orderBy('t.id')
    .execute()
}

/** A row per part of a type. */
export async function listPartsOfTypes(db: Db) {
  return db
    .selectFrom('equip_type_part')
    .innerJoin('part_type', 'part_type.code', 'equip_type_part.part_type')
    .select(['equip_type_part.equip_type_id as equipTypeId', 'part_type.code', 'part_type.name'])
    .orderBy('part_type.order_num')
    .orderBy('part_type.code')
    .execute()
}

/** The columns of a type that are written; its parts are written separately. */
export interface EquipTypeValues {
  name: string
  code: string
  classify: string
}

export interface EquipTypeRow extends EquipTypeValues {
  id: number
  partTypes: string[]
  version: number
}

/**
 * Reads a type with its parts, and locks it until the transaction ends: against changes, and with `isToDelete`
 * against new references as well.
 */
export async function lockEquipType(
  trx: Trx,
  id: number,
  { isToDelete = false } = {},
): Promise<EquipTypeRow | undefined> {
  const type = await trx
    .selectFrom('equip_type')
    .select(['id', 'name', 'code', 'classify', 'version'])
    .where('id', '=', id)
    .$if(isToDelete, (query) => query.forUpdate())
    .$if(!isToDelete, (query) => query.forNoKeyUpdate())
    .executeTakeFirst()
  if (!type) return undefined
  const parts = await trx
    .selectFrom('equip_type_part')
    .select('part_type')
    .where('equip_type_id', '=', id)
    .orderBy('part_type')
    .execute()
  return { ...type, partTypes: parts.map((part) => part.part_type) }
}

/** Last in the order of types. A code that is taken violates `equip_type_code_taken`. */
export async function insertEquipType(trx: Trx, values: EquipTypeValues): Promise<number> {
  const { id } = await trx
    .insertInto('equip_type')
    .values((eb) => ({
      ...values,
      order_num: eb
        .selectFrom('equip_type')
        .select((last) => last.fn.coalesce(last(last.fn.max('order_num'), '+', 1), last.lit(1)).as('next')),
    }))
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

const types = plainQueries('equip_type')

export const updateEquipType: (trx: Trx, id: number, values: EquipTypeValues) => Promise<void> = types.update

/** Its list of parts is deleted by cascade. */
export const deleteEquipType = types.delete

export async function insertTypeParts(trx: Trx, id: number, partTypes: readonly string[]): Promise<void> {
  if (partTypes.length === 0) return
  await trx
    .insertInto('equip_type_part')
    .values(partTypes.map((part_type) => ({ equip_type_id: id, part_type })))
    .execute()
}

export async function deleteTypeParts(trx: Trx, id: number, partTypes: readonly string[]): Promise<void> {
  if (partTypes.length === 0) return
  await trx
    .deleteFrom('equip_type_part')
    .where('equip_type_id', '=', id)
    .where('part_type', 'in', partTypes)
    .execute()
}

// The reasons that forbid the deletion of a type.

export async function hasModels(trx: Trx, id: number): Promise<boolean> {
  const model = await trx
    .selectFrom('equip_model')
    .select('id')
    .where('equip_type_id', '=', id)
    .limit(1)
    .executeTakeFirst()
  return model !== undefined
}

/** Whether a user's data permissions name the type: without the type they would let the user see nothing. */
export async function isInPermissions(trx: Trx, id: number): Promise<boolean> {
  const entry = await trx
    .selectFrom('user_authority')
    .select('user_id')
    .where('authority_type', '=', 'ET')
    .where('value', '=', String(id))
    .limit(1)
    .executeTakeFirst()
  return entry !== undefined
}
