import type { Db } from '../../platform/database/database.ts'

export async function listEquipTypes(db: Db) {
  return db
    .selectFrom('equip_type')
    .select(['id', 'name', 'code', 'classify'])
    .orderBy('order_num')
    .orderBy('id')
    .execute()
}

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
    ])
    .$if(equipTypeId !== null, (query) => query.where('equip_model.equip_type_id', '=', equipTypeId))
    .orderBy('equip_type.order_num')
    .orderBy('equip_model.id')
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

/** Every part type, or those that an equipment type is made of. */
export async function listPartTypes(db: Db, equipTypeId: number | null) {
  return db
    .selectFrom('part_type')
    .select(['code', 'name'])
    .$if(equipTypeId !== null, (query) =>
      query.where('code', 'in', (parts) =>
        parts.selectFrom('equip_type_part').select('part_type').where('equip_type_id', '=', equipTypeId),
      ),
    )
    .orderBy('order_num')
    .orderBy('code')
    .execute()
}
