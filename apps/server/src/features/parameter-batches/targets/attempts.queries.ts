// The log of attempts: a row when the command is made, completed when it is over.
import type { AttemptResult } from '@voltkeep/contract'
import { sql } from 'kysely'
import { booleanArray, int4Array, int8Array, textArray } from '../../../platform/database/arrays.ts'
import type { Trx } from '../../../platform/database/database.ts'
import { deletingOld } from '../../../platform/database/jobs/retention.ts'

export interface NewAttempt {
  batchId: number
  targetId: string
  commandId: string
}

export async function insertAttempts(trx: Trx, attempts: readonly NewAttempt[]): Promise<void> {
  if (attempts.length === 0) return
  await sql`
    INSERT INTO parameter_attempt (batch_id, target_id, command_id, number)
    SELECT n.batch_id, n.target_id, n.command_id,
      1 + (SELECT count(*) FROM parameter_attempt a WHERE a.target_id = n.target_id)
    FROM unnest(
      ${int4Array(attempts.map(({ batchId }) => batchId))}::int[],
      ${int8Array(attempts.map(({ targetId }) => Number(targetId)))}::int8[],
      ${textArray(attempts.map(({ commandId }) => commandId))}::text[]::uuid[]
    ) AS n(batch_id, target_id, command_id)`.execute(trx)
}

export interface AttemptChange {
  targetId: string
  commandId: string
  /** Null while it is under way. */
  result: Exclude<AttemptResult, 'underWay'> | null
  reason: string | null
  /** The device has answered now. */
  isAnswered: boolean
}

/** Writes attempts, each at most once in the list. */
export async function writeAttempts(trx: Trx, changes: readonly AttemptChange[]): Promise<void> {
  if (changes.length === 0) return
  await sql`
    UPDATE parameter_attempt a SET
      result = coalesce(n.result, a.result), reason = coalesce(n.reason, a.reason),
      answered_at = CASE WHEN n.is_answered THEN coalesce(a.answered_at, now()) ELSE a.answered_at END,
      ended_at = CASE WHEN n.result IS NULL THEN a.ended_at ELSE now() END,
      sent_at = coalesce(a.sent_at, (SELECT c.sent_at FROM device_command c WHERE c.id = n.command_id AND c.attempts > 0))
    FROM unnest(
      ${int8Array(changes.map(({ targetId }) => Number(targetId)))}::int8[],
      ${textArray(changes.map(({ commandId }) => commandId))}::text[]::uuid[],
      ${textArray(changes.map(({ result }) => result))}::text[],
      ${textArray(changes.map(({ reason }) => reason))}::text[],
      ${booleanArray(changes.map(({ isAnswered }) => isAnswered))}::bool[]
    ) AS n(target_id, command_id, result, reason, is_answered)
    WHERE a.target_id = n.target_id AND a.command_id = n.command_id AND a.result = 'underWay'`.execute(trx)
}

/** Deletes the oldest attempts where they were made before the moment, no more than `limit`; returns how many. */
export const deleteAttempts = deletingOld(({ db, before, limit }) =>
  // Ids ascend with time: the oldest are at one end of the primary key.
  sql`
    DELETE FROM parameter_attempt WHERE created_at < ${before} AND id IN (
      SELECT id FROM parameter_attempt ORDER BY id LIMIT ${limit})`.execute(db),
)
