import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/database/database.ts'

/** What a user may do by all roles together. SYSTEM holds every code that a menu carries. */
export interface Holdings {
  isSystem: boolean
  functionCodes: string[]
}

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

export async function readHoldings(db: Db, userId: number): Promise<Holdings> {
  const { rows } = await sql<Holdings>`
    SELECT held.is_system AS "isSystem", ARRAY(
      SELECT DISTINCT m.remark FROM menu m
      WHERE m.type = 'F' AND (held.is_system OR m.id IN (
        SELECT rm.menu_id FROM role_menu rm JOIN user_role ur USING (role_id) WHERE ur.user_id = ${userId}))
    ) AS "functionCodes"
    FROM (SELECT EXISTS (
      SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id
      WHERE ur.user_id = ${userId} AND r.code = 'SYSTEM'
    ) AS is_system) held`.execute(db)
  return rows[0] ?? { isSystem: false, functionCodes: [] }
}

/** Which of the roles hold a function that is not among the codes, or are SYSTEM. */
export async function listRolesBeyond(
  db: Db,
  roleIds: readonly number[],
  functionCodes: readonly string[],
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT r.id FROM role r
    WHERE r.id = ANY(${roleIds}::int[]) AND (r.code = 'SYSTEM' OR EXISTS (
      SELECT FROM role_menu rm JOIN menu m ON m.id = rm.menu_id
      WHERE rm.role_id = r.id AND m.type = 'F' AND m.remark <> ALL(${functionCodes}::text[])))`.execute(db)
  return rows.map(({ id }) => id)
}
