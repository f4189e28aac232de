// SQL of recoveries of many alarms: one row for each call, with the episodes that are left.
import { sql } from 'kysely'
import type { Db, Trx } from '../../../platform/database/database.ts'

/** A recovery as its user sees it. */
export interface RecoveryRecord {
  id: string
  total: number
  recovered: number
  passed: number
  createdAt: Date
  finishedAt: Date | null
  /** Why it ended before all was done. */
  stopNote: string | null
}

const record = sql`
  id, total, recovered, passed, created_at AS "createdAt", finished_at AS "finishedAt", stop_note AS "stopNote"`

/** Inserts it, due at once. Recoveries that ended a month ago are deleted. */
export async function insertRecovery(
  trx: Trx,
  {
    userId,
    decidedIn,
    note,
    episodeIds,
  }: { userId: number; decidedIn: number | null; note: string; episodeIds: readonly string[] },
): Promise<RecoveryRecord> {
  await sql`DELETE FROM alarm_recovery WHERE user_id = ${userId} AND finished_at < now() - interval '30 days'`.execute(
    trx,
  )
  const { rows } = await sql<RecoveryRecord>`
    INSERT INTO alarm_recovery (user_id, decided_in, note, episode_ids, total, next_at)
    VALUES (${userId}, ${decidedIn}, ${note}, ${episodeIds}::bigint[], ${episodeIds.length}, now())
    RETURNING ${record}`.execute(trx)
  return rows[0] as RecoveryRecord
}

/** The user's that are under way or ended since then. */
export async function listRecoveries(db: Db, userId: number, endedSince: Date): Promise<RecoveryRecord[]> {
  const { rows } = await sql<RecoveryRecord>`
    SELECT ${record} FROM alarm_recovery
    WHERE user_id = ${userId} AND (finished_at IS NULL OR finished_at > ${endedSince})
    ORDER BY id DESC`.execute(db)
  return rows
}

/** Whoever begins a recovery next waits until this transaction ends. */
export const lockBeginning = (trx: Trx) =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended('alarm_recovery', 0))`.execute(trx)

/** The episodes that recoveries under way have still to process. */
export async function listPending(trx: Trx): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT unnest(episode_ids[reached + 1 :] || busy_ids)::text AS id
    FROM alarm_recovery WHERE finished_at IS NULL`.execute(trx)
  return rows.map(({ id }) => id)
}

/** A recovery that is due, with its next portion. */
export interface DueRecovery {
  id: string
  userId: number
  loginName: string
  decidedIn: number | null
  note: string
  portion: string[]
  /** The episodes of the portion were locked before: now each is waited for. */
  isPatient: boolean
}

/** Claimed by the queue, whose transaction has it locked. */
export async function readDueRecovery(
  trx: Trx,
  id: string,
  atOnce: number,
): Promise<DueRecovery | undefined> {
  const { rows } = await sql<DueRecovery>`
    SELECT r.id, user_id AS "userId", u.login_name AS "loginName", decided_in AS "decidedIn", note, reached >= cardinality(episode_ids) AS "isPatient",
      CASE WHEN reached < cardinality(episode_ids)
        THEN episode_ids[reached + 1 : reached + ${atOnce}::int] ELSE busy_ids[1 : 1]
      END::text[] AS portion
    FROM alarm_recovery r JOIN app_user u ON u.id = r.user_id WHERE r.id = ${id}::bigint`.execute(trx)
  return rows[0]
}

/** Ends it where it is: what it has done stays done. */
export async function stopRecovery(trx: Trx, id: string, note: string): Promise<void> {
  await sql`
    UPDATE alarm_recovery SET finished_at = now(), next_at = NULL, episode_ids = '{}', busy_ids = '{}', reached = 0,
      stop_note = ${note}
    WHERE id = ${id}::bigint`.execute(trx)
}

/** Writes the result of a portion. The recovery is due again at once, or over where nothing is left. */
export async function writePortion(
  trx: Trx,
  { id, isPatient, portion }: DueRecovery,
  { recovered, busyIds }: { recovered: number; busyIds: readonly string[] },
): Promise<void> {
  const left = isPatient
    ? sql`reached = reached, busy_ids = busy_ids[2 : cardinality(busy_ids)]`
    : sql`reached = reached + ${portion.length}::int, busy_ids = busy_ids || ${busyIds}::bigint[]`
  await sql`
    UPDATE alarm_recovery SET ${left}, recovered = recovered + ${recovered}::int,
      passed = passed + ${portion.length - recovered - busyIds.length}::int, next_at = now()
    WHERE id = ${id}::bigint`.execute(trx)
  await sql`
    UPDATE alarm_recovery SET finished_at = now(), next_at = NULL, episode_ids = '{}', reached = 0
    WHERE id = ${id}::bigint AND reached >= cardinality(episode_ids) AND cardinality(busy_ids) = 0`.execute(
    trx,
  )
}
