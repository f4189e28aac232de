// SQL of what roles give: who may grant what, and which roles are out of whose reach.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { functionCodesOf, isSystemRole, isSystemUser, visibleMenusOf } from '../../domain/access/granted.ts'
import type { Reach } from '../../domain/access/holdings.ts'
import { organizationsUnder } from '../../domain/access/organization-tree.ts'
import type { Db, Trx } from '../../platform/database/database.ts'

const lockName = sql`hashtextextended('who may grant what', 0)`

/**
 * A shared lock for transactions that give roles to users. They wait for those that change what a role or a menu
 * means, and the other way round: a role that was checked must not gain functions before it is given.
 */
export async function shareGrants(trx: Trx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock_shared(${lockName})`.execute(trx)
}

/** The exclusive lock, for transactions that change what a role or a menu means. */
export async function lockGrants(trx: Trx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${lockName})`.execute(trx)
}

/** What a user may do and see by all roles together; `domain/access/granted.ts` defines it. */
export interface Grants {
  isSystem: boolean
  functionCodes: string[]
  /** Menus that the user sees. */
  menuIds: number[]
}

export async function readGrants(db: Db, userId: number): Promise<Grants> {
  const { rows } = await sql<Grants>`
    SELECT ${isSystemUser(userId)} AS "isSystem", ${functionCodesOf(userId)} AS "functionCodes",
      ARRAY(${visibleMenusOf(userId)}) AS "menuIds"`.execute(db)
  return rows[0] ?? { isSystem: false, functionCodes: [], menuIds: [] }
}

/** Of these roles, those that are SYSTEM or have a function that is not among the codes. */
export async function listRolesBeyond(
  db: Db,
  roleIds: readonly number[],
  { functionCodes }: Pick<Grants, 'functionCodes'>,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT r.id FROM role r
    WHERE r.id = ANY(${roleIds}::int[]) AND (${isSystemRole} OR EXISTS (
      SELECT FROM role_menu rm JOIN menu m ON m.id = rm.menu_id
      WHERE rm.role_id = r.id AND m.type = 'F' AND m.remark <> ALL(${functionCodes}::text[])))`.execute(db)
  return rows.map(({ id }) => id)
}

/** Of these menus, those that would give more than the grants: a function not among them, a page out of sight. */
export async function listMenusBeyond(
  db: Db,
  menuIds: readonly number[],
  { functionCodes, menuIds: visibleIds }: Pick<Grants, 'functionCodes' | 'menuIds'>,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT m.id FROM menu m WHERE m.id = ANY(${menuIds}::int[]) AND CASE m.type
      WHEN 'F' THEN m.remark <> ALL(${functionCodes}::text[])
      ELSE m.id <> ALL(${visibleIds}::int[]) END`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Of these roles, those that a user with these grants, of this organization, may not change: SYSTEM ones, those
 * with a function or page beyond the grants, and those that a user has who is outside the organization and those under
 * it, or whose data permissions are wider: with the function, all that the user has decided about further devices would
 * end. Likewise those that a rule of a company's sign-in gives to people there, who come without data permissions.
 */
export async function listRolesOutOfReach(
  db: Db,
  roleIds: readonly number[],
  grants: Grants,
  { organizationId, authorities, regionPaths }: Pick<Reach, 'organizationId' | 'authorities' | 'regionPaths'>,
): Promise<number[]> {
  const entry = (type: string) => sql`user_authority a WHERE a.user_id = u.id AND a.authority_type = ${type}`
  const exceeds = (type: string, own: readonly string[], isWithin: RawBuilder<unknown>) =>
    own.length === 0
      ? sql<SqlBool>`false`
      : sql<SqlBool>`(NOT EXISTS (SELECT FROM ${entry(type)}) OR EXISTS (SELECT FROM ${entry(type)} AND NOT ${isWithin}))`
  const named = (own: readonly string[]) => sql`(a.value = ANY(${own}::text[]))`
  const below = sql`EXISTS (
    SELECT FROM region g, unnest(${regionPaths}::text[]) AS own (path) WHERE g.code = a.value AND starts_with(g.path, own.path))`
  const isWider = sql<SqlBool>`(NOT ${isSystemUser(sql.ref<number>('u.id'))} AND (${exceeds('O', authorities.O, named(authorities.O))}
    OR ${exceeds('ET', authorities.ET, named(authorities.ET))} OR ${exceeds('R', authorities.R, below)}))`
  const isLimited = Object.values(authorities).some((entries) => entries.length > 0)
  const { rows } = await sql<{ id: number }>`
    SELECT r.id FROM role r
    WHERE r.id = ANY(${roleIds}::int[]) AND (
      ${isSystemRole}
      OR EXISTS (
        SELECT FROM role_menu rm JOIN menu m ON m.id = rm.menu_id
        WHERE rm.role_id = r.id AND CASE m.type
          WHEN 'F' THEN m.remark <> ALL(${grants.functionCodes}::text[])
          ELSE m.id <> ALL(${grants.menuIds}::int[]) END)
      OR EXISTS (
        SELECT FROM user_role ur JOIN app_user u ON u.id = ur.user_id
        WHERE ur.role_id = r.id
          AND (u.organization_id NOT IN (${organizationsUnder(organizationId)}) OR ${isWider}))
      OR EXISTS (
        SELECT FROM sign_in_provider p
        CROSS JOIN jsonb_to_recordset(p.rules) AS rule ("roleIds" jsonb, "organizationId" integer)
        WHERE rule."roleIds" @> to_jsonb(r.id)
          AND (rule."organizationId" NOT IN (${organizationsUnder(organizationId)}) OR ${isLimited}::boolean)))`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}
