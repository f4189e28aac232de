import { sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../domain/access/data-scope.ts'
import type { Db } from '../../platform/database/database.ts'

/** Of the devices with these ids, those in the scope. */
export async function listDevicesSeen(db: Db, scope: DataScope, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: number }>`
    SELECT d.id FROM device d WHERE d.id = ANY(${ids}::int[]) AND ${deviceWithinScope(scope)}`.execute(db)
  return rows.map(({ id }) => id)
}
