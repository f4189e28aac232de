// SQL of targets: read under a lock, changed by targets.states.ts, written back in one statement.
import type { UpgradeTargetState } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../../domain/access/data-scope.ts'
import type { Trx } from '../../../platform/database/database.ts'
import { isOnVersion, packageVersionText, type ReachLimit } from '../matching.ts'
import { type TaskLimits, targetBeyond, targetReached } from './bytes.queries.ts'
import { reasons, type Target, type TargetRule } from './targets.states.ts'

/** The most targets that one look takes back, ends or releases, so that nobody waits long for the lock of one. */
export const portion = 2_000

/** A target with the fields that its moves need. */
export interface MovingTarget extends Target {
  id: string
  taskId: number
  deviceId: number
  deviceCode: string
  stage: number
  position: number
  commandId: string | null
  rule: TargetRule
}

interface Row extends Omit<MovingTarget, 'dueAtMs' | 'claimedAtMs' | 'rule'> {
  dueAt: Date | null
  claimedAt: Date | null
  maxAttempts: number
  intervalMinutes: number
  stallMinutes: number
  verifyMinutes: number
}

const minuteMs = 60_000

/**
 * Locks the targets `t` of devices `d` of that condition, in the order of their ids: every writer takes them in this
 * order, so that no two wait for each other.
 */
export async function lockTargets(trx: Trx, condition: RawBuilder<SqlBool>): Promise<MovingTarget[]> {
  const { rows } = await sql<Row>`
    SELECT t.id, t.task_id AS "taskId", t.device_id AS "deviceId", d.code AS "deviceCode", t.stage, t.position,
      t.command_id AS "commandId", t.state, t.percent, t.attempts, t.next_at AS "dueAt", t.reason,
      t.claimed_at AS "claimedAt", (a.rule ->> 'attempts')::int AS "maxAttempts",
      (a.rule ->> 'intervalMinutes')::int AS "intervalMinutes", (a.rule ->> 'stallMinutes')::int AS "stallMinutes",
      (a.rule ->> 'verifyMinutes')::int AS "verifyMinutes"
    FROM upgrade_target t JOIN device d ON d.id = t.device_id JOIN upgrade_task a ON a.id = t.task_id
    WHERE ${condition}
    ORDER BY t.id FOR UPDATE OF t`.execute(trx)
  return rows.map(
    ({ dueAt, claimedAt, maxAttempts, intervalMinutes, stallMinutes, verifyMinutes, ...row }) => ({
      ...row,
      dueAtMs: dueAt?.getTime() ?? null,
      claimedAtMs: claimedAt?.getTime() ?? null,
      rule: {
        attempts: maxAttempts,
        intervalMs: intervalMinutes * minuteMs,
        stallMs: stallMinutes * minuteMs,
        verifyMs: verifyMinutes * minuteMs,
      },
    }),
  )
}

export const ofIds = (ids: readonly string[]) => sql<SqlBool>`t.id = ANY(${ids}::int8[])`
export const ofCommands = (ids: readonly string[]) => sql<SqlBool>`t.command_id = ANY(${ids}::uuid[])`
export const ofTask = (taskId: number) => sql<SqlBool>`t.task_id = ${taskId}`

/** Targets by id, each only where it is of the device that names it. */
export const ofPairs = (pairs: readonly { targetId: string; deviceId: number }[]) => sql<SqlBool>`
  (t.id, t.device_id) IN (SELECT * FROM unnest(
    ${pairs.map(({ targetId }) => targetId)}::int8[], ${pairs.map(({ deviceId }) => deviceId)}::int[]))`

/** The parts that wait behind these, of the same devices and tasks. */
export const behind = (targets: readonly MovingTarget[]) => sql<SqlBool>`
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
export const isVerified: RawBuilder<SqlBool> = sql`(
  t.state IN ('waiting', 'sent', 'downloading', 'installing') AND NOT EXISTS (
    SELECT FROM software_package k CROSS JOIN jsonb_object_keys(t.from_versions) AS f(addr_id)
    LEFT JOIN device_version v
      ON v.device_id = t.device_id AND v.part_type = t.part_type AND v.addr_id = f.addr_id
    WHERE k.id = t.package_id AND (${isOnVersion}) IS NOT TRUE))`

export async function listVerified(trx: Trx, condition: RawBuilder<SqlBool>): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT t.id FROM upgrade_target t WHERE ${condition} AND ${isVerified}`.execute(trx)
  return rows.map(({ id }) => id)
}

export const ofDevices = (ids: readonly number[]) => sql<SqlBool>`t.device_id = ANY(${ids}::int[])`

/** Commands of the targets `t` of that condition that may not have been answered. Takes no lock. */
export async function commandsUnderWay(trx: Trx, condition: RawBuilder<SqlBool>): Promise<string[]> {
  const { rows } = await sql<{ commandId: string }>`
    SELECT t.command_id AS "commandId" FROM upgrade_target t
    WHERE ${condition} AND t.state = 'sent' AND t.next_at IS NULL AND t.command_id IS NOT NULL`.execute(trx)
  return rows.map(({ commandId }) => commandId)
}

/** Targets of a task whose command no device has been handed yet, no more than that. */
export async function listUnsent(
  trx: Trx,
  taskId: number,
  limit: number,
): Promise<{ id: string; commandId: string }[]> {
  const { rows } = await sql<{ id: string; commandId: string }>`
    SELECT t.id, t.command_id AS "commandId"
    FROM upgrade_target t JOIN device_command c ON c.id = t.command_id
    WHERE t.task_id = ${taskId} AND t.state = 'sent' AND t.next_at IS NULL AND c.state = 'waiting'
    LIMIT ${limit}`.execute(trx)
  return rows
}

/**
 * Locks the commands of a task that no device has been handed and whose targets lie beyond the limits: none will be
 * handed over until the transaction is over. No more than `limit`.
 */
export async function lockUnsentBeyond(
  trx: Trx,
  taskId: number,
  limits: TaskLimits,
  limit: number,
): Promise<{ id: string; commandId: string; note: string }[]> {
  const { rows } = await sql<{ id: string; commandId: string; note: string }>`
    SELECT t.id, t.command_id AS "commandId", ${targetBeyond(limits)} AS note
    FROM upgrade_target t JOIN device_command c ON c.id = t.command_id ${joinBytes}
    WHERE t.task_id = ${taskId} AND t.state = 'sent' AND t.next_at IS NULL AND c.state = 'waiting'
      AND ${targetBeyond(limits)} IS NOT NULL
    ORDER BY c.id LIMIT ${limit} FOR UPDATE OF c`.execute(trx)
  return rows
}

/** Targets of a task whose command has been with the device since before that, unanswered. */
export async function listUnanswered(
  trx: Trx,
  taskId: number,
  before: Date,
): Promise<{ id: string; commandId: string }[]> {
  const { rows } = await sql<{ id: string; commandId: string }>`
    SELECT t.id, t.command_id AS "commandId"
    FROM upgrade_target t JOIN device_command c ON c.id = t.command_id
    WHERE t.task_id = ${taskId} AND t.state = 'sent' AND t.next_at IS NULL
      AND c.next_at IS NOT NULL AND c.attempts > 0 AND c.state <> 'waiting' AND c.sent_at < ${before}
    LIMIT 5000`.execute(trx)
  return rows
}

/** Writes locked targets. `heard`: the device itself has reported something. */
export async function writeTargets(
  trx: Trx,
  targets: readonly (MovingTarget & { isHeard: boolean })[],
): Promise<void> {
  const at = (ms: number | null) => (ms === null ? null : new Date(ms))
  await sql`
    UPDATE upgrade_target t SET
      state = n.state, percent = n.percent, attempts = n.attempts, next_at = n.next_at, reason = n.reason,
      command_id = n.command_id, claimed_at = n.claimed_at,
      started_at = CASE WHEN n.state = 'sent' THEN coalesce(t.started_at, now()) ELSE t.started_at END,
      verified_at = CASE WHEN n.state = 'succeeded' THEN coalesce(t.verified_at, now()) END,
      changed_at = CASE WHEN t.state = n.state THEN t.changed_at ELSE now() END,
      reported_at = CASE WHEN n.is_heard THEN now() ELSE t.reported_at END
    FROM unnest(
      ${targets.map(({ id }) => id)}::int8[],
      ${targets.map(({ state }) => state)}::text[],
      ${targets.map(({ percent }) => percent)}::int2[],
      ${targets.map(({ attempts }) => attempts)}::int2[],
      ${targets.map(({ dueAtMs }) => at(dueAtMs))}::timestamptz[],
      ${targets.map(({ reason }) => reason)}::text[],
      ${targets.map(({ commandId }) => commandId)}::uuid[],
      ${targets.map(({ claimedAtMs }) => at(claimedAtMs))}::timestamptz[],
      ${targets.map(({ isHeard }) => isHeard)}::bool[]
    ) AS n(id, state, percent, attempts, next_at, reason, command_id, claimed_at, is_heard)
    WHERE t.id = n.id`.execute(trx)
}

/** Makes targets due again in so many ms. */
export async function postpone(trx: Trx, ids: readonly string[], inMs: number): Promise<void> {
  await sql`
    UPDATE upgrade_target SET next_at = now() + ${inMs} * interval '1 ms' WHERE id = ANY(${ids}::int8[])`.execute(
    trx,
  )
}

/** The bytes `n` of the target `t`. */
const joinBytes = sql`
  JOIN upgrade_task_package n ON n.task_id = t.task_id AND n.package_id = t.package_id
    AND (t.file_id IS NULL OR n.file_id = t.file_id)`

/** The content of the `upgrade` command, and whether the target's task is under way. */
export interface TargetOrder {
  id: string
  isRunning: boolean
  endsAt: Date | null
  partType: string
  /** The parts that are not on the version yet. */
  addrIds: string[]
  isVerified: boolean
  /** Why it may not be brought to the device. */
  beyond: string | null
  /** Versions that parts of `addrIds` have reported since the device said that it was done, joined by 、. */
  stillReports: string | null
  pcbCode: string
  version: string
  hwVersion: string | null
  fileName: string
  fileId: string
  sizeBytes: number
  md5: string
  sha256: string
}

export async function readOrders(
  trx: Trx,
  ids: readonly string[],
  limits: TaskLimits,
): Promise<Map<string, TargetOrder>> {
  const { rows } = await sql<TargetOrder>`
    SELECT t.id, a.state = 'running' AND t.stage <= a.stage AS "isRunning", a.ends_at AS "endsAt",
      t.part_type AS "partType", m.addr_ids AS "addrIds",
      t.state IN ('waiting', 'sent', 'downloading', 'installing') AND m.addr_ids = '{}' AS "isVerified",
      ${targetBeyond(limits)} AS beyond,
      (SELECT string_agg(DISTINCT v.version, '、') FROM device_version v
       WHERE v.device_id = t.device_id AND v.part_type = t.part_type AND v.addr_id = ANY(m.addr_ids)
         AND v.reported_at >= t.claimed_at) AS "stillReports",
      b.pcb_code AS "pcbCode", ${packageVersionText} AS version, k.hw_version AS "hwVersion",
      n.file_name AS "fileName", n.file_id AS "fileId", f.size_bytes::float8 AS "sizeBytes", f.md5, f.sha256
    FROM upgrade_target t
    JOIN upgrade_task a ON a.id = t.task_id
    JOIN software_package k ON k.id = t.package_id
    JOIN pcb_board b ON b.id = k.pcb_board_id
    ${joinBytes}
    JOIN stored_file f ON f.id = n.file_id
    CROSS JOIN LATERAL (
      SELECT ARRAY(
        SELECT x.addr_id FROM jsonb_object_keys(t.from_versions) AS x(addr_id)
        LEFT JOIN device_version v
          ON v.device_id = t.device_id AND v.part_type = t.part_type AND v.addr_id = x.addr_id
        WHERE (${isOnVersion}) IS NOT TRUE ORDER BY length(x.addr_id), x.addr_id
      ) AS addr_ids
      OFFSET 0
    ) m
    WHERE t.id = ANY(${ids}::int8[])`.execute(trx)
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * The targets `t` that a user may try again, in the scope, as far as the people of their packages reach, and where these
 * packages were not deleted; of these ids where given.
 */
export const retryableWithin = (
  scope: DataScope,
  taskId: number,
  ids: readonly string[] | null,
  limits: readonly ReachLimit[],
) => sql<SqlBool>`
  t.task_id = ${taskId} AND (t.state IN ('failed', 'refused', 'timedOut')
    OR t.state = 'skipped' AND t.reason = ${reasons.predecessor})
  AND (${ids}::int8[] IS NULL OR t.id = ANY(${ids}::int8[])) AND ${deviceWithinScope(scope)}
  AND ${targetReached(limits)}
  AND EXISTS (SELECT FROM software_package k WHERE k.id = t.package_id AND k.deleted_at IS NULL)
  AND NOT EXISTS (
    SELECT FROM upgrade_target o WHERE o.device_id = t.device_id AND o.part_type = t.part_type AND o.id <> t.id
      AND o.state IN ('waiting', 'sent', 'downloading', 'installing'))`

export interface OpenTarget {
  id: string
  /** The newest one. */
  commandId: string | null
  /** Whether that command may still be answered. */
  isUnanswered: boolean
}

/** Open targets of a task, at most `limit`. Takes no lock. */
export async function listOpen(trx: Trx, taskId: number, limit: number): Promise<OpenTarget[]> {
  const { rows } = await sql<OpenTarget>`
    SELECT id, command_id AS "commandId", state = 'sent' AND next_at IS NULL AS "isUnanswered" FROM upgrade_target
    WHERE task_id = ${taskId} AND state IN ('waiting', 'sent', 'downloading', 'installing')
    ORDER BY id LIMIT ${limit}`.execute(trx)
  return rows
}

export interface BulkEnd {
  taskId: number
  to: UpgradeTargetState
  reason: string | null
  cause: string
}

/**
 * Ends, in one statement, targets that are still open and whose newest command is still the one given, as
 * targets.states.ts does for `cancelled` and `ended`. Answers how many.
 */
export async function endTargets(
  trx: Trx,
  open: readonly Pick<OpenTarget, 'id' | 'commandId'>[],
  { taskId, to, reason, cause }: BulkEnd,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    WITH locked AS (
      SELECT t.id, t.state, t.stage
      FROM unnest(${open.map(({ id }) => id)}::int8[], ${open.map(({ commandId }) => commandId)}::uuid[])
        AS n(id, command_id)
      JOIN upgrade_target t ON t.id = n.id
      WHERE t.state IN ('waiting', 'sent', 'downloading', 'installing')
        AND t.command_id IS NOT DISTINCT FROM n.command_id
      ORDER BY t.id FOR UPDATE OF t
    ),
    ended AS (
      UPDATE upgrade_target t SET state = ${to}, next_at = NULL, changed_at = now(),
        reason = CASE WHEN ${reason}::text IS NULL THEN NULL ELSE coalesce(t.reason, ${reason}) END
      FROM locked WHERE t.id = locked.id
      RETURNING t.id, t.stage, locked.state AS before, t.reason
    ),
    told AS (
      INSERT INTO upgrade_transition (task_id, stage, target_id, from_state, to_state, cause)
      SELECT ${taskId}, stage, id, before, ${to}, ${cause} FROM ended
    )
    SELECT count(*)::int AS count FROM ended`.execute(trx)
  return rows[0]?.count ?? 0
}

export const anyTarget = sql<SqlBool>`true`
