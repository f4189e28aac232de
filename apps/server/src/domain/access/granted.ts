import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import { organizationsUnderRow } from './organization-tree.ts'

// The one definition of what roles give a user, as SQL fragments. Every decision on permissions is made from
// these: sign-in and each call, whom a user may manage, what a user may grant, which menus a user sees.

/** A role with this code is SYSTEM, and so are the users who have the role. */
export const systemRoleCode = 'SYSTEM'

type UserId = number | Expression<number>

/** The condition that a user is SYSTEM: one of the user's roles is. */
export const isSystemUser = (userId: UserId): RawBuilder<SqlBool> => sql<SqlBool>`EXISTS (
  SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
  WHERE ur.user_id = ${userId} AND r.code = ${sql.lit(systemRoleCode)})`

/**
 * The organization of the API key `u` as of now: of its own and of its maker `m`'s the lower one; null where neither lies in
 * the other. That of a SYSTEM user's key is its own.
 */
export const organizationOfKey: RawBuilder<number | null> = sql<number | null>`(CASE
  WHEN u.organization_id = m.organization_id OR ${isSystemUser(sql.ref<number>('m.id'))} THEN u.organization_id
  WHEN u.organization_id IN (${organizationsUnderRow(sql.ref<number>('m.organization_id'))}) THEN u.organization_id
  WHEN m.organization_id IN (${organizationsUnderRow(sql.ref<number>('u.organization_id'))}) THEN m.organization_id
  END)`

/**
 * The organization in which what the user decides now stays; null for SYSTEM, whose decisions stay in none. Of an API key
 * the one that it acts in, which may lie under that of its row.
 */
export const decidedIn = (userId: UserId): RawBuilder<number | null> => sql<number | null>`(
  SELECT coalesce(CASE WHEN m.id IS NOT NULL THEN ${organizationOfKey} END, u.organization_id)
  FROM app_user u LEFT JOIN app_user m ON m.id = u.maker_id
  WHERE u.id = ${userId} AND NOT ${isSystemUser(userId)})`

/** The condition that a role `r` is SYSTEM. */
export const isSystemRole = sql<SqlBool>`r.code = ${sql.lit(systemRoleCode)}`

/** The ids of the menus that a user's roles give. */
const menusOfRoles = (userId: UserId) => sql`
  SELECT rm.menu_id FROM role_menu rm JOIN user_role ur USING (role_id) WHERE ur.user_id = ${userId}`

/** The ids of the functions that an API key has: of those chosen for it, its maker's. */
const functionsOfKey = (userId: UserId) => {
  const makerId = sql.ref<number>('ku.maker_id')
  return sql`
  SELECT km.id FROM api_key k JOIN app_user ku ON ku.id = k.user_id
  JOIN menu km ON km.type = 'F' AND km.remark = ANY(k.function_codes)
  WHERE k.user_id = ${userId} AND (${isSystemUser(makerId)} OR km.id IN (${menusOfRoles(makerId)}))`
}

/**
 * The condition that a user has a menu `m`: by one of the user's roles, or as an API key; a SYSTEM user has every menu.
 */
const isGrantedTo = (userId: UserId) => sql<SqlBool>`(${isSystemUser(userId)} OR m.id IN (
  ${menusOfRoles(userId)} UNION ALL ${functionsOfKey(userId)}))`

/** The condition that the user `u` is an API key whose time is over. */
export const isExpiredKey = sql<SqlBool>`EXISTS (
  SELECT FROM api_key k WHERE k.user_id = u.id AND k.expires_at <= now())`

/**
 * The condition that a user `u` may act: enabled. Of an API key, as at its calls: it has not expired, and its maker may
 * act and has not gone to another organization.
 */
export const isActive = sql<SqlBool>`(u.is_enabled AND (u.maker_id IS NULL OR (NOT ${isExpiredKey} AND EXISTS (
  SELECT FROM app_user m WHERE m.id = u.maker_id AND m.is_enabled AND ${organizationOfKey} IS NOT NULL))))`

/** An array of the function codes that a user has, each once. SYSTEM has every code that a menu carries. */
export const functionCodesOf = (userId: UserId): RawBuilder<string[]> => sql<string[]>`ARRAY(
  SELECT DISTINCT m.remark FROM menu m WHERE m.type = 'F' AND ${isGrantedTo(userId)})`

/** Whether there is an enabled user with that id who has one of these functions. */
export async function mayCallAny(db: Db, userId: number, functionCodes: readonly string[]): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM app_user u WHERE u.id = ${userId} AND ${isActive}
      AND (${isSystemUser(sql.ref('u.id'))} OR ${functionCodesOf(sql.ref('u.id'))} && ${functionCodes}::text[])`.execute(
    db,
  )
  return rows.length > 0
}

/** A subquery of the ids of the menus that a user sees: those that the user has, and all above them. */
export const visibleMenusOf = (userId: UserId): RawBuilder<number> => sql<number>`
  WITH RECURSIVE visible AS (
    SELECT m.id, m.parent_id FROM menu m WHERE ${isGrantedTo(userId)}
    UNION
    SELECT m.id, m.parent_id FROM menu m JOIN visible v ON v.parent_id = m.id
  ) SELECT id FROM visible`
