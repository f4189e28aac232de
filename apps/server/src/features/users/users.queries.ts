// SQL of users and of their roles.
import type { Language } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { systemRoleId } from '../../domain/access/accounts/first-user.ts'
import { isSystemUser } from '../../domain/access/granted.ts'
import { inOwnTree, organizationsUnder } from '../../domain/access/organization-tree.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { likeLiteral } from '../../platform/database/like.ts'
import { countRows } from '../../platform/database/paging.ts'

export interface UserFilter {
  /** Part of the user's name or of the login name. */
  name?: string | undefined
  phone?: string | undefined
  roleIds?: readonly number[] | undefined
  /** Covers the organizations under it. */
  organizationId?: number | undefined
  isEnabled?: boolean | undefined
  ids?: readonly number[] | undefined
}

export interface UserRow {
  id: number
  userName: string
  loginName: string
  phone: string | null
  roleIds: number[]
  roleNames: string[]
  organizationId: number
  organizationName: string
  type: string | null
  typeName: string | null
  isEnabled: boolean
  hasPermissions: boolean
  createTime: Date
  lastSeenTime: Date | null
  version: number
}

/** The users `u` that a filter asks for, within the caller's organizations. */
export function usersMatching(
  actor: Pick<Actor, 'isSystem' | 'organizationId'>,
  { name, phone, roleIds, organizationId, isEnabled, ids }: UserFilter,
): RawBuilder<SqlBool> {
  const parts = [sql`u.maker_id IS NULL AND ${inOwnTree(actor, sql.ref('u.organization_id'))}`]
  if (name) {
    const part = `%${likeLiteral(name)}%`
    parts.push(sql`(u.user_name ILIKE ${part} OR u.login_name ILIKE ${part})`)
  }
  if (phone) parts.push(sql`u.phone LIKE ${`%${likeLiteral(phone)}%`}`)
  if (roleIds?.length) {
    parts.push(
      sql`EXISTS (SELECT FROM user_role ur WHERE ur.user_id = u.id AND ur.role_id = ANY(${roleIds}::int[]))`,
    )
  }
  if (organizationId !== undefined)
    parts.push(sql`u.organization_id IN (${organizationsUnder(organizationId)})`)
  if (isEnabled !== undefined) parts.push(sql`u.is_enabled = ${isEnabled}`)
  if (ids) parts.push(sql`u.id = ANY(${ids}::int[])`)
  return sql<SqlBool>`(${sql.join(parts, sql` AND `)})`
}

/** A page of them, the newest first, or by their login names. */
export async function listUsers(
  db: Db,
  matching: RawBuilder<SqlBool>,
  { limit, offset }: { limit: number; offset: number },
  byLoginName?: 'asc' | 'desc',
): Promise<UserRow[]> {
  const order = byLoginName ? sql`u.login_name ${sql.raw(byLoginName)}` : sql`u.id DESC`
  const { rows } = await sql<UserRow>`
    SELECT u.id, u.user_name AS "userName", u.login_name AS "loginName", u.phone,
      ARRAY(SELECT ur.role_id FROM user_role ur WHERE ur.user_id = u.id ORDER BY 1) AS "roleIds",
      ARRAY(
        SELECT r.name FROM user_role ur JOIN role r ON r.id = ur.role_id
        WHERE ur.user_id = u.id ORDER BY r.id
      ) AS "roleNames",
      u.organization_id AS "organizationId", o.name AS "organizationName",
      u.user_type AS type, t.name AS "typeName", u.is_enabled AS "isEnabled",
      EXISTS (SELECT FROM user_authority a WHERE a.user_id = u.id) AS "hasPermissions",
      u.created_at AS "createTime",
      (SELECT max(s.seen_at) FROM user_session s WHERE s.user_id = u.id) AS "lastSeenTime",
      u.version
    FROM app_user u
    JOIN organization o ON o.id = u.organization_id
    LEFT JOIN dictionary_entry t ON t.type = 'USER_TYPE' AND t.code = u.user_type
    WHERE ${matching} ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}`.execute(db)
  return rows
}

export async function countUsers(db: Db, matching: RawBuilder<SqlBool>): Promise<number> {
  return countRows(db, sql`FROM app_user u WHERE ${matching}`)
}

/** A user as the list shows it. Throws where there is none: only for a user that the transaction has locked. */
export async function readUser(trx: Trx, id: number): Promise<UserRow> {
  const [row] = await listUsers(trx, sql<SqlBool>`u.id = ${id}`, { limit: 1, offset: 0 })
  if (!row) throw new Error('a locked user is there')
  return row
}

// Shared key locks: rows that a user will refer to cannot be deleted before the commit.

export async function findRoles(trx: Trx, ids: readonly number[]) {
  return trx
    .selectFrom('role')
    .select(['id', 'name'])
    .where('id', 'in', [0, ...ids])
    .orderBy('id')
    .forKeyShare()
    .execute()
}

export async function hasUserType(trx: Trx, code: string): Promise<boolean> {
  const row = await trx
    .selectFrom('dictionary_entry')
    .select('id')
    .where('type', '=', 'USER_TYPE')
    .where('code', '=', code)
    .executeTakeFirst()
  return row !== undefined
}

/** The columns of a user that a form writes. */
export interface UserValues {
  userName: string
  phone: string
  type: string
  organizationId: number
  isEnabled: boolean
}

const columnsOf = ({ userName, phone, type, organizationId, isEnabled }: UserValues) => ({
  user_name: userName,
  phone,
  user_type: type,
  organization_id: organizationId,
  is_enabled: isEnabled,
})

/** Returns the new id; undefined where the login name is taken, also by one that is being added just now. */
export async function insertUser(
  trx: Trx,
  credentials: { loginName: string; passwordHash: string; mustChangePassword: boolean },
  values: UserValues,
): Promise<number | undefined> {
  const row = await trx
    .insertInto('app_user')
    .values({
      login_name: credentials.loginName,
      password_hash: credentials.passwordHash,
      must_change_password: credentials.mustChangePassword,
      ...columnsOf(values),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

export async function updateUser(trx: Trx, id: number, values: Partial<UserValues>): Promise<void> {
  const columns = Object.fromEntries(
    Object.entries(columnsOf(values as UserValues)).filter(([, value]) => value !== undefined),
  )
  await trx
    .updateTable('app_user')
    .set({ ...columns, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .execute()
}

export async function replaceRoles(trx: Trx, userId: number, roleIds: readonly number[]): Promise<void> {
  await trx.deleteFrom('user_role').where('user_id', '=', userId).execute()
  await sql`INSERT INTO user_role (user_id, role_id) SELECT ${userId}, unnest(${roleIds}::int[])`.execute(trx)
}

/** Gives role 1. The version is raised, so that a form that was opened before cannot take the role away unnoticed. */
export async function giveSystemRole(trx: Trx, userId: number): Promise<void> {
  await trx.insertInto('user_role').values({ user_id: userId, role_id: systemRoleId }).execute()
  await raiseVersion(trx, userId)
}

export async function takeSystemRole(trx: Trx, userId: number): Promise<void> {
  await trx
    .deleteFrom('user_role')
    .where('user_id', '=', userId)
    .where('role_id', '=', systemRoleId)
    .execute()
  await raiseVersion(trx, userId)
}

async function raiseVersion(trx: Trx, userId: number): Promise<void> {
  await trx
    .updateTable('app_user')
    .set({ version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', userId)
    .execute()
}

/** Roles and data permissions are deleted by cascade; sessions stay, as ended. */
export async function deleteUser(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('app_user').where('id', '=', id).execute()
}

export async function replacePassword(trx: Trx, id: number, passwordHash: string): Promise<void> {
  await trx
    .updateTable('app_user')
    .set({ password_hash: passwordHash, must_change_password: true, updated_at: sql`now()` })
    .where('id', '=', id)
    .execute()
}

/** Older ones say nothing any more: `setterDays` of the contract is less. */
const settersKeptDays = 60

/** Writes down who has set an account so that both are one person for a while: so that it can be signed in as, or by roles. */
export async function noteSetter(
  trx: Trx,
  userId: number,
  byUserId: number,
  how: 'signsIn' | 'roles',
): Promise<void> {
  await sql`
    INSERT INTO user_set_by (user_id, by_user_id, signs_in, by_system)
    VALUES (${userId}, ${byUserId}, ${how === 'signsIn'}, ${isSystemUser(byUserId)})
    ON CONFLICT (user_id, by_user_id, signs_in) DO UPDATE SET at = now(), by_system = excluded.by_system`.execute(
    trx,
  )
  // What another transaction is deleting is left to it: none waits for another.
  await sql`
    DELETE FROM user_set_by WHERE (user_id, by_user_id, signs_in) IN (
      SELECT user_id, by_user_id, signs_in FROM user_set_by
      WHERE at < now() - ${settersKeptDays} * interval '1 day' FOR UPDATE SKIP LOCKED)`.execute(trx)
}

export async function saveLanguage(db: Db, id: number, language: Language): Promise<void> {
  await db.updateTable('app_user').set({ language }).where('id', '=', id).execute()
}

/** Whether there is an enabled SYSTEM user besides this one. One transaction at a time gets the answer. */
export async function hasOtherSystemUser(trx: Trx, id: number): Promise<boolean> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('system users', 0))`.execute(trx)
  const { rows } = await sql<{ hasOther: boolean }>`
    SELECT EXISTS (
      SELECT FROM app_user u
      WHERE ${isSystemUser(sql.ref<number>('u.id'))} AND u.is_enabled AND u.id <> ${id}
    ) AS "hasOther"`.execute(trx)
  return rows[0]?.hasOther ?? false
}

/** Users with a phone, of the organization given and those under it; of all where none is given. */
export async function listPhoneUsers(db: Db, organizationId: number | null) {
  const { rows } = await sql<{ id: number; userName: string; phone: string }>`
    SELECT id, user_name AS "userName", phone FROM app_user
    WHERE phone <> '' AND is_enabled AND maker_id IS NULL
      ${organizationId === null ? sql`` : sql`AND organization_id IN (${organizationsUnder(organizationId)})`}
    ORDER BY user_name, id`.execute(db)
  return rows
}
