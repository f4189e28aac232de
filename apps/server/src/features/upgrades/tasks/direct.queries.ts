import { sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../../domain/access/data-scope.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { type Bytes, isRecommended, packageVersionText } from '../matching.ts'
import { bytesColumns } from '../targets/index.ts'

/** Of these devices, those in the scope. */
export async function listDeviceCodes(db: Db, scope: DataScope, ids: readonly number[]): Promise<string[]> {
  const { rows } = await sql<{ code: string }>`
    SELECT d.code FROM device d WHERE d.id = ANY(${ids}::int[]) AND ${deviceWithinScope(scope)}
    ORDER BY d.id`.execute(db)
  return rows.map(({ code }) => code)
}

export interface BoardRelease extends Bytes {
  version: string
}

/** The bytes of a board's recommended releases, or of those of the version given, the newest first. */
export async function listReleasesOfBoard(
  trx: Trx,
  pcbCode: string,
  version?: string,
): Promise<BoardRelease[]> {
  const { rows } = await sql<BoardRelease>`
    SELECT ${bytesColumns('k')}, ${packageVersionText} AS version
    FROM software_package k JOIN pcb_board b ON b.id = k.pcb_board_id
    WHERE b.pcb_code = ${pcbCode} AND b.deleted_at IS NULL AND k.deleted_at IS NULL AND k.is_release
      AND CASE WHEN ${version ?? null}::text IS NULL THEN ${isRecommended}
        ELSE ${packageVersionText} = ${version ?? null} END
    ORDER BY k.major DESC, k.minor DESC, k.hw_version NULLS LAST, k.id`.execute(trx)
  return rows
}

/** Where these devices stand. */
export async function readPlacesOfDevices(
  db: Db,
  ids: readonly number[],
): Promise<{ operatorId: number; equipTypeId: number; regionId: number }[]> {
  const { rows } = await sql<{ operatorId: number; equipTypeId: number; regionId: number }>`
    SELECT DISTINCT d.operator_id AS "operatorId", m.equip_type_id AS "equipTypeId", d.region_id AS "regionId"
    FROM device d JOIN equip_model m ON m.id = d.model_id WHERE d.id = ANY(${ids}::int[])`.execute(db)
  return rows
}
