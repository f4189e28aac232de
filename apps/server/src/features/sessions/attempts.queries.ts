import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import type { Counts } from './attempts.rules.ts'

/** Failures are counted by the pair of both, by the address, and by the name. */
export interface AttemptKey {
  name: string
  /**
   * Of the client; for an attempt that is counted by its pair alone, a text that begins with a blank, as no address
   * does.
   */
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

/** Locks attempts of this pair alone: strangers who try the name do not delay it. */
export async function lockPair(trx: Db, { name, address }: AttemptKey): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`sign-in pair ${name} ${address}`}, 0))`.execute(
    trx,
  )
}

export async function countAttempts(db: Db, { name, address }: AttemptKey): Promise<Counts> {
  const { rows } = await sql<Counts>`
    WITH recent AS (
      SELECT login_name = ${name} AND NOT is_forgiven AS by_name, address = ${address} AS by_address, address, failed_at,
        is_pending AND failed_at > now() - make_interval(secs => ${pendingLimitSeconds}) AS is_pending
      FROM login_failure
      WHERE (login_name = ${name} OR address = ${address})
        AND failed_at > now() - make_interval(mins => ${windowMinutes})
    )
    SELECT
      count(*) FILTER (WHERE by_name AND by_address AND NOT is_pending)::int AS "pairFailed",
      count(*) FILTER (WHERE by_name AND by_address AND is_pending)::int AS "pairPending",
      count(*) FILTER (WHERE by_address AND NOT is_pending)::int AS "addressFailed",
      count(*) FILTER (WHERE by_address AND is_pending)::int AS "addressPending",
      count(*) FILTER (WHERE by_name AND address NOT LIKE ' %')::int AS "nameTried",
      (1000 * extract(epoch FROM
        clock_timestamp() - max(failed_at) FILTER (WHERE by_name AND address NOT LIKE ' %')))::float8 AS "sinceNameTriedMs"
    FROM recent`.execute(db)
  return rows[0] as Counts
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

/** The failures of the pair no longer count for it, nor for the name; for the address they still do. */
export async function forgivePair(db: Db, { name, address }: AttemptKey): Promise<void> {
  await db
    .updateTable('login_failure')
    .set({ is_forgiven: true })
    .where('login_name', '=', name)
    .where('address', '=', address)
    .where('is_pending', '=', false)
    .where('is_forgiven', '=', false)
    .execute()
}

export async function deleteOldAttempts(db: Db): Promise<void> {
  // Those far ahead are from before the clock was set back, and would count for as long.
  await sql`
    DELETE FROM login_failure
    WHERE abs(extract(epoch FROM failed_at - now())) > ${windowMinutes * 60}`.execute(db)
}
