import { foldLoginName } from '@voltkeep/contract'
import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'

export interface Administrator {
  loginName: string
  passwordHash: string
  mustChangePassword: boolean
  hasSignedIn: boolean
}

/** A lock, since processes that start at once would each make one. */
export async function lockAdministrator(trx: Db): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('first administrator', 0))`.execute(trx)
}

export async function findAdministrator(trx: Db): Promise<Administrator | undefined> {
  const { rows } = await sql<Administrator>`
    SELECT login_name AS "loginName", password_hash AS "passwordHash",
      must_change_password AS "mustChangePassword",
      EXISTS (SELECT FROM user_session WHERE user_id = 1) AS "hasSignedIn"
    FROM app_user WHERE id = 1`.execute(trx)
  return rows[0]
}

/** User 1 of organization 1 with role 1: the seeds have made the latter two. */
export async function insertAdministrator(
  trx: Db,
  loginName: string,
  passwordHash: string,
  mustChangePassword: boolean,
): Promise<void> {
  await trx
    .insertInto('app_user')
    .values({
      id: 1,
      organization_id: 1,
      user_name: '系统管理员',
      login_name: loginName,
      password_hash: passwordHash,
      must_change_password: mustChangePassword,
    })
    .execute()
  await trx.insertInto('user_role').values({ user_id: 1, role_id: 1 }).execute()
  await sql`SELECT setval(pg_get_serial_sequence('app_user', 'id'), (SELECT max(id) FROM app_user))`.execute(
    trx,
  )
}

/** Sets the password, enables the account and ends the sessions of the old password. */
export async function replaceAdministratorPassword(
  trx: Db,
  passwordHash: string,
  mustChangePassword: boolean,
): Promise<void> {
  await trx
    .updateTable('app_user')
    .set({
      password_hash: passwordHash,
      must_change_password: mustChangePassword,
      is_enabled: true,
      updated_at: sql`now()`,
    })
    .where('id', '=', 1)
    .execute()
  await sql`UPDATE user_session SET ended_at = now()
    WHERE user_id = 1 AND ended_at IS NULL AND signed_out_at IS NULL`.execute(trx)
}

/** An administrator locked out by the throttle is let in, too. */
export async function deleteFailuresOf(trx: Db, loginName: string): Promise<void> {
  await trx.deleteFrom('login_failure').where('login_name', '=', foldLoginName(loginName)).execute()
}
