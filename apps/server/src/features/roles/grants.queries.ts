import { sql } from 'kysely'
import { organizationsUnder } from '../../platform/access/organization-tree.ts'
import type { Db, Trx } from '../../platform/database/database.ts'

const lockName = sql`hashtextextended('who may grant what', 0)`

/**
 * Decisions on who gets which role wait for changes of what roles and menus mean, and the other way
 * round: a role found harmless must not have been widened when it is handed out.
 */
export async function shareGrants(trx: Trx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock_shared(${lockName})`.execute(trx)
}

/** For who changes what a role or a function menu means: nobody decides anything by it meanwhile. */
export async function lockGrants(trx: Trx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${lockName})`.execute(trx)
}

/** What a user may do and see by all roles together. */
export interface Grants {
  /** Holds a role with code SYSTEM. */
  isSystem: boolean
  /** SYSTEM holds every code that a menu carries. */
  functionCodes: string[]
  /** Menus in sight: those of the roles and all that stand above them; for SYSTEM every one. */
  menuIds: number[]
}

export async function readGrants(db: Db, userId: number): Promise<Grants> {
  const { rows } = await sql<Grants>`
    WITH RECURSIVE held AS (
      SELECT EXISTS (
        SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
        WHERE ur.user_id = ${userId} AND r.code = 'SYSTEM'
      ) AS is_system
    ), granted AS (
      SELECT m.id, m.parent_id, m.type, m.remark FROM menu m
      WHERE (SELECT is_system FROM held) OR m.id IN (
        SELECT rm.menu_id FROM role_menu rm JOIN user_role ur USING (role_id) WHERE ur.user_id = ${userId})
    ), visible AS (
      SELECT id, parent_id FROM granted
      UNION
      SELECT m.id, m.parent_id FROM menu m JOIN visible v ON v.parent_id = m.id
    )
    SELECT (SELECT is_system FROM held) AS "isSystem",
      ARRAY(SELECT DISTINCT remark FROM granted WHERE type = 'F') AS "functionCodes",
      ARRAY(SELECT id FROM visible) AS "menuIds"`.execute(db)
  return rows[0] ?? { isSystem: false, functionCodes: [], menuIds: [] }
}

/** Of these roles, those that are SYSTEM or hold a function that is not among the codes. */
export async function listRolesBeyond(
  db: Db,
  roleIds: readonly number[],
  { functionCodes }: Pick<Grants, 'functionCodes'>,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT r.id FROM role r
    WHERE r.id = ANY(${roleIds}::int[]) AND (r.code = 'SYSTEM' OR EXISTS (
      SELECT FROM role_menu rm JOIN menu m ON m.id = rm.menu_id
      WHERE rm.role_id = r.id AND m.type = 'F' AND m.remark <> ALL(${functionCodes}::text[])))`.execute(db)
  return rows.map(({ id }) => id)
}

/** Of these menus, those that give somebody something: a function not among the codes, a page out of sight. */
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
 * Of these roles, those that somebody in this place may not change: they are SYSTEM, hold what is beyond
 * the holdings, or are held by a user outside the organization and those under it.
 */
export async function listRolesOutOfReach(
  db: Db,
  roleIds: readonly number[],
  holdings: Grants,
  organizationId: number,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT r.id FROM role r
    WHERE r.id = ANY(${roleIds}::int[]) AND (
      r.code = 'SYSTEM'
      OR EXISTS (
        SELECT FROM role_menu rm JOIN menu m ON m.id = rm.menu_id
        WHERE rm.role_id = r.id AND CASE m.type
          WHEN 'F' THEN m.remark <> ALL(${holdings.functionCodes}::text[])
          ELSE m.id <> ALL(${holdings.menuIds}::int[]) END)
      OR EXISTS (
        SELECT FROM user_role ur JOIN app_user u ON u.id = ur.user_id
        WHERE ur.role_id = r.id AND u.organization_id NOT IN (${organizationsUnder(organizationId)})))`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}
