// SQL of targets: conditions on them, and what their commands are made of.
import type { UpgradeRule, UpgradeTaskState } from '@voltkeep/contract'
import { type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../../domain/access/data-scope.ts'
import { ofIds } from '../../../domain/device-work/work.queries.ts'
import type { Trx } from '../../../platform/database/database.ts'
import { isOnVersion, packageVersionText, type ReachLimit } from '../matching.ts'
import { type TaskLimits, targetBeyond, targetReached } from './bytes.queries.ts'
import { reasons, type TargetRule } from './targets.states.ts'

const minuteMs = 60_000

/** Something may still come of the target `t`. */
export const isOpenTarget = sql<SqlBool>`t.state IN ('waiting', 'sent', 'downloading', 'installing')`
/** Its newest command has not been answered, or has been accepted and nothing has come of it yet. */
export const isAwaiting = sql<SqlBool>`(t.state = 'sent' AND t.next_at IS NULL)`
export const ofTask = (taskId: number) => sql<SqlBool>`t.task_id = ${taskId}`

/** Targets by id, each only where it is of the device that names it. */
export const ofPairs = (pairs: readonly { targetId: string; deviceId: number }[]) => sql<SqlBool>`
  (t.id, t.device_id) IN (SELECT * FROM unnest(
    ${pairs.map(({ targetId }) => targetId)}::int8[], ${pairs.map(({ deviceId }) => deviceId)}::int[]))`

/** The parts that wait behind these, of the same devices and tasks. */
export const behind = (
  targets: readonly { taskId: number; deviceId: number; position: number }[],
) => sql<SqlBool>`
  t.state = 'waiting' AND EXISTS (
    SELECT FROM unnest(
      ${targets.map(({ taskId }) => taskId)}::int[], ${targets.map(({ deviceId }) => deviceId)}::int[],
      ${targets.map(({ position }) => position)}::int[]
    ) AS n(task_id, device_id, position)
    WHERE n.task_id = t.task_id AND n.device_id = t.device_id AND t.position > n.position)
  AND t.device_id = ANY(${targets.map(({ deviceId }) => deviceId)}::int[])`

/**
 * Every part of the target `t` is on the version of its package, by what the device reported. Names v and k are those
 * of the firmware's own fragments.
 */
export const isVerified = sql<SqlBool>`NOT EXISTS (
  SELECT FROM software_package k CROSS JOIN jsonb_object_keys(t.from_versions) AS f(addr_id)
  LEFT JOIN device_version v
    ON v.device_id = t.device_id AND v.part_type = t.part_type AND v.addr_id = f.addr_id
  WHERE k.id = t.package_id AND (${isOnVersion}) IS NOT TRUE)`

/** Why the bytes of the target `t` may not be brought to its device: a text; null where everybody who decided reaches it. */
export const bytesBeyond = (limits: TaskLimits) => sql<string | null>`(
  SELECT ${targetBeyond(limits)} FROM upgrade_task_package n
  WHERE n.task_id = t.task_id AND n.package_id = t.package_id AND (t.file_id IS NULL OR n.file_id = t.file_id)
  LIMIT 1)`

export async function readRules(trx: Trx, taskIds: readonly number[]): Promise<Map<number, TargetRule>> {
  const { rows } = await sql<{ id: number; rule: UpgradeRule }>`
    SELECT a.id, a.rule FROM upgrade_task a WHERE a.id = ANY(${taskIds}::int[])`.execute(trx)
  return new Map(
    rows.map(({ id, rule: { attempts, intervalMinutes, stallMinutes, verifyMinutes } }) => [
      id,
      {
        attempts,
        intervalMs: intervalMinutes * minuteMs,
        stallMs: stallMinutes * minuteMs,
        verifyMs: verifyMinutes * minuteMs,
      },
    ]),
  )
}

/** What a task brings of a package, and how far the task is. */
export interface Supply {
  taskId: number
  packageId: number
  state: UpgradeTaskState
  /** The stage under way. */
  stage: number | null
  endsAt: Date | null
  pcbCode: string
  version: string
  hwVersion: string | null
  fileName: string
  fileId: string
  sizeBytes: number
  md5: string
  sha256: string
}

/** What the `upgrade` command of a target is made of. */
export interface TargetOrder {
  partType: string
  supply: Supply
  /** The parts that are not on the version yet. */
  addrIds: readonly string[]
  /** Why it may not be brought to the device. */
  beyond: string | null
  /** Versions that parts of `addrIds` have reported since the device said that it was done, joined by 、. */
  stillReports: string | null
}

export async function readOrders(
  trx: Trx,
  targets: readonly { id: string; taskId: number }[],
  limits: TaskLimits,
): Promise<Map<string, TargetOrder>> {
  const supplies = await readSupplies(trx, [...new Set(targets.map(({ taskId }) => taskId))])
  const { rows } = await sql<OrderRow>`
    SELECT t.id, t.task_id AS "taskId", t.package_id AS "packageId", t.file_id AS "fileId", t.part_type AS "partType",
      array_to_json(m.addr_ids)::text AS "addrIds", ${bytesBeyond(limits)} AS beyond,
      CASE WHEN t.claimed_at IS NOT NULL THEN (
        SELECT string_agg(DISTINCT v.version, '、') FROM device_version v
        WHERE v.device_id = t.device_id AND v.part_type = t.part_type AND v.addr_id = ANY(m.addr_ids)
          AND v.reported_at >= t.claimed_at) END AS "stillReports"
    FROM upgrade_target t
    JOIN software_package k ON k.id = t.package_id
    CROSS JOIN LATERAL (
      SELECT ARRAY(
        SELECT x.addr_id FROM jsonb_object_keys(t.from_versions) AS x(addr_id)
        LEFT JOIN device_version v
          ON v.device_id = t.device_id AND v.part_type = t.part_type AND v.addr_id = x.addr_id
        WHERE (${isOnVersion}) IS NOT TRUE ORDER BY length(x.addr_id), x.addr_id
      ) AS addr_ids
      OFFSET 0
    ) m
    WHERE ${ofIds(targets.map(({ id }) => id))}`.execute(trx)
  // Mostly the same few parts.
  const known = new Map<string, readonly string[]>()
  const addrIdsOf = (text: string) => {
    const addrIds = known.get(text) ?? (JSON.parse(text) as string[])
    known.set(text, addrIds)
    return addrIds
  }
  const orders = new Map<string, TargetOrder>()
  for (const { id, partType, addrIds, beyond, stillReports, ...brought } of rows) {
    const supply = supplies.find((one) => isOf(one, brought))
    if (supply) orders.set(id, { partType, supply, addrIds: addrIdsOf(addrIds), beyond, stillReports })
  }
  return orders
}

interface OrderRow extends Pick<TargetOrder, 'partType' | 'beyond' | 'stillReports'> {
  id: string
  taskId: number
  packageId: number
  /** Null: the only bytes that the task has of the package. */
  fileId: string | null
  /** As JSON. */
  addrIds: string
}

const isOf = (
  supply: Supply,
  { taskId, packageId, fileId }: Pick<OrderRow, 'taskId' | 'packageId' | 'fileId'>,
) =>
  supply.taskId === taskId && supply.packageId === packageId && (fileId === null || supply.fileId === fileId)

async function readSupplies(trx: Trx, taskIds: readonly number[]): Promise<Supply[]> {
  const { rows } = await sql<Supply>`
    SELECT n.task_id AS "taskId", n.package_id AS "packageId", a.state, a.stage, a.ends_at AS "endsAt",
      b.pcb_code AS "pcbCode", ${packageVersionText} AS version, k.hw_version AS "hwVersion",
      n.file_name AS "fileName", n.file_id AS "fileId", f.size_bytes::float8 AS "sizeBytes", f.md5, f.sha256
    FROM upgrade_task_package n
    JOIN upgrade_task a ON a.id = n.task_id
    JOIN software_package k ON k.id = n.package_id
    JOIN pcb_board b ON b.id = k.pcb_board_id
    JOIN stored_file f ON f.id = n.file_id
    WHERE n.task_id = ANY(${taskIds}::int[])`.execute(trx)
  return rows
}

/**
 * The targets `t` that a user may try again, in the scope, as far as the people of their packages reach, and where these
 * packages were not deleted; of these ids where given, and not of that stage.
 */
export const retryableWithin = (
  scope: DataScope,
  taskId: number,
  ids: readonly string[] | null,
  limits: readonly ReachLimit[],
  exceptStage: number | null,
) => sql<SqlBool>`
  t.task_id = ${taskId} AND (t.state IN ('failed', 'refused', 'timedOut')
    OR t.state = 'skipped' AND t.reason = ${reasons.predecessor})
  AND (${ids}::int8[] IS NULL OR t.id = ANY(${ids}::int8[])) AND ${deviceWithinScope(scope)}
  AND t.stage IS DISTINCT FROM ${exceptStage}::int
  AND ${targetReached(limits)}
  AND EXISTS (SELECT FROM software_package k WHERE k.id = t.package_id AND k.deleted_at IS NULL)
  AND NOT EXISTS (
    SELECT FROM upgrade_target o WHERE o.device_id = t.device_id AND o.part_type = t.part_type AND o.id <> t.id
      AND o.state IN ('waiting', 'sent', 'downloading', 'installing'))`
