// SQL of sessions and of what sign-in reads of a user.
import type { Language } from '@voltkeep/contract'
import { sql } from 'kysely'
import { isNamed, isSpelledSo } from '../../domain/access/accounts/login-names.ts'
import { functionCodesOf, isSystemUser } from '../../domain/access/granted.ts'
import type { Client } from '../../platform/calls/actor.ts'
import type { Db } from '../../platform/database/database.ts'

export interface SessionRow {
  /** Null once the user has been deleted. */
  userId: number | null
  loginName: string
  organizationId: number
  isEnabled: boolean
  mustChangePassword: boolean
  isSystem: boolean
  functionCodes: string[]
  isSignedOut: boolean
  isEnded: boolean
  isExpired: boolean
}

/**
 * Session, user and function codes in one query, which runs again for every call: an administrator's change is in
 * effect at the next one.
 */
export async function findSession(db: Db, tokenHash: Buffer): Promise<SessionRow | undefined> {
  const userId = sql.ref<number>('u.id')
  const { rows } = await sql<SessionRow>`
    SELECT s.user_id AS "userId", u.login_name AS "loginName", u.organization_id AS "organizationId",
      u.is_enabled AS "isEnabled", u.must_change_password AS "mustChangePassword",
      ${isSystemUser(userId)} AS "isSystem", ${functionCodesOf(userId)} AS "functionCodes",
      s.signed_out_at IS NOT NULL AS "isSignedOut", s.ended_at IS NOT NULL AS "isEnded",
      s.expires_at <= now() AS "isExpired"
    FROM user_session s
    LEFT JOIN app_user u ON u.id = s.user_id
    WHERE s.token_hash = ${tokenHash}`.execute(db)
  return rows[0]
}

const lifetime = sql`interval '8 hours'`

/**
 * Moves the last use and the expiry of these sessions. One that is being ended at the moment is passed over: waiting for
 * it could be a deadlock.
 */
export async function writeUses(
  db: Db,
  uses: readonly { tokenHash: Buffer; ageMs: number }[],
): Promise<void> {
  await sql`
    WITH used AS (
      SELECT s.token_hash, now() - u.age_ms * interval '1 millisecond' AS used_at
      FROM unnest(${uses.map(({ tokenHash }) => tokenHash)}::bytea[], ${uses.map(({ ageMs }) => ageMs)}::float8[])
        AS u (token_hash, age_ms)
      JOIN user_session s ON s.token_hash = u.token_hash FOR UPDATE OF s SKIP LOCKED)
    UPDATE user_session s SET seen_at = greatest(s.seen_at, used_at),
      expires_at = greatest(s.expires_at, used_at + ${lifetime})
    FROM used WHERE s.token_hash = used.token_hash AND s.expires_at > used_at`.execute(db)
}

export interface Credentials {
  userId: number
  loginName: string
  organizationId: number
  isSystem: boolean
  passwordHash: string
  language: Language
}

/** Of users who may sign in; a key has no password. */
const credentials = (db: Db) =>
  db
    .selectFrom('app_user')
    .select([
      'id as userId',
      'login_name as loginName',
      'organization_id as organizationId',
      'password_hash as passwordHash',
      sql.ref<Language>('language').as('language'),
      isSystemUser(sql.ref<number>('app_user.id')).$castTo<boolean>().as('isSystem'),
    ])
    .where('is_enabled', '=', true)
    .where('maker_id', 'is', null)

/** Of a user who may sign in. Case and width of letters do not matter, save where two names differ in nothing else. */
export async function findCredentials(db: Db, loginName: string): Promise<Credentials | undefined> {
  return credentials(db)
    .where(isNamed(loginName))
    .orderBy(isSpelledSo(loginName), 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** The same of a user who is known by something else than the name. */
export async function findCredentialsOf(db: Db, userId: number): Promise<Credentials | undefined> {
  return credentials(db).where('id', '=', userId).executeTakeFirst()
}

export async function readPasswordHash(db: Db, userId: number): Promise<string | null> {
  const row = await db
    .selectFrom('app_user')
    .select('password_hash')
    .where('id', '=', userId)
    .executeTakeFirst()
  return row?.password_hash ?? null
}

/**
 * False, and no session, where the user's password is no longer the one that was checked: a session begun then would
 * not have been ended by the change of the password.
 */
export async function insertSession(
  trx: Db,
  tokenHash: Buffer,
  { userId, passwordHash }: Credentials,
  { address, userAgent }: Client,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    INSERT INTO user_session (token_hash, user_id, expires_at, address, user_agent)
    SELECT ${tokenHash}, id, now() + ${lifetime}, ${address}, ${userAgent} FROM app_user
    WHERE id = ${userId} AND password_hash = ${passwordHash} AND is_enabled FOR SHARE`.execute(trx)
  return numAffectedRows === 1n
}

export async function signOutSession(trx: Db, tokenHash: Buffer): Promise<void> {
  await trx
    .updateTable('user_session')
    .set({ signed_out_at: sql`now()` })
    .where('token_hash', '=', tokenHash)
    .execute()
}

/**
 * Ends those of the user's sessions that were used longest ago, so that `most` are left with the one given. A session in
 * use is kept before those that have only signed in, or a script that signs in for each of its calls would end the
 * session of a person with the same user. Of sign-ins at the same time the last one counts all sessions.
 */
export async function endOldestSessions(
  trx: Db,
  userId: number,
  { most, exceptTokenHash }: { most: number; exceptTokenHash: Buffer },
): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('user_session', ${userId}))`.execute(trx)
  await sql`
    UPDATE user_session SET ended_at = now() WHERE token_hash IN (
      SELECT token_hash FROM user_session
      WHERE user_id = ${userId} AND token_hash <> ${exceptTokenHash}
        AND ended_at IS NULL AND signed_out_at IS NULL AND expires_at > now()
      ORDER BY seen_at > created_at AND seen_at > now() - interval '2 minutes' DESC,
        seen_at DESC, created_at DESC, token_hash OFFSET ${most - 1})`.execute(trx)
}

/** Ends all sessions of a user but the one given: their tokens answer 50012 from the commit on. */
export async function endSessions(trx: Db, userId: number, exceptTokenHash: Buffer | null): Promise<void> {
  await trx
    .updateTable('user_session')
    .set({ ended_at: sql`now()` })
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .where('signed_out_at', 'is', null)
    .$if(exceptTokenHash !== null, (query) => query.where('token_hash', '<>', exceptTokenHash as Buffer))
    .execute()
}

/** False where the password has been changed since `oldHash` was read. */
export async function replacePassword(
  trx: Db,
  userId: number,
  oldHash: string,
  newHash: string,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('app_user')
    .set({ password_hash: newHash, must_change_password: false, updated_at: sql`now()` })
    .where('id', '=', userId)
    .where('password_hash', '=', oldHash)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Sessions are kept for 30 days after their end: until then their tokens answer why they no longer work. */
export async function deleteOldSessions(db: Db): Promise<void> {
  await sql`DELETE FROM user_session WHERE expires_at < now() - interval '30 days'`.execute(db)
}

export async function readUser(db: Db, userId: number) {
  return db
    .selectFrom('app_user as u')
    .innerJoin('organization as o', 'o.id', 'u.organization_id')
    .select([
      'u.id',
      'u.user_name as userName',
      'u.login_name as loginName',
      'u.organization_id as organizationId',
      'o.name as organizationName',
    ])
    .where('u.id', '=', userId)
    .executeTakeFirst()
}

/** Entries of the caller's data permissions, one row a chosen value. */
export async function listAuthorities(db: Db, userId: number) {
  return db
    .selectFrom('user_authority')
    .select(['authority_type as authorityType', 'value'])
    .where('user_id', '=', userId)
    .orderBy('authority_type')
    .orderBy('value')
    .execute()
}
