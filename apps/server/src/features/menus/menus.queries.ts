import { sql } from 'kysely'
import { isSystemUser, visibleMenusOf } from '../../domain/access/granted.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { plainQueries } from '../../platform/database/plain-queries.ts'

export interface MenuValues {
  parentId: number | null
  name: string
  type: 'M' | 'C' | 'F'
  path: string
  remark: string
  icon: string | null
  url: string | null
  orderNum: number
  openType: 0 | 1
}

export interface MenuRow extends MenuValues {
  id: number
}

export interface MenuRecordRow extends MenuRow {
  version: number
  /** Roles that have this menu itself, and not only one below it. */
  roleCount: number
}

const columns = sql`m.id, m.parent_id AS "parentId", m.name, m.type, m.path, m.remark, m.icon, m.url,
  m.order_num AS "orderNum", m.open_type AS "openType"`

/** Every menu, siblings in their order. */
export async function listMenus(db: Db): Promise<MenuRecordRow[]> {
  const { rows } = await sql<MenuRecordRow>`
    SELECT ${columns}, m.version,
      (SELECT count(*)::int FROM role_menu rm WHERE rm.menu_id = m.id) AS "roleCount"
    FROM menu m ORDER BY m.order_num, m.id`.execute(db)
  return rows
}

/** The menus that the user sees, siblings in their order. */
export async function listMenusOf(db: Db, userId: number): Promise<MenuRow[]> {
  const { rows } = await sql<MenuRow>`
    SELECT ${columns} FROM menu m WHERE m.id IN (${visibleMenusOf(userId)})
    ORDER BY m.order_num, m.id`.execute(db)
  return rows
}

/** Roles that have one of the menus. */
export async function listRoleIdsWith(db: Db, menuIds: Iterable<number>): Promise<number[]> {
  const { rows } = await sql<{ roleId: number }>`
    SELECT DISTINCT role_id AS "roleId" FROM role_menu
    WHERE menu_id = ANY(${[...menuIds]}::int[])`.execute(db)
  return rows.map(({ roleId }) => roleId)
}

/** Whether an API key that a SYSTEM user made has one of the functions, also one that has expired: it may be rotated. */
export async function hasKeyOfSystem(db: Db, functionCodes: readonly string[]): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM api_key k JOIN app_user u ON u.id = k.user_id
    WHERE k.function_codes && ${functionCodes}::text[] AND ${isSystemUser(sql.ref<number>('u.maker_id'))} LIMIT 1`.execute(
    db,
  )
  return rows.length > 0
}

const stored = ({ parentId, orderNum, openType, ...values }: MenuValues) => ({
  ...values,
  parent_id: parentId,
  order_num: orderNum,
  open_type: openType,
})

const menus = plainQueries('menu')

export const insertMenu = (trx: Trx, values: MenuValues) => menus.insert(trx, stored(values))

export const updateMenu = (trx: Trx, id: number, values: MenuValues) => menus.update(trx, id, stored(values))

/** Its grants are deleted by cascade. */
export const deleteMenu = menus.delete
