import { sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../domain/access/data-scope.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { isOlder, packageFitsDevice, packageFitsPart, packageVersion, reportedVersion } from './matching.ts'

export interface AutomaticPackage {
  packageId: number
  equipTypeId: number
  createdBy: number
  createdByName: string
}

/** Packages that are offered automatically and whose last automatic task is over, the newest versions first. */
export async function listAutomaticPackages(db: Db): Promise<AutomaticPackage[]> {
  const { rows } = await sql<AutomaticPackage>`
    SELECT k.id AS "packageId", b.equip_type_id AS "equipTypeId", k.created_by AS "createdBy",
      k.created_by_name AS "createdByName"
    FROM software_package k JOIN pcb_board b ON b.id = k.pcb_board_id
    WHERE k.is_auto_upgrade AND k.is_release AND k.deleted_at IS NULL AND NOT EXISTS (
      SELECT FROM upgrade_task_package n JOIN upgrade_task a ON a.id = n.task_id
      WHERE n.package_id = k.id AND a.type = 'AUTO' AND a.state IN ('planned', 'running', 'paused'))
    ORDER BY k.major DESC, k.minor DESC, k.id DESC`.execute(db)
  return rows
}

/**
 * Codes of online devices in the scope that have a part older than the package and none newer, were not offered this
 * package yet, are offered no newer one, and are not being upgraded.
 */
export async function listOutdatedDevices(
  trx: Trx,
  scope: DataScope,
  { packageId, limit }: { packageId: number; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ code: string }>`
    SELECT d.code
    FROM software_package k
    JOIN device_version v ON v.part_type = k.part_type
    JOIN device d ON d.id = v.device_id
    JOIN device_state s ON s.device_id = d.id AND s.is_online
    WHERE k.id = ${packageId} AND ${packageFitsPart} AND ${packageFitsDevice}
      AND ${deviceWithinScope(scope)}
      AND NOT EXISTS (
        SELECT FROM upgrade_target t WHERE t.device_id = d.id AND t.part_type = k.part_type
          AND (t.package_id = k.id AND t.state NOT IN ('skipped', 'cancelled')
            OR t.state IN ('waiting', 'sent', 'downloading', 'installing')))
      AND NOT EXISTS (
        SELECT FROM software_package n WHERE n.pcb_board_id = k.pcb_board_id AND n.part_type = k.part_type
          AND n.is_auto_upgrade AND n.is_release AND n.deleted_at IS NULL
          AND (n.major, n.minor) > (k.major, k.minor)
          AND (n.hw_version IS NULL OR n.hw_version IS NOT DISTINCT FROM v.hw_version))
    GROUP BY d.id, d.code
    HAVING bool_or(${isOlder}) AND bool_and(${reportedVersion} <= ${packageVersion})
    ORDER BY d.code LIMIT ${limit}`.execute(trx)
  return rows.map(({ code }) => code)
}
