// Menus as users see them and administrators change them.
import {
  type deleteMenu,
  type insertMenu,
  isPlatformWide,
  type ParsedInputFor,
  type updateMenu,
} from '@voltkeep/contract'
import type { Actor } from '../../platform/calls/actor.ts'
import { Refusal, refuse, refuseInput } from '../../platform/calls/refusal.ts'
import { changing, type Subject } from '../../platform/database/changing.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { differenceOf, recordOperation } from '../../platform/database/operation-log.ts'
import { treeOf } from '../../platform/database/tree.ts'
import type { Roles } from '../roles/index.ts'
import { shownMenuName } from './menu-names.ts'
import * as queries from './menus.queries.ts'
import * as rules from './menus.rules.ts'

/** A menu with what stands below it; `parentId` 0 means top level. */
export type MenuBranch<Row extends queries.MenuRow = queries.MenuRow> = Omit<Row, 'parentId'> & {
  parentId: number
  /** Only for a function. */
  isPlatformWide: boolean | undefined
  children: MenuBranch<Row>[]
}

type MenuForm = Omit<ParsedInputFor<typeof insertMenu>, 'parentId' | 'orderNum'>

export interface MenuNeeds {
  db: Db
  roles: Pick<Roles, 'lockGrants' | 'assertChangeable'>
}

interface LockedMenus {
  menus: queries.MenuRecordRow[]
  isSystem: boolean
  /** Does the caller have all of these function codes? */
  hasAll: (codes: readonly string[]) => boolean
}

export type Menus = ReturnType<typeof createMenus>

/**
 * The menus of the installation. A menu of type F is a function: its code decides what every role that has it may
 * do. So nobody gives a menu a code that they lack, and a user who is not SYSTEM changes only menus whose functions
 * that user has.
 */
export function createMenus({ db, roles }: MenuNeeds) {
  /** Locks the rows that every write of menus depends on: the grants of all users, and so all menus. */
  async function lockMenus(trx: Trx, actor: Actor): Promise<LockedMenus> {
    const { isSystem, functionCodes } = await roles.lockGrants(trx, actor)
    const own = new Set(functionCodes)
    return {
      menus: await queries.listMenus(trx),
      isSystem,
      hasAll: (codes) => isSystem || codes.every((code) => own.has(code)),
    }
  }

  /** A menu that the caller may change; another is refused (403 `cannotChangeMenu`). */
  const subjectOf = (actor: Actor, id: string): Subject<queries.MenuRecordRow & LockedMenus> => ({
    async lock(trx) {
      const locked = await lockMenus(trx, actor)
      const menu = locked.menus.find((one) => one.id === idNumber(id))
      if (menu && !locked.hasAll(rules.codesBelow(locked.menus, menu.id))) refuse('cannotChangeMenu')
      return menu && { ...menu, ...locked }
    },
    notFound: 'menuNotFound',
    target: targetOf,
  })

  return {
    async listMenus(): Promise<MenuBranch<queries.MenuRecordRow & { shownName: string }>[]> {
      const menus = await queries.listMenus(db)
      return branchesOf(menus.map((menu) => ({ ...menu, shownName: shownMenuName(menu.name) })))
    },

    /** The menus that the caller sees: those of the caller's roles and all above them; for SYSTEM every one. */
    async readTreeOf(actor: Actor): Promise<MenuBranch[]> {
      const menus = await queries.listMenusOf(db, actor.userId)
      return branchesOf(menus.map((menu) => ({ ...menu, name: shownMenuName(menu.name) })))
    },

    /** Refuses 403 `cannotGrant` for a function code that the caller lacks, and what `checkOutcome` does. */
    async insertMenu(actor: Actor, input: ParsedInputFor<typeof insertMenu>) {
      return db.transaction().execute(async (trx) => {
        const { menus, hasAll } = await lockMenus(trx, actor)
        const parentId = parentOf(input.parentId) ?? null
        const orderNum = input.orderNum ?? rules.lastOrder(menus, parentId)
        const values = rules.normalised({ ...formOf(input), parentId, orderNum })
        if (values.type === 'F' && !hasAll([values.remark])) refuse('cannotGrant')
        checkPlace(menus, values, null)
        const id = await queries.insertMenu(trx, values)
        checkOutcome(menus, [...menus, { ...values, id }], id)
        await recordOperation(trx, actor, {
          target: targetOf(values),
          changes: { after: shownOf(values, menus) },
        })
        return { id }
      })
    },

    /**
     * Refuses `menuNotFound`, `conflict`, 403 `cannotChangeMenu` and `cannotGrant`, 403 `cannotChangeRole` where the
     * menu gets another meaning for roles that the caller may not change, 403 `menuReachesBeyond`, and what `checkOutcome`
     * does.
     */
    async updateMenu(actor: Actor, input: ParsedInputFor<typeof updateMenu>): Promise<void> {
      const { id, version } = input
      await changing(db, actor, { ...subjectOf(actor, id), version }, async (trx, before) => {
        const { menus, hasAll } = before
        const parentId = parentOf(input.parentId)
        const values = rules.normalised({
          ...formOf(input),
          parentId: parentId === undefined ? before.parentId : parentId,
          orderNum: input.orderNum ?? before.orderNum,
        })
        if (values.type === 'F' && !hasAll([values.remark])) refuse('cannotGrant')
        // Another code is another permission, and another page another page, for all users who have the menu.
        if (rules.leadsElsewhere(before, values)) {
          const below = rules.idsBelow(menus, before.id)
          await roles.assertChangeable(trx, actor, await queries.listRoleIdsWith(trx, below))
        }
        checkPlace(menus, values, before.id)
        const after = menus.map((menu) => (menu.id === before.id ? { ...menu, ...values } : menu))
        checkOutcome(menus, after, before.id)
        await assertKept(trx, before, after)
        await queries.updateMenu(trx, before.id, values)
        return differenceOf(shownOf(before, menus), shownOf(values, menus))
      })
    },

    /**
     * A menu that roles have is deleted only where the caller names how many roles those are: otherwise refused (409
     * `menuGranted`, which says the number). Also refuses `menuNotFound`, 403 `cannotChangeMenu` and
     * `cannotChangeRole`, 403 `menuReachesBeyond`, 409 `menuHasChildren` and `menuPageNeeded`.
     */
    async deleteMenu(actor: Actor, { id, roleCount }: ParsedInputFor<typeof deleteMenu>): Promise<void> {
      await changing(db, actor, subjectOf(actor, id), async (trx, before) => {
        const { menus } = before
        if (menus.some((menu) => menu.parentId === before.id)) refuse('menuHasChildren')
        if (before.roleCount > 0) {
          await roles.assertChangeable(trx, actor, await queries.listRoleIdsWith(trx, [before.id]))
          if (roleCount !== before.roleCount) throw grantedTo(before.roleCount)
        }
        const after = menus.filter((menu) => menu.id !== before.id)
        if (rules.hasRepairPage(menus) && !rules.hasRepairPage(after)) refuse('menuPageNeeded')
        await assertKept(trx, before, after)
        await queries.deleteMenu(trx, before.id)
        return { before: { ...shownOf(before, menus), roleCount: before.roleCount } }
      })
    },
  }
}

/** '0' is the top level (null); undefined stays undefined. */
function parentOf(parentId: string | undefined): number | null | undefined {
  if (parentId === undefined) return undefined
  // An id that no menu can have stays one that none has.
  return parentId === '0' ? null : idNumber(parentId)
}

const formOf = ({ name, type, path, remark, icon, url, openType }: MenuForm) => ({
  name,
  type,
  path,
  remark,
  icon: icon ?? null,
  url: url ?? null,
  openType,
})

/** Refuses (400) a menu that may not stand at its place. */
function checkPlace(menus: readonly queries.MenuRow[], values: queries.MenuValues, id: number | null): void {
  const [problem] = rules.placeProblems(menus, values, id)
  if (problem) refuseInput(problem)
}

/**
 * Refuses a change after which pages share a path (409 `menuPathTaken`; a reserved one 400), functions of a page
 * share a code (409 `menuCodeTaken`) or the page for repairing menus is gone (409 `menuPageNeeded`).
 */
function checkOutcome(before: readonly queries.MenuRow[], after: readonly queries.MenuRow[], id: number) {
  const changed = after.find((menu) => menu.id === id)
  const former = before.find((menu) => menu.id === id)
  const hasMoved =
    !former ||
    former.path !== changed?.path ||
    former.parentId !== changed.parentId ||
    former.type !== changed.type ||
    former.openType !== changed.openType
  const problem = hasMoved ? rules.pathProblems(after, id) : null
  if (problem === 'reserved') refuseInput({ field: 'path', message: '该路由地址为系统保留' })
  if (problem === 'taken') refuse('menuPathTaken')
  const isTaken = after.some(
    (menu) =>
      menu.id !== id &&
      menu.type === 'F' &&
      changed?.type === 'F' &&
      menu.parentId === changed.parentId &&
      menu.remark === changed.remark,
  )
  if (isTaken) refuse('menuCodeTaken')
  if (rules.hasRepairPage(before) && !rules.hasRepairPage(after)) refuse('menuPageNeeded')
}

/**
 * Refuses `menuReachesBeyond` to who is not SYSTEM where no menu carries a function any more that an API key of a SYSTEM user
 * has: no role says so, and what the key has decided would stop. Keys of others have it by their makers' roles.
 */
async function assertKept(
  trx: Trx,
  { menus, isSystem }: LockedMenus,
  after: readonly queries.MenuRow[],
): Promise<void> {
  if (isSystem) return
  const lost = rules.codesLost(menus, after)
  if (lost.length > 0 && (await queries.hasKeyOfSystem(trx, lost))) refuse('menuReachesBeyond')
}

const grantedTo = (roleCount: number) =>
  new Refusal('menuGranted', null, `菜单已分配给 ${roleCount} 个角色，确认后将同时从这些角色中移除`)

const targetOf = ({ name, remark }: Pick<queries.MenuValues, 'name' | 'remark'>) =>
  `菜单 ${name}（${remark}）`

/** As the operation log shows a menu: with its parent's name. */
function shownOf(values: queries.MenuValues, menus: readonly queries.MenuRow[]): Record<string, unknown> {
  const { parentId, name, type, path, remark, icon, url, orderNum, openType } = values
  const parent = menus.find((menu) => menu.id === parentId)?.name ?? null
  return { parent, name, type, path, remark, icon, url, orderNum, openType }
}

const branchesOf = <Row extends queries.MenuRow>(rows: readonly Row[]) =>
  treeOf<Row, MenuBranch<Row>>(rows, (row, children) => ({
    ...row,
    parentId: row.parentId ?? 0,
    isPlatformWide: row.type === 'F' ? isPlatformWide(row.remark) : undefined,
    children,
  }))
