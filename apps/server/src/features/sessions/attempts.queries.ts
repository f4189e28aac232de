import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'

/** Failures are counted by each of these. */
export interface AttemptKey {
  name: string
  address: string
}

const windowMinutes = 15
/** A process that died during a check leaves a pending row, which counts as failed after this time. */
const pendingLimitSeconds = 30

/** Locks attempts with this name, and those from this address, until the commit. */
export async function lockAttempts(trx: Db, { name, address }: AttemptKey): Promise<void> {
  // Always the name first: locks taken in different orders could deadlock.
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`sign-in name ${name}`}, 0))`.execute(trx)
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`sign-in address ${address}`}, 0))`.execute(trx)
}

/** The greater of the name's and the address's counts, failed and still undecided. */
export async function countAttempts(
  trx: Db,
  { name, address }: AttemptKey,
): Promise<{ failed: number; pending: number }> {
  const { rows } = await sql<{ failed: number; pending: number }>`
    WITH recent AS (
      SELECT login_name = ${name} AND NOT is_forgiven AS by_name, address = ${address} AS by_address,
        is_pending AND failed_at > now() - make_interval(secs => ${pendingLimitSeconds}) AS is_pending
      FROM login_failure
      WHERE (login_name = ${name} OR address = ${address})
        AND failed_at > now() - make_interval(mins => ${windowMinutes})
    )
    SELECT
      greatest(count(*) FILTER (WHERE by_name AND NOT is_pending),
               count(*) FILTER (WHERE by_address AND NOT is_pending))::int AS failed,
      greatest(count(*) FILTER (WHERE by_name AND is_pending),
               count(*) FILTER (WHERE by_address AND is_pending))::int AS pending
    FROM recent`.execute(trx)
  return rows[0] ?? { failed: 0, pending: 0 }
}

export async function insertAttempt(trx: Db, { name, address }: AttemptKey): Promise<string> {
  const { id } = await trx
    .insertInto('login_failure')
    .values({ login_name: name, address, is_pending: true })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function markFailed(db: Db, id: string): Promise<void> {
  await db.updateTable('login_failure').set({ is_pending: false }).where('id', '=', id).execute()
}

export async function deleteAttempt(db: Db, id: string): Promise<void> {
  await db.deleteFrom('login_failure').where('id', '=', id).execute()
}

/** The failures of the name no longer count for the name; for their addresses they still do. */
export async function forgiveName(db: Db, name: string): Promise<void> {
  await db
    .updateTable('login_failure')
    .set({ is_forgiven: true })
    .where('login_name', '=', name)
    .where('is_pending', '=', false)
    .where('is_forgiven', '=', false)
    .execute()
}

export async function deleteOldAttempts(db: Db): Promise<void> {
  await sql`DELETE FROM login_failure WHERE failed_at < now() - make_interval(mins => ${windowMinutes})`.execute(
    db,
  )
}
