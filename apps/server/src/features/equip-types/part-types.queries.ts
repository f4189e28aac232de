import type { Db, Trx } from '../../platform/database/database.ts'

export interface PartTypeRow {
  code: string
  name: string
  version: number
}

/** Every part type, or those that an equipment type is made of. */
export async function listPartTypes(db: Db, equipTypeId: number | null): Promise<PartTypeRow[]> {
  return db
    .selectFrom('part_type')
    .select(['code', 'name', 'version'])
    .$if(equipTypeId !== null, (query) =>
      query.where('code', 'in', (parts) =>
        parts.selectFrom('equip_type_part').select('part_type').where('equip_type_id', '=', equipTypeId),
      ),
    )
    .orderBy('order_num')
    .orderBy('code')
    .execute()
}

/** Which of these codes a part type has; locks those part types against deletion until the transaction ends. */
export async function lockPartTypesShared(trx: Trx, codes: readonly string[]): Promise<Set<string>> {
  if (codes.length === 0) return new Set()
  const rows = await trx
    .selectFrom('part_type')
    .select('code')
    .where('code', 'in', codes)
    .orderBy('code')
    .forKeyShare()
    .execute()
  return new Set(rows.map(({ code }) => code))
}

/** Reads a part type, and locks it against changes and new references until the transaction ends. */
export async function lockPartType(trx: Trx, code: string): Promise<PartTypeRow | undefined> {
  return trx
    .selectFrom('part_type')
    .select(['code', 'name', 'version'])
    .where('code', '=', code)
    .forUpdate()
    .executeTakeFirst()
}

/** Last in the pickers. False where the code is taken. */
export async function insertPartType(
  trx: Trx,
  { code, name }: { code: string; name: string },
): Promise<boolean> {
  const row = await trx
    .insertInto('part_type')
    .values((eb) => ({
      code,
      name,
      order_num: eb
        .selectFrom('part_type')
        .select((last) => last.fn.coalesce(last(last.fn.max('order_num'), '+', 1), last.lit(1)).as('next')),
    }))
    .onConflict((conflict) => conflict.column('code').doNothing())
    .returning('code')
    .executeTakeFirst()
  return row !== undefined
}

export async function updatePartType(trx: Trx, code: string, { name }: { name: string }): Promise<void> {
  await trx
    .updateTable('part_type')
    .set((eb) => ({ name, version: eb('version', '+', 1) }))
    .where('code', '=', code)
    .execute()
}

export async function deletePartType(trx: Trx, code: string): Promise<void> {
  await trx.deleteFrom('part_type').where('code', '=', code).execute()
}

/** Whether a type or a model is made of it. */
export async function isPartTypeUsed(trx: Trx, code: string): Promise<boolean> {
  const ofType = await trx
    .selectFrom('equip_type_part')
    .select('part_type')
    .where('part_type', '=', code)
    .limit(1)
    .executeTakeFirst()
  if (ofType) return true
  const ofModel = await trx
    .selectFrom('equip_model_part')
    .select('id')
    .where('part_type', '=', code)
    .limit(1)
    .executeTakeFirst()
  return ofModel !== undefined
}
