import { sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../domain/access/data-scope.ts'
import type { Db } from '../../platform/database/database.ts'

/** Of the devices with these ids or codes, those in the scope. */
export async function listDevicesSeen(
  db: Db,
  scope: DataScope,
  { ids, codes }: { ids: readonly number[]; codes: readonly string[] },
): Promise<{ id: number; code: string }[]> {
  if (ids.length + codes.length === 0) return []
  const { rows } = await sql<{ id: number; code: string }>`
    SELECT d.id, d.code FROM device d WHERE d.id = ANY(${ids}::int[]) AND ${deviceWithinScope(scope)}
    UNION
    SELECT d.id, d.code FROM device d WHERE d.code = ANY(${codes}::text[]) AND ${deviceWithinScope(scope)}`.execute(
    db,
  )
  return rows
}
