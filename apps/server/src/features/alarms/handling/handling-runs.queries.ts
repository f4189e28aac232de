// SQL of calls on many alarms: how far each is, for the list of its user's tasks.
import { sql } from 'kysely'
import type { Db, Trx } from '../../../platform/database/database.ts'

export interface RunRecord {
  id: string
  total: number
  done: number
  skipped: number
  createdAt: Date
  finishedAt: Date | null
  /** Not finished, and its process has not been heard of: what it did stays done. */
  isBroken: boolean
}

/** Inserts it. Those of the user that began a month ago are deleted. */
export async function insertRun(trx: Trx, userId: number, total: number): Promise<string> {
  await sql`DELETE FROM alarm_handling_run WHERE user_id = ${userId} AND created_at < now() - interval '30 days'`.execute(
    trx,
  )
  const { rows } = await sql<{ id: string }>`
    INSERT INTO alarm_handling_run (user_id, total) VALUES (${userId}, ${total}) RETURNING id`.execute(trx)
  return (rows[0] as { id: string }).id
}

export async function writeRun(
  trx: Db,
  id: string,
  { done, skipped, isOver }: { done: number; skipped: number; isOver: boolean },
): Promise<void> {
  await sql`
    UPDATE alarm_handling_run SET done = ${done}, skipped = ${skipped}, touched_at = now(),
      finished_at = CASE WHEN ${isOver} THEN now() END
    WHERE id = ${id}::bigint`.execute(trx)
}

/** The user's that are under way or ended since then. */
export async function listRuns(db: Db, userId: number, endedSince: Date): Promise<RunRecord[]> {
  const { rows } = await sql<RunRecord>`
    SELECT id, total, done, skipped, created_at AS "createdAt", finished_at AS "finishedAt",
      finished_at IS NULL AND touched_at < now() - interval '1 minute' AS "isBroken"
    FROM alarm_handling_run
    WHERE user_id = ${userId} AND coalesce(finished_at, touched_at) > ${endedSince}
    ORDER BY id DESC`.execute(db)
  return rows
}
