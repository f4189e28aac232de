// SQL of the consent that automatic upgrades may need.
import { type RawBuilder, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../domain/access/data-scope.ts'
import { decidedIn } from '../../domain/access/granted.ts'
import { isObserved } from '../../domain/device-work/observed.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { countRows } from '../../platform/database/paging.ts'
import { isOlder, packageMatches } from './matching.queries.ts'

/** The devices `d` in the scope that have an older version of what the package `k` brings, and are told things from here. */
const outdated = (packageId: number, scope: DataScope): RawBuilder<unknown> => sql`
  FROM software_package k
  JOIN device_version v ON v.part_type = k.part_type
  JOIN device d ON d.id = v.device_id
  WHERE k.id = ${packageId} AND ${packageMatches} AND ${isOlder} AND ${deviceWithinScope(scope)}
    AND NOT ${isObserved(sql`d.id`)}`

/**
 * How many devices the decision reaches: those in the scope that have an older version, and those that got this file by
 * it already. Else a fleet that joins by and by would never be many devices. `next`: those that it is to be
 * offered to, as they were listed: a statement of its own may find others.
 */
export const countReached = (
  db: Db,
  packageId: number,
  scope: DataScope,
  next: readonly string[] = [],
): Promise<number> =>
  countRows(
    db,
    sql`FROM (
      SELECT d.id ${outdated(packageId, scope)}
      UNION
      SELECT d.id FROM device d WHERE d.code = ANY(${next}::text[])
      UNION
      SELECT t.device_id FROM software_package k
      JOIN upgrade_task_package n ON n.package_id = k.id AND n.file_id = k.file_id
      JOIN upgrade_task a ON a.id = n.task_id AND a.type = 'AUTO' AND a.created_at >= k.auto_at
      JOIN upgrade_target t ON t.task_id = a.id AND t.package_id = k.id AND t.state NOT IN ('skipped', 'cancelled')
      WHERE k.id = ${packageId}) reached`,
  )

/** Whether the other scope has all devices of this one that have an older version. */
export async function isOutdatedWithin(
  db: Db,
  packageId: number,
  scope: DataScope,
  other: DataScope,
): Promise<boolean> {
  const { rows } = await sql`
    SELECT ${outdated(packageId, scope)} AND NOT ${deviceWithinScope(other)} LIMIT 1`.execute(db)
  return rows.length === 0
}

interface User {
  userId: number
  name: string
}

/** Writes who agreed, and who asked: that user's decision it is from now on. */
export async function writeConsent(
  trx: Trx,
  packageId: number,
  { asker, approver, deviceCount }: { asker: User; approver: User; deviceCount: number },
): Promise<void> {
  const isOther = sql`auto_by IS DISTINCT FROM ${asker.userId}`
  await sql`
    UPDATE software_package SET
      auto_at = CASE WHEN ${isOther} THEN now() ELSE auto_at END,
      auto_in = CASE WHEN ${isOther} THEN ${decidedIn(asker.userId)} ELSE auto_in END,
      auto_by = ${asker.userId}, auto_by_name = ${asker.name},
      auto_approved_by = ${approver.userId}, auto_approved_by_name = ${approver.name},
      auto_approved_in = ${decidedIn(approver.userId)}, auto_approved_count = ${deviceCount},
      auto_is_held = false, auto_is_narrowed = false
    WHERE id = ${packageId}`.execute(trx)
}

/** Writes whether it is held, and whether who agreed leaves devices out. */
export async function writeReviewed(
  trx: Trx,
  packageId: number,
  { isHeld, isNarrowed }: { isHeld: boolean; isNarrowed: boolean },
): Promise<void> {
  await sql`
    UPDATE software_package SET auto_is_held = ${isHeld}, auto_is_narrowed = ${isNarrowed}
    WHERE id = ${packageId} AND (auto_is_held, auto_is_narrowed) IS DISTINCT FROM (${isHeld}, ${isNarrowed})`.execute(
    trx,
  )
}
