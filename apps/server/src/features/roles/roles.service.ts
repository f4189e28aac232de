import type { insertRole, ParsedInputFor, searchRoles, updateRole } from '@voltkeep/contract'
import type { Actor } from '../../platform/access/actor.ts'
import { systemRoleId } from '../../platform/access/first-user.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { recordOperation } from '../../platform/operation-log.ts'
import { Refusal, refuse, refuseInput } from '../../platform/refusal.ts'
import * as grantQueries from './grants.queries.ts'
import {
  assertChangeable,
  assertGrantable,
  assertGrantableMenus,
  functionCodesOf,
  holdGrants,
  looksLikeSystem,
} from './grants.service.ts'
import * as queries from './roles.queries.ts'

export type Roles = ReturnType<typeof createRoleService>

/**
 * Roles stand beside the organizations: every administrator of roles sees all of them. Who is not SYSTEM
 * changes only those that hold nothing beyond what he holds and that nobody outside his organization holds.
 */
export function createRoleService({ db }: { db: Db }) {
  return {
    assertGrantable,
    assertChangeable,
    functionCodesOf,
    holdGrants,

    async listRoles(actor: Actor) {
      const rows = await queries.listRoles(db)
      const beyond = actor.isSystem
        ? []
        : await grantQueries.listRolesBeyond(
            db,
            rows.map(({ id }) => id),
            { functionCodes: [...actor.functionCodes] },
          )
      return rows.map((row) => ({
        ...row,
        isAssignable: row.id !== systemRoleId && !beyond.includes(row.id),
      }))
    },

    listRolesOf: (actor: Actor) => queries.listRolesOf(db, actor.userId),

    async searchRoles(actor: Actor, { name, pageNum, pageSize }: ParsedInputFor<typeof searchRoles>) {
      const page = { name, limit: pageSize, offset: (pageNum - 1) * pageSize }
      const { rows, total } = await queries.searchRoles(db, page)
      return { rows: await withReach(db, actor, rows), total }
    },

    async readRole(actor: Actor, { id }: { id: string }) {
      const role = (await queries.readRole(db, idNumber(id))) ?? refuse('roleNotFound')
      const [row] = await withReach(db, actor, [role])
      return row ?? refuse('roleNotFound')
    },

    async insertRole(actor: Actor, input: ParsedInputFor<typeof insertRole>) {
      const menuIds = idsOf(input.menuIds ?? [])
      return db.transaction().execute(async (trx) => {
        const holdings = await holdGrants(trx, actor)
        refuseSystemCode(actor, input.code)
        await assertGrantableMenus(trx, holdings, menuIds)
        const menus = await existingMenus(trx, menuIds)
        const values = valuesOf(input)
        const id = await queries.insertRole(trx, values)
        await queries.replaceMenus(trx, id, menuIds)
        await recordOperation(trx, actor, {
          target: targetOf(values),
          changes: { after: { ...values, menus: namesOf(menus) } },
        })
        return { id }
      })
    },

    /** In effect at the next call of whoever holds the role: what he may do is read anew for each. */
    async updateRole(actor: Actor, input: ParsedInputFor<typeof updateRole>): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const holdings = await holdGrants(trx, actor)
        const before = await lockRole(trx, input.id)
        await assertChangeable(trx, actor, [before.id])
        refuseSystemCode(actor, input.code)
        const menuIds = input.menuIds ? idsOf(input.menuIds) : before.menuIds
        const added = menuIds.filter((id) => !before.menuIds.includes(id))
        const removed = before.menuIds.filter((id) => !menuIds.includes(id))
        await assertGrantableMenus(trx, holdings, added)
        const addedMenus = await existingMenus(trx, added)
        if (input.version !== undefined && input.version !== before.version) refuse('conflict')
        const values = valuesOf(input)
        await queries.updateRole(trx, before.id, values)
        await queries.replaceMenus(trx, before.id, menuIds)
        const removedMenus = await queries.listMenusById(trx, removed)
        await recordOperation(trx, actor, {
          target: targetOf(before),
          changes: changesOf(before, values, namesOf(removedMenus), namesOf(addedMenus)),
        })
      })
    },

    async deleteRole(actor: Actor, { id }: { id: string }): Promise<void> {
      await db.transaction().execute(async (trx) => {
        await holdGrants(trx, actor)
        const before = await lockRole(trx, id)
        await assertChangeable(trx, actor, [before.id])
        if (before.userCount > 0) {
          throw new Refusal('roleInUse', null, `角色已分配给${before.userCount}个用户，不能删除`)
        }
        const menus = await queries.listMenusById(trx, before.menuIds)
        await queries.deleteRole(trx, before.id)
        const { name, code, remark } = before
        await recordOperation(trx, actor, {
          target: targetOf(before),
          changes: { before: { name, code, remark, menus: namesOf(menus) } },
        })
      })
    },
  }
}

/** Says of each role whether the actor may change it. */
async function withReach(db: Db, actor: Actor, roles: readonly queries.RoleRecord[]) {
  const holdings = await grantQueries.readGrants(db, actor.userId)
  const ids = roles.map(({ id }) => id)
  const beyond = holdings.isSystem
    ? []
    : await grantQueries.listRolesOutOfReach(db, ids, holdings, actor.organizationId)
  return roles.map((role) => ({
    ...role,
    isEditable: role.id !== systemRoleId && !beyond.includes(role.id),
  }))
}

/** The role, where it may be changed at all. */
async function lockRole(trx: Trx, id: string): Promise<queries.RoleRecord> {
  const role = (await queries.lockRole(trx, idNumber(id))) ?? refuse('roleNotFound')
  if (role.id === systemRoleId || role.code === 'SYSTEM') refuse('roleProtected')
  return role
}

/** Nobody makes a second SYSTEM role, nor one that could be taken for it. */
function refuseSystemCode(actor: Actor, code: string): void {
  if (!looksLikeSystem(code)) return
  if (!actor.isSystem) refuse('cannotGrant')
  refuseInput({ field: 'code', message: '角色编码SYSTEM为系统保留' })
}

async function existingMenus(trx: Trx, ids: readonly number[]): Promise<queries.GrantedMenu[]> {
  const menus = await queries.listMenusById(trx, ids)
  if (menus.length < ids.length) refuseInput({ field: 'menuIds', message: '菜单不存在' })
  return menus
}

const idsOf = (ids: readonly string[]) => [...new Set(ids.map(idNumber))]
const namesOf = (menus: readonly queries.GrantedMenu[]) => menus.map(({ name }) => name)
const targetOf = ({ name, code }: { name: string; code: string }) => `角色 ${name}（${code}）`

const valuesOf = ({ name, code, remark = null }: queries.RoleValues | ParsedInputFor<typeof insertRole>) => ({
  name,
  code,
  remark,
})

/** Only what changed; of the menus, those taken away and those added. */
function changesOf(
  before: queries.RoleValues,
  after: queries.RoleValues,
  removedMenus: string[],
  addedMenus: string[],
) {
  const changed = (['name', 'code', 'remark'] as const).filter((key) => before[key] !== after[key])
  const pick = (values: queries.RoleValues) => Object.fromEntries(changed.map((key) => [key, values[key]]))
  const hasMenus = removedMenus.length + addedMenus.length > 0
  return {
    before: { ...pick(before), ...(hasMenus ? { menus: removedMenus } : {}) },
    after: { ...pick(after), ...(hasMenus ? { menus: addedMenus } : {}) },
  }
}
