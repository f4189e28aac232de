import type { LogFileType } from '@voltkeep/contract'
import type { Db, Trx } from '../../../platform/database/database.ts'

export interface LogLevelRow {
  id: number
  equipClassify: string
  code: string
  name: string
  fileType: LogFileType
  orderNum: number
  version: number
}

const columns = [
  'id',
  'equip_classify as equipClassify',
  'code',
  'name',
  'file_type as fileType',
  'order_num as orderNum',
  'version',
] as const

/** Of a family of devices, or of all. */
export async function listLevels(db: Db, equipClassify?: string): Promise<LogLevelRow[]> {
  let query = db.selectFrom('log_level').select(columns)
  if (equipClassify !== undefined) query = query.where('equip_classify', '=', equipClassify)
  return query.orderBy('equip_classify').orderBy('order_num').orderBy('id').execute()
}

export async function findLevel(
  db: Db,
  equipClassify: string,
  code: string,
): Promise<LogLevelRow | undefined> {
  return db
    .selectFrom('log_level')
    .select(columns)
    .where('equip_classify', '=', equipClassify)
    .where('code', '=', code)
    .executeTakeFirst()
}

export async function lockLevel(trx: Trx, id: number): Promise<LogLevelRow | undefined> {
  return trx.selectFrom('log_level').select(columns).where('id', '=', id).forUpdate().executeTakeFirst()
}

export type LogLevelValues = Omit<LogLevelRow, 'id' | 'version'>

const valuesOf = ({ equipClassify, code, name, fileType, orderNum }: LogLevelValues) => ({
  equip_classify: equipClassify,
  code,
  name,
  file_type: fileType,
  order_num: orderNum,
})

/** Returns the new id. */
export async function insertLevel(trx: Trx, values: LogLevelValues): Promise<number> {
  const { id } = await trx
    .insertInto('log_level')
    .values(valuesOf(values))
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function updateLevel(trx: Trx, id: number, values: LogLevelValues): Promise<void> {
  await trx
    .updateTable('log_level')
    .set((eb) => ({ ...valuesOf(values), version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

export async function deleteLevel(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('log_level').where('id', '=', id).execute()
}
