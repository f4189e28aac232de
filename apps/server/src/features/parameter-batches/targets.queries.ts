// SQL of targets: read under a lock, changed by targets.states.ts, written back in one statement.
import type { ParameterBatchKind } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../domain/access/data-scope.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { normalForm } from './normal-form.ts'
import { isBusy } from './plan.queries.ts'
import { type Mismatch, mismatchText } from './targets.mismatch.ts'
import { reasons, type Target, type TargetRule } from './targets.states.ts'

/** A target with the fields that its moves need. */
export interface MovingTarget extends Target {
  id: string
  batchId: number
  deviceId: number
  deviceCode: string
  commandId: string | null
  rule: TargetRule
}

interface Row extends Omit<MovingTarget, 'dueAtMs' | 'rule'> {
  dueAt: Date | null
  maxAttempts: number
  intervalMinutes: number
  isStopping: boolean
}

/**
 * Locks the targets `t` of that condition, in the order of their ids: every writer takes them in this order, so that
 * no two wait for each other.
 */
export async function lockTargets(trx: Trx, condition: RawBuilder<SqlBool>): Promise<MovingTarget[]> {
  const { rows } = await sql<Row>`
    SELECT t.id, t.batch_id AS "batchId", t.device_id AS "deviceId", d.code AS "deviceCode",
      t.command_id AS "commandId", t.state, t.attempts, t.next_at AS "dueAt", t.reason,
      b.max_attempts AS "maxAttempts", b.interval_minutes AS "intervalMinutes", b.state <> 'running' AS "isStopping"
    FROM parameter_target t JOIN device d ON d.id = t.device_id JOIN parameter_batch b ON b.id = t.batch_id
    WHERE ${condition}
    ORDER BY t.id FOR UPDATE OF t`.execute(trx)
  return rows.map(({ dueAt, maxAttempts, intervalMinutes, isStopping, ...row }) => ({
    ...row,
    dueAtMs: dueAt?.getTime() ?? null,
    rule: { attempts: maxAttempts, intervalMs: intervalMinutes * 60_000, isStopping },
  }))
}

/** Of these targets, those whose device lies in the scope. */
export async function listWithin(trx: Trx, scope: DataScope, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    SELECT t.id FROM parameter_target t JOIN device d ON d.id = t.device_id
    WHERE t.id = ANY(${ids}::int8[]) AND ${deviceWithinScope(scope)}`.execute(trx)
  return new Set(rows.map(({ id }) => id))
}

export interface Asker {
  userId: number
  name: string
}

/** Keeps who asked for the next attempts of these targets; null: the creator. */
export async function writeAskers(trx: Trx, ids: readonly string[], asker: Asker | null): Promise<void> {
  await sql`
    UPDATE parameter_target SET asked_by = ${asker?.userId ?? null}, asked_by_name = ${asker?.name ?? null}
    WHERE id = ANY(${ids}::int8[])`.execute(trx)
}

export const ofIds = (ids: readonly string[]) => sql<SqlBool>`t.id = ANY(${ids}::int8[])`
export const ofCommands = (ids: readonly string[]) => sql<SqlBool>`t.command_id = ANY(${ids}::uuid[])`
export const ofBatch = (id: number) => sql<SqlBool>`t.batch_id = ${id}`
export const ofDevices = (ids: readonly number[]) => sql<SqlBool>`t.device_id = ANY(${ids}::int[])`
export const ofOpenBatches = sql<SqlBool>`
  t.batch_id IN (SELECT b.id FROM parameter_batch b WHERE b.next_at IS NOT NULL)`

/** The device of the target `t` of the batch `b` reports all that it is to have. */
const isVerified = sql<SqlBool>`(
  t.state IN ('waiting', 'sent', 'confirming') AND NOT EXISTS (
    SELECT FROM jsonb_each_text(coalesce(t.wanted, b.wanted)) w
    LEFT JOIN device_parameter p ON p.device_id = t.device_id AND p.parameter_id = w.key
    WHERE (p.value = w.value OR ${normalForm(sql`p.value`)} = ${normalForm(sql`w.value`)}) IS NOT TRUE))`

export async function listVerified(trx: Trx, condition: RawBuilder<SqlBool>): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT t.id FROM parameter_target t JOIN parameter_batch b ON b.id = t.batch_id
    WHERE ${condition} AND ${isVerified}`.execute(trx)
  return rows.map(({ id }) => id)
}

/** Commands of the targets `t` of that condition that may not have been answered. Takes no lock. */
export async function commandsUnderWay(trx: Trx, condition: RawBuilder<SqlBool>): Promise<string[]> {
  const { rows } = await sql<{ commandId: string }>`
    SELECT t.command_id AS "commandId" FROM parameter_target t
    WHERE ${condition} AND t.state = 'sent' AND t.command_id IS NOT NULL`.execute(trx)
  return rows.map(({ commandId }) => commandId)
}

export interface UnderWay {
  id: string
  commandId: string
}

/** The targets `t` of a batch whose command `c` no device has been handed. */
const isUnsent = (batchId: number) => sql<SqlBool>`
  t.batch_id = ${batchId} AND t.state = 'sent' AND c.state = 'waiting'`

/** Who, beside the creator, asked for attempts of a batch whose commands no device has been handed. Takes no lock. */
export async function listUnsentAskers(trx: Trx, batchId: number): Promise<Asker[]> {
  const { rows } = await sql<Asker>`
    SELECT DISTINCT t.asked_by AS "userId", t.asked_by_name AS name
    FROM parameter_target t JOIN device_command c ON c.id = t.command_id
    WHERE ${isUnsent(batchId)} AND t.asked_by IS NOT NULL`.execute(trx)
  return rows
}

export interface UnsentChoice {
  /** Those for devices out of this scope. */
  beyond?: DataScope
  /** Those that this user asked for. */
  askedBy?: number
}

/** Locks the commands of a batch that no device has been handed: none will be, until the transaction is over. */
export async function lockUnsent(
  trx: Trx,
  batchId: number,
  { limit, beyond, askedBy }: UnsentChoice & { limit: number },
): Promise<UnderWay[]> {
  const { rows } = await sql<UnderWay>`
    SELECT t.id, t.command_id AS "commandId"
    FROM parameter_target t JOIN device_command c ON c.id = t.command_id JOIN device d ON d.id = t.device_id
    WHERE ${isUnsent(batchId)}
      AND ${askedBy === undefined ? sql`true` : sql`t.asked_by = ${askedBy}`}
      AND ${beyond ? sql`NOT ${deviceWithinScope(beyond)}` : sql`true`}
    ORDER BY c.id LIMIT ${limit} FOR UPDATE OF c`.execute(trx)
  return rows
}

/**
 * Targets of a batch whose command has been with the device for longer than the interval, unanswered. A device that
 * went before it acknowledged the command is not among them: it gets the command again when it is back.
 */
export async function listUnanswered(trx: Trx, batchId: number, limit: number): Promise<UnderWay[]> {
  const { rows } = await sql<UnderWay>`
    SELECT t.id, t.command_id AS "commandId"
    FROM parameter_target t
    JOIN parameter_batch b ON b.id = t.batch_id
    JOIN device_command c ON c.id = t.command_id
    LEFT JOIN device_state s ON s.device_id = t.device_id
    WHERE t.batch_id = ${batchId} AND t.state = 'sent' AND c.next_at IS NOT NULL AND c.attempts > 0
      AND c.sent_at < now() - b.interval_minutes * interval '1 minute'
      AND (c.state = 'delivered' OR c.state = 'sent' AND s.is_online)
    LIMIT ${limit}`.execute(trx)
  return rows
}

/** Writes locked targets that have changed. */
export async function writeTargets(trx: Trx, targets: readonly MovingTarget[]): Promise<void> {
  await sql`
    UPDATE parameter_target t SET
      state = n.state, attempts = n.attempts, next_at = n.next_at, reason = n.reason, command_id = n.command_id,
      verified_at = CASE WHEN n.state = 'succeeded' THEN coalesce(t.verified_at, now()) END,
      changed_at = CASE WHEN t.state = n.state THEN t.changed_at ELSE now() END
    FROM unnest(
      ${targets.map(({ id }) => id)}::int8[],
      ${targets.map(({ state }) => state)}::text[],
      ${targets.map(({ attempts }) => attempts)}::int2[],
      ${targets.map(({ dueAtMs }) => (dueAtMs === null ? null : new Date(dueAtMs)))}::timestamptz[],
      ${targets.map(({ reason }) => reason)}::text[],
      ${targets.map(({ commandId }) => commandId)}::uuid[]
    ) AS n(id, state, attempts, next_at, reason, command_id)
    WHERE t.id = n.id`.execute(trx)
}

/** The content of the command, and whether the target's batch still sends it. */
export interface TargetOrder {
  id: string
  isRunning: boolean
  endsAt: Date
  isVerified: boolean
  wanted: Record<string, string>
  kind: ParameterBatchKind
  createdBy: number
  createdByName: string
  /** Who asked for the attempt, where that is not the creator. */
  asker: Asker | null
}

export async function readOrders(trx: Trx, ids: readonly string[]): Promise<Map<string, TargetOrder>> {
  const { rows } = await sql<TargetOrder>`
    SELECT t.id, b.state = 'running' AS "isRunning", b.ends_at AS "endsAt", ${isVerified} AS "isVerified",
      coalesce(t.wanted, b.wanted) AS wanted, b.kind, b.created_by AS "createdBy",
      b.created_by_name AS "createdByName",
      CASE WHEN t.asked_by IS NOT NULL
        THEN jsonb_build_object('userId', t.asked_by, 'name', t.asked_by_name) END AS asker
    FROM parameter_target t JOIN parameter_batch b ON b.id = t.batch_id
    WHERE t.id = ANY(${ids}::int8[])`.execute(trx)
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * What devices have reported, since they got the command, in place of the values of the confirming targets `t` of that
 * condition: by the target's id, in words.
 */
export async function readMismatches(trx: Trx, condition: RawBuilder<SqlBool>): Promise<Map<string, string>> {
  // Reports have the device's time: a clock that is behind dates them before the command.
  const { rows } = await sql<{ id: string; reported: Mismatch[] }>`
    SELECT t.id, jsonb_agg(jsonb_build_object('id', w.key, 'value', w.value, 'reported', p.value) ORDER BY w.key) AS reported
    FROM parameter_target t
    JOIN parameter_batch b ON b.id = t.batch_id
    JOIN parameter_attempt a ON a.command_id = t.command_id
    CROSS JOIN LATERAL jsonb_each_text(coalesce(t.wanted, b.wanted)) w
    JOIN device_parameter p ON p.device_id = t.device_id AND p.parameter_id = w.key
    LEFT JOIN device_state s ON s.device_id = t.device_id
    WHERE ${condition} AND t.state = 'confirming'
      AND (p.value = w.value OR ${normalForm(sql`p.value`)} = ${normalForm(sql`w.value`)}) IS NOT TRUE
      AND p.reported_at >= a.sent_at + least(coalesce(s.clock_offset_ms, 0), 0) * interval '1 ms'
    GROUP BY t.id`.execute(trx)
  return new Map(rows.map(({ id, reported }) => [id, mismatchText(reported)]))
}

/** The targets `t` that a user may try again, in the scope; of these ids where given. */
export const retryableWithin = (
  scope: DataScope,
  batchId: number,
  ids: readonly string[] | null,
) => sql<SqlBool>`
  t.batch_id = ${batchId} AND t.state IN ('failed', 'refused', 'expired')
  AND (${ids}::int8[] IS NULL OR t.id = ANY(${ids}::int8[])) AND ${deviceWithinScope(scope)}
  AND NOT ${isBusy(sql`t.device_id`, sql`ARRAY(SELECT jsonb_object_keys(coalesce(t.wanted, b.wanted)))`)}`

export interface BulkEnd {
  batchId: number
  /** Targets in these states end. */
  from: readonly ('waiting' | 'sent' | 'confirming')[]
  to: 'stopped' | 'expired'
  /** What confirming targets report in place of the values, by their ids. */
  mismatches?: ReadonlyMap<string, string>
}

/**
 * Ends targets of a batch in one statement, as targets.states.ts does for `stopped` and `ended`: there may be a hundred
 * thousand. Answers how many.
 */
export async function endTargets(
  trx: Trx,
  { batchId, from, to, mismatches = new Map() }: BulkEnd,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    WITH locked AS (
      SELECT t.id, t.state, t.command_id, CASE WHEN c.attempts > 0 THEN c.sent_at END AS sent_at,
        coalesce(m.text, ${reasons.unconfirmed}) AS unconfirmed
      FROM parameter_target t LEFT JOIN device_command c ON c.id = t.command_id
      LEFT JOIN unnest(${[...mismatches.keys()]}::int8[], ${[...mismatches.values()]}::text[]) AS m(id, text)
        ON m.id = t.id
      WHERE t.batch_id = ${batchId} AND t.state = ANY(${from}::text[]) ORDER BY t.id FOR UPDATE OF t
    ),
    ended AS (
      UPDATE parameter_target t SET state = ${to}, next_at = NULL, changed_at = now(),
        reason = CASE
          WHEN ${to} = 'stopped' THEN ${reasons.stopped}
          WHEN locked.state = 'waiting' THEN coalesce(t.reason, ${reasons.ended})
          WHEN locked.state = 'confirming' THEN locked.unconfirmed
          WHEN locked.sent_at IS NULL THEN ${reasons.offline}
          ELSE ${reasons.unanswered}
        END
      FROM locked WHERE t.id = locked.id
      RETURNING t.id
    ),
    logged AS (
      UPDATE parameter_attempt a SET ended_at = now(), sent_at = coalesce(a.sent_at, locked.sent_at),
        result = CASE
          WHEN locked.state = 'confirming' THEN 'unconfirmed'
          WHEN locked.sent_at IS NULL THEN 'offline'
          ELSE 'unanswered'
        END,
        reason = CASE WHEN locked.state = 'confirming' THEN locked.unconfirmed ELSE a.reason END
      FROM locked WHERE locked.state <> 'waiting' AND a.command_id = locked.command_id AND a.result = 'underWay'
    )
    SELECT count(*)::int AS count FROM ended`.execute(trx)
  return rows[0]?.count ?? 0
}

/** Whether the batch has an open target. */
export async function hasOpenTarget(db: Db, batchId: number): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM parameter_target
    WHERE batch_id = ${batchId} AND state IN ('waiting', 'sent', 'confirming') LIMIT 1`.execute(db)
  return rows.length > 0
}
