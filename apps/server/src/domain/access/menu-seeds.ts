// How a feature declares its page in the menu and the functions on it. Every function code that the contract
// asks for has one entry of type F, and no other code has: a test compares the two.
import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import type { Seed } from '../../platform/database/seeds.ts'

/** The directories of the sidebar. One is made with the first page that stands in it. */
const directories = {
  maintenance: { name: '运维管理', icon: 'tool', order: 2 },
  equipment: { name: '设备管理', icon: 'cluster', order: 3 },
  upgrade: { name: '固件升级', icon: 'cloud-upload', order: 4 },
  reference: { name: '基础资料', icon: 'appstore', order: 5 },
  system: { name: '系统管理', icon: 'setting', order: 6 },
} as const

/** The seeds of the first releases, which planted the pages of many features at once. */
type FormerSeed = 'menus' | 'administrationMenus'

/** Function code → Chinese name, in the order in which they are shown. */
export type Functions = Readonly<Record<string, string>>

export interface MenuPage {
  /** By its route name; a page without one stands at the top. */
  directory?: keyof typeof directories
  /** Position in its directory, from 1. */
  order: number
  name: string
  path: string
  /** The route's name. */
  remark: string
  icon: string
  /** The component's key in the web's page registry. */
  url: string
  functions?: Functions
  partOf?: FormerSeed
}

/** The name of the seed that plants the page of this route name. */
export const menuSeedOf = (remark: string) => `menu.${remark}`

/** A page with its functions. */
export function menuPage({ directory, order, functions = {}, partOf, ...page }: MenuPage): Seed {
  return {
    name: menuSeedOf(page.remark),
    partOf,
    async plant(trx) {
      const parentId = directory === undefined ? null : await ensureDirectory(trx, directory)
      const { id } = await trx
        .insertInto('menu')
        .values({ ...page, type: 'C', parent_id: parentId, order_num: order })
        .returning('id')
        .executeTakeFirstOrThrow()
      await plantFunctions(trx, functions, { pageId: id, directoryId: parentId })
    },
  }
}

/**
 * Functions on a page that another seed plants: another feature's, or one of an earlier release. `name`
 * distinguishes them from others on the same page. Where somebody has deleted the page there is no place for
 * them, and nothing is planted: a SYSTEM user may call them all the same.
 */
export function menuFunctions({
  page,
  name,
  functions,
  partOf,
}: {
  /** The route's name. */
  page: string
  name: string
  functions: Functions
  partOf?: FormerSeed
}): Seed {
  return {
    name: `${menuSeedOf(page)}.${name}`,
    after: [menuSeedOf(page)],
    partOf,
    async plant(trx) {
      const menu = await trx
        .selectFrom('menu')
        .select('id')
        .where('remark', '=', page)
        .where('type', '=', 'C')
        .executeTakeFirst()
      if (menu) await plantFunctions(trx, functions, { pageId: menu.id, directoryId: null })
    },
  }
}

async function ensureDirectory(trx: Db, remark: keyof typeof directories): Promise<number> {
  const known = await trx
    .selectFrom('menu')
    .select('id')
    .where('remark', '=', remark)
    .where('type', '=', 'M')
    .executeTakeFirst()
  if (known) return known.id
  const { name, icon, order } = directories[remark]
  const { id } = await trx
    .insertInto('menu')
    .values({ name, icon, type: 'M', path: `/${remark}`, remark, order_num: order })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/**
 * Adds functions after those on the page. The first releases put functions whose page was still missing into
 * the directory: such a function moves to the page, and roles that have it keep it.
 */
async function plantFunctions(
  trx: Db,
  functions: Functions,
  { pageId, directoryId }: { pageId: number; directoryId: number | null },
): Promise<void> {
  const { rows } = await sql<{ last: number }>`
    SELECT coalesce(max(order_num), 0)::int AS last FROM menu WHERE parent_id = ${pageId}`.execute(trx)
  const last = rows[0]?.last ?? 0
  for (const [index, [code, name]] of Object.entries(functions).entries()) {
    const order_num = last + index + 1
    const { numUpdatedRows } = await trx
      .updateTable('menu')
      .set({ parent_id: pageId, order_num })
      .where('parent_id', '=', directoryId)
      .where('type', '=', 'F')
      .where('remark', '=', code)
      .executeTakeFirst()
    if (numUpdatedRows > 0) continue
    await trx
      .insertInto('menu')
      .values({ parent_id: pageId, name, type: 'F', path: code, remark: code, order_num })
      .execute()
  }
}
