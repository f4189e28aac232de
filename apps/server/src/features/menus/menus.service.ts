import type { deleteMenu, insertMenu, ParsedInputFor, updateMenu } from '@voltkeep/contract'
import type { Actor } from '../../platform/access/actor.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { recordOperation } from '../../platform/operation-log.ts'
import { Refusal, refuse, refuseInput } from '../../platform/refusal.ts'
import type { Roles } from '../roles/index.ts'
import * as queries from './menus.queries.ts'
import * as rules from './menus.rules.ts'

/** A menu with what stands below it; `parentId` 0 means top level. */
export type MenuBranch<Row extends queries.MenuRow = queries.MenuRow> = Omit<Row, 'parentId'> & {
  parentId: number
  children: MenuBranch<Row>[]
}

type MenuForm = Omit<ParsedInputFor<typeof insertMenu>, 'parentId' | 'orderNum'>

export interface MenuNeeds {
  db: Db
  roles: Pick<Roles, 'holdGrants' | 'assertChangeable'>
}

export type Menus = ReturnType<typeof createMenuService>

/**
 * The menus of the installation. A menu of type F is a function: what it is called decides what every role
 * that holds it may do, so that nobody calls one by a code he lacks, and who is not SYSTEM leaves alone
 * what he could not give away himself.
 */
export function createMenuService({ db, roles }: MenuNeeds) {
  /** Everything that a write of menus decides by, kept as it is until the transaction ends. */
  async function hold(trx: Trx, actor: Actor) {
    const { isSystem, functionCodes } = await roles.holdGrants(trx, actor)
    const held = new Set(functionCodes)
    return {
      menus: await queries.listMenus(trx),
      holdsAll: (codes: readonly string[]) => isSystem || codes.every((code) => held.has(code)),
    }
  }

  return {
    async listMenus(): Promise<MenuBranch<queries.MenuRecordRow>[]> {
      return treeOf(await queries.listMenus(db))
    },

    /** What the caller may see: all for SYSTEM, else the menus of the roles and those above them. */
    async readTreeOf(actor: Actor): Promise<MenuBranch[]> {
      return actor.isSystem
        ? treeOf(await queries.listMenus(db))
        : treeOf(await queries.listMenusOf(db, actor.userId))
    },

    async insertMenu(actor: Actor, input: ParsedInputFor<typeof insertMenu>) {
      return db.transaction().execute(async (trx) => {
        const { menus, holdsAll } = await hold(trx, actor)
        const parentId = parentOf(input.parentId) ?? null
        const orderNum = input.orderNum ?? rules.lastOrder(menus, parentId)
        const values = rules.settled({ ...formOf(input), parentId, orderNum })
        if (values.type === 'F' && !holdsAll([values.remark])) refuse('cannotGrant')
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

    async updateMenu(actor: Actor, input: ParsedInputFor<typeof updateMenu>): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const { menus, holdsAll } = await hold(trx, actor)
        const before = findMenu(menus, input.id)
        const parentId = parentOf(input.parentId)
        const values = rules.settled({
          ...formOf(input),
          parentId: parentId === undefined ? before.parentId : parentId,
          orderNum: input.orderNum ?? before.orderNum,
        })
        if (!holdsAll(rules.codesBelow(menus, before.id))) refuse('cannotChangeMenu')
        if (values.type === 'F' && !holdsAll([values.remark])) refuse('cannotGrant')
        // Another code is another permission, and another page another page, for whoever holds the menu.
        if (rules.leadsElsewhere(before, values)) {
          const below = rules.idsBelow(menus, before.id)
          await roles.assertChangeable(trx, actor, await queries.listRoleIdsWith(trx, below))
        }
        checkPlace(menus, values, before.id)
        if (input.version !== undefined && input.version !== before.version) refuse('conflict')
        const after = menus.map((menu) => (menu.id === before.id ? { ...menu, ...values } : menu))
        checkOutcome(menus, after, before.id)
        await queries.updateMenu(trx, before.id, values)
        await recordOperation(trx, actor, {
          target: targetOf(before),
          changes: differenceOf(shownOf(before, menus), shownOf(values, menus)),
        })
      })
    },

    /** Taken from the roles that hold it only where whoever asks was told how many those are. */
    async deleteMenu(actor: Actor, { id, roleCount }: ParsedInputFor<typeof deleteMenu>): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const { menus, holdsAll } = await hold(trx, actor)
        const before = findMenu(menus, id)
        if (!holdsAll(rules.codesBelow(menus, before.id))) refuse('cannotChangeMenu')
        if (menus.some((menu) => menu.parentId === before.id)) refuse('menuHasChildren')
        if (before.roleCount > 0) {
          await roles.assertChangeable(trx, actor, await queries.listRoleIdsWith(trx, [before.id]))
          if (roleCount !== before.roleCount) throw grantedTo(before.roleCount)
        }
        const after = menus.filter((menu) => menu.id !== before.id)
        if (rules.hasRepairPage(menus) && !rules.hasRepairPage(after)) refuse('menuPageNeeded')
        await queries.deleteMenu(trx, before.id)
        await recordOperation(trx, actor, {
          target: targetOf(before),
          changes: { before: { ...shownOf(before, menus), roleCount: before.roleCount } },
        })
      })
    },
  }
}

/** 0 stands for the top level, undefined for "as it is". */
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

function findMenu(menus: readonly queries.MenuRecordRow[], id: string): queries.MenuRecordRow {
  return menus.find((menu) => menu.id === idNumber(id)) ?? refuse('menuNotFound')
}

function checkPlace(menus: readonly queries.MenuRow[], values: queries.MenuValues, id: number | null): void {
  const [problem] = rules.placeProblems(menus, values, id)
  if (problem) refuseInput(problem)
}

/** What the change would do to addresses, to the functions of the page, and to the page that mends menus. */
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

const grantedTo = (roleCount: number) =>
  new Refusal('menuGranted', null, `菜单已分配给${roleCount}个角色，确认后将同时从这些角色中移除`)

const targetOf = ({ name, remark }: Pick<queries.MenuValues, 'name' | 'remark'>) =>
  `菜单 ${name}（${remark}）`

/** As the operation log shows a menu: its parent by name. */
function shownOf(values: queries.MenuValues, menus: readonly queries.MenuRow[]): Record<string, unknown> {
  const { parentId, name, type, path, remark, icon, url, orderNum, openType } = values
  const parent = menus.find((menu) => menu.id === parentId)?.name ?? null
  return { parent, name, type, path, remark, icon, url, orderNum, openType }
}

function differenceOf(before: Record<string, unknown>, after: Record<string, unknown>) {
  const changed = Object.keys(after).filter((key) => before[key] !== after[key])
  const pick = (values: Record<string, unknown>) =>
    Object.fromEntries(changed.map((key) => [key, values[key]]))
  return { before: pick(before), after: pick(after) }
}

/** Keeps the order of the rows among siblings. */
function treeOf<Row extends queries.MenuRow>(rows: Row[]): MenuBranch<Row>[] {
  const branches = new Map(
    rows.map((row) => [
      row.id,
      { ...row, parentId: row.parentId ?? 0, children: [] } as unknown as MenuBranch<Row>,
    ]),
  )
  const top: MenuBranch<Row>[] = []
  for (const branch of branches.values()) {
    const siblings = branches.get(branch.parentId)?.children ?? top
    siblings.push(branch)
  }
  return top
}
