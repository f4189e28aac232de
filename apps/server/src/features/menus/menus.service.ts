import type { Actor } from '../../platform/access/actor.ts'
import type { Db } from '../../platform/database/database.ts'
import * as queries from './menus.queries.ts'

/** A menu with what stands below it; `parentId` 0 means top level. */
export interface MenuBranch extends Omit<queries.MenuRow, 'parentId'> {
  parentId: number
  children: MenuBranch[]
}

export type Menus = ReturnType<typeof createMenuService>

export function createMenuService({ db }: { db: Db }) {
  return {
    async listMenus(): Promise<MenuBranch[]> {
      return treeOf(await queries.listMenus(db))
    },

    /** What the caller may see: all for SYSTEM, else the menus of the roles and those above them. */
    async readTreeOf(actor: Actor): Promise<MenuBranch[]> {
      return treeOf(
        actor.isSystem ? await queries.listMenus(db) : await queries.listMenusOf(db, actor.userId),
      )
    },
  }
}

/** Keeps the order of the rows among siblings. */
function treeOf(rows: queries.MenuRow[]): MenuBranch[] {
  const branches = new Map(
    rows.map((row) => [row.id, { ...row, parentId: row.parentId ?? 0, children: [] } as MenuBranch]),
  )
  const top: MenuBranch[] = []
  for (const branch of branches.values()) {
    const siblings = branches.get(branch.parentId)?.children ?? top
    siblings.push(branch)
  }
  return top
}
