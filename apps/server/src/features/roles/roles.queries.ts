// SQL of roles and of the menus that they grant.
import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/database/database.ts'

export interface RoleRow {
  id: number
  name: string
  code: string
}

export async function listRoles(db: Db): Promise<RoleRow[]> {
  return db.selectFrom('role').select(['id', 'name', 'code']).orderBy('id').execute()
}

export async function listRolesOf(db: Db, userId: number): Promise<RoleRow[]> {
  return db
    .selectFrom('role')
    .innerJoin('user_role', 'user_role.role_id', 'role.id')
    .select(['role.id', 'role.name', 'role.code'])
    .where('user_role.user_id', '=', userId)
    .orderBy('role.id')
    .execute()
}

export interface RoleRecord extends RoleRow {
  remark: string | null
  version: number
  menuIds: number[]
  userCount: number
}

const record = sql`r.id, r.name, r.code, r.remark, r.version,
  ARRAY(SELECT rm.menu_id FROM role_menu rm WHERE rm.role_id = r.id ORDER BY rm.menu_id) AS "menuIds",
  (SELECT count(*)::int FROM user_role ur WHERE ur.role_id = r.id) AS "userCount"`

/** Roles whose name contains the text, the oldest first. */
export async function searchRoles(
  db: Db,
  name: string | undefined,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: RoleRecord[]; total: number }> {
  const matches = name === undefined ? sql`true` : sql`strpos(lower(r.name), lower(${name})) > 0`
  const { rows } = await sql<RoleRecord>`
    SELECT ${record} FROM role r WHERE ${matches} ORDER BY r.id LIMIT ${limit} OFFSET ${offset}`.execute(db)
  const count = await sql<{ total: number }>`
    SELECT count(*)::int AS total FROM role r WHERE ${matches}`.execute(db)
  return { rows, total: count.rows[0]?.total ?? 0 }
}

export async function readRole(db: Db, id: number): Promise<RoleRecord | undefined> {
  const { rows } = await sql<RoleRecord>`SELECT ${record} FROM role r WHERE r.id = ${id}`.execute(db)
  return rows[0]
}

/** Reads a role and locks it against changes until the transaction ends. */
export async function lockRole(trx: Trx, id: number): Promise<RoleRecord | undefined> {
  const { rows } = await sql<RoleRecord>`SELECT ${record} FROM role r WHERE r.id = ${id} FOR UPDATE`.execute(
    trx,
  )
  return rows[0]
}

export interface RoleValues {
  name: string
  code: string
  remark: string | null
}

export async function insertRole(trx: Trx, values: RoleValues): Promise<number> {
  const { id } = await trx.insertInto('role').values(values).returning('id').executeTakeFirstOrThrow()
  return id
}

/** Whether another role has this code, or one that differs from it by case alone. */
export async function hasRoleCode(trx: Trx, code: string, exceptId: number | null): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM role WHERE lower(code) = lower(${code}) AND id IS DISTINCT FROM ${exceptId} LIMIT 1`.execute(
    trx,
  )
  return rows.length > 0
}

export async function updateRole(trx: Trx, id: number, values: RoleValues): Promise<void> {
  await trx
    .updateTable('role')
    .set({ ...values, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .execute()
}

export async function deleteRole(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('role').where('id', '=', id).execute()
}

/** Replaces the menus of a role. */
export async function replaceMenus(trx: Trx, roleId: number, menuIds: readonly number[]): Promise<void> {
  await sql`DELETE FROM role_menu WHERE role_id = ${roleId} AND menu_id <> ALL(${menuIds}::int[])`.execute(
    trx,
  )
  await sql`INSERT INTO role_menu (role_id, menu_id) SELECT ${roleId}, unnest(${menuIds}::int[])
    ON CONFLICT DO NOTHING`.execute(trx)
}

export interface GrantedMenu {
  id: number
  name: string
}

/** Those of the ids that a menu has, in the order of the ids. */
export async function listMenusById(db: Db, ids: readonly number[]): Promise<GrantedMenu[]> {
  const { rows } = await sql<GrantedMenu>`
    SELECT id, name FROM menu WHERE id = ANY(${ids}::int[]) ORDER BY id`.execute(db)
  return rows
}
