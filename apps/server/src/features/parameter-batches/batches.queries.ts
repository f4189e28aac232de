// SQL of batches: written, locked and changed.
import type { BatchDevices, ParameterBatchKind, ParameterBatchState } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope, everything } from '../../domain/access/data-scope.ts'
import type { Approved } from '../../domain/access/deciders.ts'
import { inOwnTree } from '../../domain/access/organization-tree.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { likeLiteral } from '../../platform/database/like.ts'
import { countRows } from '../../platform/database/paging.ts'
import { isOpenTarget } from './targets/index.ts'
import type { Trial } from './trial.rules.ts'

export type Viewer = Pick<Actor, 'isSystem' | 'organizationId'>

export interface NewBatch {
  name: string | null
  remark: string | null
  kind: ParameterBatchKind
  originId: number | null
  /** Parameter id → value, null where each target has its own. */
  wanted: Record<string, string | null>
  devices: BatchDevices
  maxAttempts: number
  intervalMinutes: number
  endsAt: Date
  createdBy: number
  createdByName: string
  /** The second person who agreed, where it needed one. */
  approvedBy: { userId: number; name: string } | null
  organizationId: number
}

/** Inserts a batch that is due at once, with a number of that day. */
export async function insertBatch(
  trx: Trx,
  day: string,
  batch: NewBatch,
): Promise<{ id: number; code: string }> {
  const { rows } = await sql<{ id: number; code: string }>`
    INSERT INTO parameter_batch (id, code, name, remark, kind, origin_id, wanted, devices, max_attempts, interval_minutes, ends_at,
      created_by, created_by_name, approved_by, approved_by_name, organization_id, next_at)
    SELECT n.id, ${`CS${day}`}::text || lpad(n.id::text, greatest(5, length(n.id::text)), '0'), ${batch.name},
      ${batch.remark}, ${batch.kind},
      ${batch.originId}::int, ${JSON.stringify(batch.wanted)}::jsonb, ${JSON.stringify(batch.devices)}::jsonb,
      ${batch.maxAttempts}, ${batch.intervalMinutes}, ${batch.endsAt}, ${batch.createdBy}, ${batch.createdByName},
      ${batch.approvedBy?.userId ?? null}::int, ${batch.approvedBy?.name ?? null}, ${batch.organizationId}, now()
    FROM nextval(pg_get_serial_sequence('parameter_batch', 'id')) AS n(id)
    RETURNING id, code`.execute(trx)
  return rows[0] as { id: number; code: string }
}

/** Writes how many devices there are, and how many of them a trial begins with; null without one. */
export async function setTargetCount(
  trx: Trx,
  id: number,
  count: number,
  trial: { devices: number; autoMinutes: number | null } | null,
): Promise<void> {
  await sql`
    UPDATE parameter_batch SET target_count = ${count}, trial_count = ${trial?.devices ?? null},
      trial_auto_minutes = ${trial?.autoMinutes ?? null}
    WHERE id = ${id}`.execute(trx)
}

/** The trial is over, or is not any more, since devices of it are tried again. */
export async function writeTrialEnd(trx: Trx, id: number, endedAt: Date | null): Promise<void> {
  await sql`
    UPDATE parameter_batch SET trial_ended_at = ${endedAt} WHERE id = ${id} AND trial_count IS NOT NULL`.execute(
    trx,
  )
}

/** The devices that are held begin; `by`: null where the batch continues by itself. */
export async function writeContinued(
  trx: Trx,
  id: number,
  at: Date,
  by: { userId: number; name: string } | null,
): Promise<void> {
  await sql`
    UPDATE parameter_batch SET continued_at = ${at}, continued_by = ${by?.userId ?? null},
      continued_by_name = ${by?.name ?? null}
    WHERE id = ${id}`.execute(trx)
}

export interface LockedBatch extends Approved {
  id: number
  code: string
  kind: ParameterBatchKind
  state: ParameterBatchState
  wanted: Record<string, string | null>
  devices: BatchDevices
  maxAttempts: number
  intervalMinutes: number
  endsAt: Date
  checkedAt: Date
  createdBy: number
  createdByName: string
  /** Null without a trial. */
  trial: Trial | null
  /** Who continued it after its trial; null where nobody has, or where it continued by itself. */
  continuedBy: number | null
  continuedByName: string | null
}

type Kept<Batch> = Omit<Batch, 'trial'> & Omit<Trial, 'devices'> & { trialCount: number | null }

/** The trial as read by `trialColumns`, in one field. */
function withTrial<Batch extends { trial: Trial | null }>(kept: Kept<Batch>): Batch {
  const { trialCount: devices, autoMinutes, endedAt, continuedAt, ...batch } = kept
  const trial = devices === null ? null : { devices, autoMinutes, endedAt, continuedAt }
  return { ...batch, trial } as unknown as Batch
}

const trialColumns = sql`
  b.trial_count AS "trialCount", b.trial_auto_minutes AS "autoMinutes", b.trial_ended_at AS "endedAt",
  b.continued_at AS "continuedAt", b.continued_by_name AS "continuedByName"`

const lockedColumns = sql`
  b.id, b.code, b.kind, b.state, b.wanted, b.devices, b.max_attempts AS "maxAttempts",
  b.interval_minutes AS "intervalMinutes", b.ends_at AS "endsAt", b.checked_at AS "checkedAt",
  b.created_by AS "createdBy", b.created_by_name AS "createdByName",
  b.approved_by AS "approvedBy", b.approved_by_name AS "approvedByName", b.continued_by AS "continuedBy",
  ${trialColumns}`

/** For a user: one of the viewer's organizations. */
export async function lockBatch(trx: Trx, viewer: Viewer, id: number): Promise<LockedBatch | undefined> {
  const { rows } = await sql<Kept<LockedBatch>>`
    SELECT ${lockedColumns} FROM parameter_batch b
    WHERE b.id = ${id} AND ${inOwnTree(viewer, sql.ref('b.organization_id'))} FOR NO KEY UPDATE`.execute(trx)
  return rows[0] && withTrial(rows[0])
}

/** For the work queue. */
export async function lockForWork(trx: Trx, id: number): Promise<LockedBatch | undefined> {
  const { rows } = await sql<Kept<LockedBatch>>`
    SELECT ${lockedColumns} FROM parameter_batch b WHERE b.id = ${id} FOR NO KEY UPDATE`.execute(trx)
  return rows[0] && withTrial(rows[0])
}

/** Writes the state, and when the queue handles it next: null where the state is final. */
export async function writeBatch(
  trx: Trx,
  id: number,
  { state, dueAt, endsAt }: { state: ParameterBatchState; dueAt: Date | null; endsAt?: Date },
): Promise<void> {
  await sql`
    UPDATE parameter_batch SET state = ${state}, next_at = ${dueAt}, ends_at = coalesce(${endsAt ?? null}, ends_at),
      finished_at = CASE WHEN ${dueAt}::timestamptz IS NULL THEN coalesce(finished_at, now()) END
    WHERE id = ${id}`.execute(trx)
}

/** Why the batch was stopped by itself; null where it runs again. */
export async function writeStopNote(trx: Trx, id: number, note: string | null): Promise<void> {
  await sql`UPDATE parameter_batch SET stop_note = ${note} WHERE id = ${id}`.execute(trx)
}

export async function markChecked(trx: Trx, id: number): Promise<void> {
  await sql`UPDATE parameter_batch SET checked_at = now() WHERE id = ${id}`.execute(trx)
}

/** Has the batch devices that the scope does not cover, without a result where so asked; of those within `own` alone. */
export async function reachesBeyond(
  db: Db,
  scope: DataScope,
  id: number,
  { own = everything, isOpen = false }: { own?: DataScope; isOpen?: boolean } = {},
): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM parameter_target t JOIN device d ON d.id = t.device_id
    WHERE t.batch_id = ${id} AND NOT ${deviceWithinScope(scope)} AND ${deviceWithinScope(own)}
      AND ${isOpen ? isOpenTarget : sql`true`} LIMIT 1`.execute(db)
  return rows.length > 0
}

export interface BatchRecord extends Approved {
  id: number
  code: string
  name: string | null
  remark: string | null
  kind: ParameterBatchKind
  originId: number | null
  originCode: string | null
  createTime: Date
  createdBy: number
  createBy: string
  wanted: Record<string, string | null>
  maxAttempts: number
  intervalMinutes: number
  endsAt: Date
  devices: BatchDevices
  state: ParameterBatchState
  stopNote: string | null
  finishTime: Date | null
  trial: Trial | null
  continuedByName: string | null
}

export interface BatchFilter {
  from?: Date | null
  to?: Date | null
  /** Part of the number. */
  code?: string | undefined
  /** Part of the name. */
  name?: string | undefined
  states?: readonly ParameterBatchState[] | undefined
  ids?: readonly number[] | undefined
  /** Made by this user, and under way or ended since then. */
  own?: { userId: number; endedSince: Date }
}

/** The batches `b` of the viewer's organizations that a filter asks for. */
function matching(
  viewer: Viewer,
  { from, to, code, name, states, ids, own }: BatchFilter,
): RawBuilder<SqlBool> {
  const parts: RawBuilder<SqlBool>[] = [sql`${inOwnTree(viewer, sql.ref('b.organization_id'))}`]
  if (from) parts.push(sql`b.created_at >= ${from}`)
  if (to) parts.push(sql`b.created_at < ${to}`)
  if (code !== undefined) parts.push(sql`strpos(b.code, upper(${code})) > 0`)
  if (name !== undefined) parts.push(sql`b.name ILIKE ${`%${likeLiteral(name)}%`}`)
  if (states?.length) parts.push(sql`b.state = ANY(${states}::text[])`)
  if (ids) parts.push(sql`b.id = ANY(${ids}::int[])`)
  if (own) {
    parts.push(
      sql`b.created_by = ${own.userId} AND (b.finished_at IS NULL OR b.finished_at > ${own.endedSince})`,
    )
  }
  return sql<SqlBool>`(${sql.join(parts, sql` AND `)})`
}

/** A page, newest first. */
export async function listBatches(
  db: Db,
  viewer: Viewer,
  filter: BatchFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<BatchRecord[]> {
  const { rows } = await sql<Kept<BatchRecord>>`
    SELECT b.id, b.code, b.name, b.remark, b.kind, b.origin_id AS "originId",
      (SELECT o.code FROM parameter_batch o WHERE o.id = b.origin_id) AS "originCode",
      b.created_at AS "createTime", b.created_by AS "createdBy", b.created_by_name AS "createBy",
      b.approved_by AS "approvedBy", b.approved_by_name AS "approvedByName", b.wanted,
      b.max_attempts AS "maxAttempts", b.interval_minutes AS "intervalMinutes", b.ends_at AS "endsAt", b.devices, b.state, b.stop_note AS "stopNote",
      b.finished_at AS "finishTime", ${trialColumns}
    FROM parameter_batch b WHERE ${matching(viewer, filter)}
    ORDER BY b.id DESC LIMIT ${limit} OFFSET ${offset}`.execute(db)
  return rows.map(withTrial<BatchRecord>)
}

export async function countBatches(db: Db, viewer: Viewer, filter: BatchFilter): Promise<number> {
  return countRows(db, sql`FROM parameter_batch b WHERE ${matching(viewer, filter)}`)
}

export async function findBatch(db: Db, viewer: Viewer, id: number): Promise<BatchRecord | undefined> {
  const [batch] = await listBatches(db, viewer, { ids: [id] }, { limit: 1, offset: 0 })
  return batch
}
