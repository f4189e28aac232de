import { sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../domain/access/data-scope.ts'
import { isObserved } from '../../domain/device-work/observed.ts'
import type { Db } from '../../platform/database/database.ts'
import type { PackageIdentity } from './firmware.queries.ts'
import { isOlder, packageFitsDevice, packageFitsPart } from './matching.queries.ts'

/** How many devices in the scope, observed ones aside, have a part that a package of this identity fits, with an older version. */
export async function countOlder(
  db: Db,
  scope: DataScope,
  { pcbBoardId, partType, major, minor, hwVersion }: PackageIdentity,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(DISTINCT d.id)::int AS count
    FROM (SELECT ${pcbBoardId}::int AS pcb_board_id, ${partType}::text AS part_type, ${major}::int AS major,
      ${minor}::int AS minor, ${hwVersion}::text AS hw_version) k
    JOIN device_version v ON v.part_type = k.part_type
    JOIN device d ON d.id = v.device_id
    WHERE ${packageFitsPart} AND ${packageFitsDevice} AND ${isOlder} AND ${deviceWithinScope(scope)}
      AND NOT ${isObserved(sql`d.id`)}`.execute(db)
  return rows[0]?.count ?? 0
}
