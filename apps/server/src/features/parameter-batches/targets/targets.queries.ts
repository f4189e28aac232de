// SQL of targets: conditions on them, and what their commands and their ends are made of.
import type { ParameterBatchKind } from '@voltkeep/contract'
import { type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../../domain/access/data-scope.ts'
import type { Approved } from '../../../domain/access/deciders.ts'
import { isUnsent, ofIds, wasHanded } from '../../../domain/device-work/work.queries.ts'
import type { Trx } from '../../../platform/database/database.ts'
import { countRows } from '../../../platform/database/paging.ts'
import { normalForm } from './normal-form.ts'
import { isBusy } from './plan.queries.ts'
import type { TargetRule } from './targets.states.ts'
import { type Mismatch, mismatchText } from './value-mismatch.ts'

/** Something may still come of the target `t`. */
export const isOpenTarget = sql<SqlBool>`t.state IN ('held', 'waiting', 'sent', 'confirming')`
/** The target `t` waits until its batch continues after the trial. */
export const isHeld = sql<SqlBool>`t.state = 'held'`
export const ofBatch = (id: number) => sql<SqlBool>`t.batch_id = ${id}`
/** The device of the target `t` of the batch `b` reports all that it is to have. */
export const isVerified = sql<SqlBool>`(
  NOT EXISTS (
    SELECT FROM jsonb_each_text(coalesce(t.wanted, b.wanted)) w
    LEFT JOIN device_parameter p ON p.device_id = t.device_id AND p.parameter_id = w.key
    WHERE (p.value = w.value OR ${normalForm(sql`p.value`)} = ${normalForm(sql`w.value`)}) IS NOT TRUE))`

/** The command `c` has been with a device that is there for longer than the interval of the batch `b`, unanswered. */
export const isSilent = sql<SqlBool>`(
  ${wasHanded} AND c.sent_at < now() - b.interval_minutes * interval '1 minute'
  AND (c.state = 'delivered' OR EXISTS (
    SELECT FROM device_state s WHERE s.device_id = t.device_id AND s.is_online)))`

/** How many targets of a batch wait for it to be continued. */
export const countHeld = (trx: Trx, batchId: number): Promise<number> =>
  countRows(trx, sql`FROM parameter_target t WHERE ${ofBatch(batchId)} AND ${isHeld}`)

/** How many targets of a batch a stop still takes back. */
export async function countUnsent(trx: Trx, batchId: number): Promise<number> {
  return countRows(
    trx,
    sql`FROM parameter_target t LEFT JOIN device_command c ON c.id = t.command_id
    WHERE ${ofBatch(batchId)} AND (t.state IN ('held', 'waiting') OR t.state = 'sent' AND ${isUnsent})`,
  )
}

export async function readRules(trx: Trx, batchIds: readonly number[]): Promise<Map<number, TargetRule>> {
  const { rows } = await sql<TargetRule & { id: number }>`
    SELECT b.id, b.max_attempts AS attempts, b.interval_minutes * 60000 AS "intervalMs",
      b.state NOT IN ('running', 'paused') AS "isStopping"
    FROM parameter_batch b WHERE b.id = ANY(${batchIds}::int[])`.execute(trx)
  return new Map(rows.map(({ id, ...rule }) => [id, rule]))
}

/** What a batch brings to each of its targets. */
interface BatchOrder extends Approved {
  id: number
  isRunning: boolean
  endsAt: Date
  wanted: Record<string, string>
  kind: ParameterBatchKind
  createdBy: number
  createdByName: string
  continuedBy: number | null
}

/** The content of the command, and whether the target's batch still sends it. */
export interface TargetOrder extends Omit<BatchOrder, 'id'> {
  id: string
  isVerified: boolean
}

export async function readOrders(
  trx: Trx,
  targets: readonly { id: string; batchId: number }[],
): Promise<Map<string, TargetOrder>> {
  const batches = await readBatches(trx, [...new Set(targets.map(({ batchId }) => batchId))])
  const { rows } = await sql<{
    id: string
    batchId: number
    isVerified: boolean
    wanted: TargetOrder['wanted'] | null
  }>`
    SELECT t.id, t.batch_id AS "batchId", t.wanted, ${isOpenTarget} AND ${isVerified} AS "isVerified"
    FROM parameter_target t JOIN parameter_batch b ON b.id = t.batch_id
    WHERE ${ofIds(targets.map(({ id }) => id))}`.execute(trx)
  const orders = new Map<string, TargetOrder>()
  for (const { id, batchId, isVerified, wanted } of rows) {
    const batch = batches.get(batchId)
    if (batch) orders.set(id, { ...batch, id, isVerified, wanted: wanted ?? batch.wanted })
  }
  return orders
}

async function readBatches(trx: Trx, ids: readonly number[]): Promise<Map<number, BatchOrder>> {
  const { rows } = await sql<BatchOrder>`
    SELECT b.id, b.state IN ('running', 'paused') AS "isRunning", b.ends_at AS "endsAt", b.wanted, b.kind,
      b.created_by AS "createdBy", b.created_by_name AS "createdByName",
      b.approved_by AS "approvedBy", b.approved_by_name AS "approvedByName", b.continued_by AS "continuedBy"
    FROM parameter_batch b WHERE b.id = ANY(${ids}::int[])`.execute(trx)
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * What devices have reported, since they got the command, in place of the values of these targets, where they
 * are confirming: by the target's id, in words.
 */
export async function readMismatches(trx: Trx, ids: readonly string[]): Promise<Map<string, string>> {
  // Reports have the device's time: a clock that is behind dates them before the command.
  const { rows } = await sql<{ id: string; reported: Mismatch[] }>`
    SELECT t.id, jsonb_agg(jsonb_build_object('id', w.key, 'value', w.value, 'reported', p.value) ORDER BY w.key) AS reported
    FROM parameter_target t
    JOIN parameter_batch b ON b.id = t.batch_id
    JOIN parameter_attempt a ON a.target_id = t.id AND a.command_id = t.command_id
    CROSS JOIN LATERAL jsonb_each_text(coalesce(t.wanted, b.wanted)) w
    JOIN device_parameter p ON p.device_id = t.device_id AND p.parameter_id = w.key
    LEFT JOIN device_state s ON s.device_id = t.device_id
    WHERE t.id = ANY(${ids}::int8[]) AND t.state = 'confirming'
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
