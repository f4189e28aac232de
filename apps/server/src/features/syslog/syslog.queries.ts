import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import type { Entry } from './message.rules.ts'

/**
 * From now on entries are noted. Where nobody has wanted any for a week, what is left of before goes: between it and now
 * there is a gap.
 */
export async function noteWanted(db: Db): Promise<void> {
  const { rows } = await sql<{ isNoted: boolean }>`
    SELECT coalesce(wanted_at > now() - interval '1 hour', false) AS "isNoted" FROM syslog_state`.execute(db)
  if (rows[0]?.isNoted) return
  await db.transaction().execute(async (trx) => {
    await sql`SELECT FROM syslog_state FOR UPDATE`.execute(trx)
    await forgetUnwanted(trx)
    await sql`UPDATE syslog_state SET wanted_at = now()`.execute(trx)
  })
}

/** What nobody sends any more. */
export async function forgetUnwanted(db: Db): Promise<void> {
  await sql`DELETE FROM syslog_pending WHERE NOT syslog_is_wanted()`.execute(db)
}

export interface PendingEntry {
  pendingId: string
  /** Null: the entry has gone by its age. */
  entry: Entry | null
}

/** Nothing of it where it has gone. */
type Joined = { [Name in keyof Entry]: Entry[Name] | null }

/** The oldest that have not been sent. */
export async function listPending(db: Db, limit: number): Promise<PendingEntry[]> {
  const { rows } = await sql<Joined & { pendingId: string; isThere: boolean }>`
    SELECT p.id AS "pendingId", o.id IS NOT NULL AS "isThere", o.id, o.at, o.user_id AS "userId",
      o.login_name AS "loginName", o.organization_id AS "organizationId", o.address, o.request_id AS "requestId",
      o.call, o.summary, o.target, o.result_code AS code, o.result_message AS message, o.changes
    FROM (SELECT * FROM syslog_pending ORDER BY id LIMIT ${limit}) AS p
    LEFT JOIN operation_log o ON o.at = p.at AND o.id = p.operation_id
    ORDER BY p.id`.execute(db)
  return rows.map(({ pendingId, isThere, ...entry }) => ({
    pendingId,
    entry: isThere ? (entry as Entry) : null,
  }))
}

export async function countPending(db: Db): Promise<number> {
  const { rows } = await sql<{ count: string }>`SELECT count(*) FROM syslog_pending`.execute(db)
  return Number(rows[0]?.count ?? 0)
}

export async function deletePending(db: Db, ids: readonly string[]): Promise<void> {
  await sql`DELETE FROM syslog_pending WHERE id = ANY(${ids}::bigint[])`.execute(db)
}
