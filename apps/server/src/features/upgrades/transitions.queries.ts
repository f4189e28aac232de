// SQL of the transitions of tasks, stages and targets, kept as long as the history.
import { sql } from 'kysely'
import { int4Array, int8Array, textArray } from '../../platform/database/arrays.ts'
import type { Trx } from '../../platform/database/database.ts'
import { deletingOld } from '../../platform/database/jobs/retention.ts'

export interface Transition {
  taskId: number
  stage: number | null
  targetId: string | null
  from: string | null
  to: string
  /** For people. */
  cause: string
  detail?: object | null
}

export async function recordTransitions(trx: Trx, transitions: readonly Transition[]): Promise<void> {
  if (transitions.length === 0) return
  await sql`
    INSERT INTO upgrade_transition (task_id, stage, target_id, from_state, to_state, cause, detail)
    SELECT * FROM unnest(
      ${int4Array(transitions.map(({ taskId }) => taskId))}::int[],
      ${int8Array(transitions.map(({ stage }) => stage))}::int8[]::int2[],
      ${int8Array(transitions.map(({ targetId }) => (targetId === null ? null : Number(targetId))))}::int8[],
      ${textArray(transitions.map(({ from }) => from))}::text[],
      ${textArray(transitions.map(({ to }) => to))}::text[],
      ${textArray(transitions.map(({ cause }) => cause))}::text[],
      ${textArray(transitions.map(({ detail }) => (detail ? JSON.stringify(detail) : null)))}::text[]::jsonb[])`.execute(
    trx,
  )
}

/** Deletes transitions that happened before the moment, the oldest first, no more than `limit`; answers how many. */
export const deleteTransitions = deletingOld(({ db, before, limit }) =>
  // Ids ascend with time: the oldest are at one end of the primary key.
  sql`
    DELETE FROM upgrade_transition WHERE at < ${before} AND id IN (
      SELECT id FROM upgrade_transition ORDER BY id LIMIT ${limit})`.execute(db),
)
