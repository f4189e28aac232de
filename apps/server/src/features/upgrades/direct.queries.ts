import { sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../domain/access/data-scope.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { packageVersionText } from './matching.ts'

/** Of these devices, those in the scope. */
export async function listDeviceCodes(db: Db, scope: DataScope, ids: readonly number[]): Promise<string[]> {
  const { rows } = await sql<{ code: string }>`
    SELECT d.code FROM device d WHERE d.id = ANY(${ids}::int[]) AND ${deviceWithinScope(scope)}
    ORDER BY d.id`.execute(db)
  return rows.map(({ code }) => code)
}

/** The release packages of a board's newest version, or of the version given: one for each hardware version. */
export async function listNewestOfBoard(trx: Trx, pcbCode: string, version?: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM (
      SELECT k.id, rank() OVER (ORDER BY k.major DESC, k.minor DESC) AS rank, k.hw_version
      FROM software_package k JOIN pcb_board b ON b.id = k.pcb_board_id
      WHERE b.pcb_code = ${pcbCode} AND b.deleted_at IS NULL AND k.deleted_at IS NULL AND k.is_release
        AND (${version ?? null}::text IS NULL OR ${packageVersionText} = ${version ?? null})
    ) newest
    WHERE rank = 1 ORDER BY hw_version NULLS LAST, id LIMIT 10`.execute(trx)
  return rows.map(({ id }) => id)
}
