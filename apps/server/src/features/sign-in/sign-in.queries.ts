// SQL of sign-ins by a provider: those under way, and who somebody is here.
import { sql } from 'kysely'
import { systemRoleId } from '../../domain/access/accounts/first-user.ts'
import { isNamed } from '../../domain/access/accounts/login-names.ts'
import { isSystemUser } from '../../domain/access/granted.ts'
import type { Db, Trx } from '../../platform/database/database.ts'

/** How long somebody may take at the provider. */
export const requestMinutes = 10
/** Under way, of all browsers, and what a second brings. Beyond them the sites that have most under way give way. */
const requestsAtMost = 10_000

export interface SignInRequest {
  providerId: number
  browserHash: Buffer
  nonce: string
  verifier: string
}

/** Of IPv6 the first 48 bits, which one customer of a provider has 65,536 networks within. */
const site = sql`CASE WHEN network LIKE '%::/64' THEN substring(network FROM '^[^:]*:[^:]*:[^:]*') ELSE network END`

/**
 * Forgets those that nobody will finish and, where too many are under way, the oldest of the sites that have most of them:
 * beginning one costs a stranger nothing, and may not keep everybody else from it. It looks at all of them.
 */
export async function forgetRequests(db: Db): Promise<void> {
  await sql`
    DELETE FROM sign_in_request WHERE created_at < now() - ${requestMinutes} * interval '1 minute'`.execute(
    db,
  )
  await sql`
    DELETE FROM sign_in_request WHERE state_hash IN (
      SELECT state_hash FROM sign_in_request WHERE state_hash IN (
        SELECT state_hash FROM (
          SELECT state_hash, created_at, row_number() OVER (PARTITION BY ${site} ORDER BY created_at DESC) AS nth
          FROM sign_in_request) r
        ORDER BY nth DESC, created_at
        LIMIT (SELECT greatest(count(*) - ${requestsAtMost}, 0) FROM sign_in_request))
      FOR UPDATE SKIP LOCKED)`.execute(db)
}

export async function insertRequest(
  db: Db,
  stateHash: Buffer,
  request: SignInRequest,
  network: string,
): Promise<void> {
  await sql`
    INSERT INTO sign_in_request (state_hash, provider_id, browser_hash, nonce, verifier, network)
    VALUES (${stateHash}, ${request.providerId}, ${request.browserHash}, ${request.nonce}, ${request.verifier},
      ${network})`.execute(db)
}

/** Once: whoever takes it finishes it, or nobody does. */
export async function takeRequest(db: Db, stateHash: Buffer): Promise<SignInRequest | undefined> {
  const { rows } = await sql<SignInRequest>`
    DELETE FROM sign_in_request
    WHERE state_hash = ${stateHash} AND created_at > now() - ${requestMinutes} * interval '1 minute'
    RETURNING provider_id AS "providerId", browser_hash AS "browserHash", nonce, verifier`.execute(db)
  return rows[0]
}

export async function nameEnabled(db: Db) {
  return db
    .selectFrom('sign_in_provider')
    .select(['id', 'name'])
    .where('is_enabled', '=', true)
    .orderBy('name')
    .execute()
}

export interface KnownPerson {
  userId: number
  loginName: string
  organizationId: number
  isEnabled: boolean
  isSystem: boolean
  roleIds: number[]
}

/** Who this is here, locked until the transaction ends; also where the person is nobody yet. */
export async function lockPerson(
  trx: Trx,
  issuer: string,
  subject: string,
): Promise<KnownPerson | undefined> {
  const name = JSON.stringify(['sign-in', issuer, subject])
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx)
  const { rows } = await sql<KnownPerson>`
    SELECT u.id AS "userId", u.login_name AS "loginName", u.organization_id AS "organizationId",
      u.is_enabled AS "isEnabled", ${isSystemUser(sql.ref<number>('u.id'))} AS "isSystem",
      ARRAY(SELECT ur.role_id FROM user_role ur WHERE ur.user_id = u.id ORDER BY 1) AS "roleIds"
    FROM sign_in_identity i JOIN app_user u ON u.id = i.user_id
    WHERE i.issuer = ${issuer} AND i.subject = ${subject} FOR NO KEY UPDATE OF u`.execute(trx)
  return rows[0]
}

/** Of these roles, those that there still are; never SYSTEM. */
export async function existingRoles(
  trx: Trx,
  ids: readonly number[],
): Promise<{ id: number; name: string }[]> {
  const { rows } = await sql<{ id: number; name: string }>`
    SELECT id, name FROM role WHERE id = ANY(${ids}::int[]) AND id <> ${systemRoleId} AND code <> 'SYSTEM'
    ORDER BY id FOR KEY SHARE`.execute(trx)
  return rows
}

export async function organizationName(trx: Trx, id: number): Promise<string | undefined> {
  const row = await trx.selectFrom('organization').select('name').where('id', '=', id).executeTakeFirst()
  return row?.name
}

export async function isLoginNameTaken(trx: Trx, loginName: string): Promise<boolean> {
  const row = await trx.selectFrom('app_user').select('id').where(isNamed(loginName)).executeTakeFirst()
  return row !== undefined
}

/** Undefined where the login name has just been taken. */
export async function insertPerson(
  trx: Trx,
  of: { issuer: string; subject: string },
  user: {
    loginName: string
    userName: string
    passwordHash: string
    organizationId: number
    roleIds: readonly number[]
  },
): Promise<number | undefined> {
  const row = await trx
    .insertInto('app_user')
    .values({
      login_name: user.loginName,
      user_name: user.userName,
      password_hash: user.passwordHash,
      organization_id: user.organizationId,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!row) return undefined
  await writeRoles(trx, row.id, user.roleIds)
  await trx
    .insertInto('sign_in_identity')
    .values({ ...of, user_id: row.id })
    .execute()
  return row.id
}

export async function writeRoles(trx: Trx, userId: number, roleIds: readonly number[]): Promise<void> {
  await sql`DELETE FROM user_role WHERE user_id = ${userId} AND role_id <> ${systemRoleId}`.execute(trx)
  await sql`
    INSERT INTO user_role (user_id, role_id) SELECT ${userId}, unnest(${roleIds}::int[])
    ON CONFLICT DO NOTHING`.execute(trx)
}

export async function moveUser(trx: Trx, userId: number, organizationId: number): Promise<void> {
  await trx
    .updateTable('app_user')
    .set({ organization_id: organizationId, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', userId)
    .execute()
}
