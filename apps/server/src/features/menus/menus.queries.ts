import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'

export interface MenuRow {
  id: number
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

const columns = sql`m.id, m.parent_id AS "parentId", m.name, m.type, m.path, m.remark, m.icon, m.url,
  m.order_num AS "orderNum", m.open_type AS "openType"`

/** Every menu, siblings in their order. */
export async function listMenus(db: Db): Promise<MenuRow[]> {
  const { rows } = await sql<MenuRow>`
    SELECT ${columns} FROM menu m ORDER BY m.order_num, m.id`.execute(db)
  return rows
}

/** The menus of the user's roles and all that stand above them, siblings in their order. */
export async function listMenusOf(db: Db, userId: number): Promise<MenuRow[]> {
  const { rows } = await sql<MenuRow>`
    WITH RECURSIVE visible AS (
      SELECT m.id, m.parent_id FROM menu m
      WHERE m.id IN (SELECT rm.menu_id FROM role_menu rm JOIN user_role ur USING (role_id)
                     WHERE ur.user_id = ${userId})
      UNION
      SELECT m.id, m.parent_id FROM menu m JOIN visible v ON v.parent_id = m.id
    )
    SELECT ${columns} FROM menu m WHERE m.id IN (SELECT id FROM visible)
    ORDER BY m.order_num, m.id`.execute(db)
  return rows
}
