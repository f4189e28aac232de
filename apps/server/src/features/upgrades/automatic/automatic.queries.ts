// SQL of automatic upgrades: which packages bring which devices up to date, and what has been offered of late.
import { type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../../domain/access/data-scope.ts'
import type { Approved } from '../../../domain/access/deciders.ts'
import { isObserved } from '../../../domain/device-work/observed.ts'
import type { Db } from '../../../platform/database/database.ts'
import {
  type AutomaticPeople,
  automaticApprover,
  isOlder,
  isRecommended,
  packageFitsDevice,
  packageFitsPart,
  packageVersion,
  reportedVersion,
  withCreation,
} from '../matching.ts'
import { bytesColumns, isOpenTarget } from '../targets/index.ts'

export interface AutomaticPackage extends AutomaticPeople {
  packageId: number
  equipTypeId: number
  pcbBoardId: number
  partType: string
  major: number
  minor: number
  /** A second person has to agree first. */
  isHeld: boolean
  /** An automatic task by who switched it on last is not over; what others try again of it counts for nothing. */
  isUnderWay: boolean
}

/** The attempt of the target `t` is that of the task itself, or of who switched the package `k` on. */
const isOwnAttempt = sql<SqlBool>`(t.asked_by IS NULL OR t.asked_by = k.auto_by)`

/**
 * The stage `s` runs for what others try again in it alone. It would have begun to be watched with its last own result: its
 * soak counts from there, so that nobody shortens it either.
 */
const isHeldByOthers = sql<SqlBool>`(
  s.state = 'running'
  AND EXISTS (SELECT FROM upgrade_target t WHERE t.task_id = s.task_id AND t.stage = s.number AND ${isOpenTarget})
  AND NOT EXISTS (
    SELECT FROM upgrade_target t WHERE t.task_id = s.task_id AND t.stage = s.number AND ${isOwnAttempt}
      AND (${isOpenTarget} OR t.changed_at BETWEEN now() - s.soak_minutes * interval '1 minute' AND now())))`

/** Packages for which automatic upgrades are on, the newest versions first. */
export async function listAutomaticPackages(db: Db): Promise<AutomaticPackage[]> {
  const { rows } = await sql<Omit<AutomaticPackage, 'approver'> & Approved & { approvedIn: number | null }>`
    SELECT ${bytesColumns('k')}, k.auto_is_held AS "isHeld", k.auto_approved_by AS "approvedBy",
      k.auto_approved_by_name AS "approvedByName", k.auto_approved_in AS "approvedIn", jsonb_build_object('userId', k.auto_by, 'name', k.auto_by_name, 'decidedIn', k.auto_in) AS switcher,
      ${withCreation()} AS "withCreation",
      b.equip_type_id AS "equipTypeId", k.pcb_board_id AS "pcbBoardId", k.part_type AS "partType", k.major, k.minor,
      EXISTS (
        SELECT FROM upgrade_task_package n JOIN upgrade_task a ON a.id = n.task_id
        WHERE n.package_id = k.id AND a.type = 'AUTO' AND a.created_by = k.auto_by AND a.state IN ('planned', 'running', 'paused')
          AND (a.state = 'planned'
            OR EXISTS (SELECT FROM upgrade_stage s WHERE s.task_id = a.id AND s.state <> 'passed' AND NOT ${isHeldByOthers})
            OR EXISTS (SELECT FROM upgrade_target t WHERE t.task_id = a.id AND ${isOpenTarget} AND ${isOwnAttempt}))
      ) AS "isUnderWay"
    FROM software_package k JOIN pcb_board b ON b.id = k.pcb_board_id
    WHERE k.is_auto_upgrade AND ${isRecommended} AND k.deleted_at IS NULL
    ORDER BY k.major DESC, k.minor DESC, k.id DESC`.execute(db)
  return rows.map(({ approvedBy, approvedByName, approvedIn, ...row }) => ({
    ...row,
    approver: automaticApprover({ approvedBy, approvedByName }, approvedIn),
  }))
}

interface Standing {
  package: Pick<AutomaticPackage, 'packageId'>
  scope: DataScope
}

/**
 * Codes of online devices in the package's scope that have a part older than it and none newer, were not offered it yet,
 * are offered none of the newer ones, whose people reach them, and are not being upgraded. No plan leaves one of them out
 * as things stand: one that it left out would be listed again by the next look, and by every one after it.
 */
export async function listOutdatedDevices(
  db: Db,
  { package: { packageId }, scope }: Standing,
  newer: readonly Standing[],
  { limit }: { limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ code: string }>`
    SELECT d.code ${outdated(packageId, scope, newer)} ORDER BY d.code LIMIT ${limit}`.execute(db)
  return rows.map(({ code }) => code)
}

const outdated = (packageId: number, scope: DataScope, newer: readonly Standing[]) => sql`
  FROM software_package k
  JOIN device_version v ON v.part_type = k.part_type
  JOIN device d ON d.id = v.device_id
  JOIN device_state s ON s.device_id = d.id AND s.is_online
  WHERE k.id = ${packageId} AND ${packageFitsPart} AND ${packageFitsDevice}
    AND ${deviceWithinScope(scope)} AND NOT ${isObserved(sql`d.id`)}
    AND NOT EXISTS (
      SELECT FROM upgrade_target t WHERE t.device_id = d.id AND t.part_type = k.part_type
        AND (t.package_id = k.id AND t.state NOT IN ('skipped', 'cancelled')
          OR t.package_id = k.id AND ${isJustSkipped}
          OR t.state IN ('waiting', 'sent', 'downloading', 'installing')))
    AND NOT EXISTS (
      SELECT FROM software_package n WHERE ${reaching(newer)}
        AND (n.hw_version IS NULL OR n.hw_version IS NOT DISTINCT FROM v.hw_version))
  GROUP BY d.id, d.code
  HAVING bool_or(${isOlder}) AND bool_and(${reportedVersion} <= ${packageVersion})`

/**
 * An automatic task has left the target `t` out a while ago, for what came about after the device was listed. It makes way
 * for others; a time to come is from before the clock was set back.
 */
const isJustSkipped = sql<SqlBool>`(
  t.state = 'skipped' AND t.changed_at BETWEEN now() - interval '1 hour' AND now()
  AND EXISTS (SELECT FROM upgrade_task a WHERE a.id = t.task_id AND a.type = 'AUTO'))`

/** The package `n` is one of these, and its people reach the device `d`. */
const reaching = (all: readonly Standing[]) =>
  all.length === 0
    ? sql<SqlBool>`false`
    : sql<SqlBool>`(${sql.join(
        all.map((one) => sql`n.id = ${one.package.packageId} AND ${deviceWithinScope(one.scope)}`),
        sql` OR `,
      )})`
