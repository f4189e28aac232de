// What happened to tasks, stages and targets, kept for good.
import { sql } from 'kysely'
import type { Trx } from '../../platform/database/database.ts'

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
      ${transitions.map(({ taskId }) => taskId)}::int[],
      ${transitions.map(({ stage }) => stage)}::int2[],
      ${transitions.map(({ targetId }) => targetId)}::int8[],
      ${transitions.map(({ from }) => from)}::text[],
      ${transitions.map(({ to }) => to)}::text[],
      ${transitions.map(({ cause }) => cause)}::text[],
      ${transitions.map(({ detail }) => (detail ? JSON.stringify(detail) : null))}::text[]::jsonb[])`.execute(
    trx,
  )
}
