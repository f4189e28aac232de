import type { Db } from '../../platform/database/database.ts'

export interface RegionRow {
  id: number
  parentId: number | null
  code: string
  name: string
}

export async function listRegions(db: Db): Promise<RegionRow[]> {
  return db
    .selectFrom('region')
    .select(['id', 'parent_id as parentId', 'code', 'name'])
    .orderBy('order_num')
    .orderBy('id')
    .execute()
}
