import type { Db } from '../../platform/database/database.ts'

export interface RegionRow {
  id: number
  parentId: number | null
  code: string
  name: string
  orderNum: number
  version: number
}

export async function listRegions(db: Db): Promise<RegionRow[]> {
  return db
    .selectFrom('region')
    .select(['id', 'parent_id as parentId', 'code', 'name', 'order_num as orderNum', 'version'])
    .orderBy('order_num')
    .orderBy('id')
    .execute()
}
