// Roles as administrators keep them: nobody grants functions beyond their own.
import type { insertRole, ParsedInputFor, searchRoles, updateRole } from '@voltkeep/contract'
import { systemRoleId } from '../../domain/access/accounts/first-user.ts'
import { systemRoleCode } from '../../domain/access/granted.ts'
import { readReaches } from '../../domain/access/holdings.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import { Refusal, refuse, refuseInput } from '../../platform/calls/refusal.ts'
import { changing, type Subject } from '../../platform/database/changing.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { differenceOf, recordOperation } from '../../platform/database/operation-log.ts'
import { pageOf } from '../../platform/database/paging.ts'
import * as grantQueries from './grants.queries.ts'
import {
  assertChangeable,
  assertGrantable,
  assertGrantableMenus,
  lockGrants,
  looksLikeSystem,
} from './grants.service.ts'
import * as queries from './roles.queries.ts'

export type Roles = ReturnType<typeof createRoles>

/**
 * Roles belong to no organization: every administrator of roles sees all of them. A user who is not SYSTEM changes
 * only roles that have no more than that user has, and that nobody has outside that user's organizations or with wider
 * data permissions.
 */
export function createRoles({ db }: { db: Db }) {
  return {
    assertGrantable,
    assertChangeable,
    lockGrants,

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
      const { rows, total } = await queries.searchRoles(db, name, pageOf({ pageNum, pageSize }))
      return { rows: await withReach(db, actor, rows), total }
    },

    /** Refuses `roleNotFound`. */
    async readRole(actor: Actor, { id }: { id: string }) {
      const role = (await queries.readRole(db, idNumber(id))) ?? refuse('roleNotFound')
      const [row] = await withReach(db, actor, [role])
      return row ?? refuse('roleNotFound')
    },

    /**
     * Refuses 403 `cannotGrant` for menus that the actor lacks, 409 `roleCodeTaken`, and 400 for an unknown menu or a
     * code that reads as SYSTEM.
     */
    async insertRole(actor: Actor, input: ParsedInputFor<typeof insertRole>) {
      const menuIds = idsOf(input.menuIds ?? [])
      return db.transaction().execute(async (trx) => {
        const grants = await lockGrants(trx, actor)
        refuseSystemCode(actor, input.code)
        await assertGrantableMenus(trx, grants, menuIds)
        const menus = await existingMenus(trx, menuIds)
        const values = valuesOf(input)
        if (await queries.hasRoleCode(trx, values.code, null)) refuse('roleCodeTaken')
        const id = await queries.insertRole(trx, values)
        await queries.replaceMenus(trx, id, menuIds)
        await recordOperation(trx, actor, {
          target: targetOf(values),
          changes: { after: { ...values, menus: namesOf(menus) } },
        })
        return { id }
      })
    },

    /**
     * In effect at the next call of every user who has the role. Only added menus must be the actor's to grant.
     * Refuses what `roleOf` and `insertRole` do, and `conflict`.
     */
    async updateRole(actor: Actor, input: ParsedInputFor<typeof updateRole>): Promise<void> {
      const { id, version } = input
      await changing(db, actor, { ...roleOf(actor, id), version }, async (trx, before) => {
        refuseSystemCode(actor, input.code)
        const menuIds = input.menuIds ? idsOf(input.menuIds) : before.menuIds
        const added = menuIds.filter((one) => !before.menuIds.includes(one))
        const removed = before.menuIds.filter((one) => !menuIds.includes(one))
        await assertGrantableMenus(trx, before.grants, added)
        const addedMenus = await existingMenus(trx, added)
        const values = valuesOf(input)
        // Codes of before that rule may differ by case alone; they stay until one of them is changed.
        if (values.code !== before.code && (await queries.hasRoleCode(trx, values.code, before.id)))
          refuse('roleCodeTaken')
        await queries.updateRole(trx, before.id, values)
        await queries.replaceMenus(trx, before.id, menuIds)
        const changes = differenceOf(before, values)
        if (added.length > 0 || removed.length > 0) {
          changes.before.menus = namesOf(await queries.listMenusById(trx, removed))
          changes.after.menus = namesOf(addedMenus)
        }
        return changes
      })
    },

    /** Refuses what `roleOf` does, and 409 `roleInUse` with the number of its users. */
    async deleteRole(actor: Actor, { id }: { id: string }): Promise<void> {
      await changing(db, actor, roleOf(actor, id), async (trx, before) => {
        if (before.userCount > 0) {
          throw new Refusal('roleInUse', null, `角色已分配给 ${before.userCount} 个用户，不能删除`)
        }
        const menus = await queries.listMenusById(trx, before.menuIds)
        await queries.deleteRole(trx, before.id)
        return { before: { ...valuesOf(before), menus: namesOf(menus) } }
      })
    },
  }
}

type LockedRole = queries.RoleRecord & { grants: grantQueries.Grants }

/**
 * A role that the actor may change, with what the actor has. Refuses `roleNotFound`, 403 `roleProtected` for SYSTEM
 * and 403 `cannotChangeRole` as `assertChangeable` says.
 */
const roleOf = (actor: Actor, id: string): Subject<LockedRole> => ({
  async lock(trx) {
    const grants = await lockGrants(trx, actor)
    const role = await queries.lockRole(trx, idNumber(id))
    if (!role) return undefined
    if (role.id === systemRoleId || role.code === systemRoleCode) refuse('roleProtected')
    await assertChangeable(trx, actor, [role.id])
    return { ...role, grants }
  },
  notFound: 'roleNotFound',
  target: targetOf,
})

/** Adds to each role whether the actor may change it. */
async function withReach(db: Db, actor: Actor, roles: readonly queries.RoleRecord[]) {
  const holdings = await grantQueries.readGrants(db, actor.userId)
  const ids = roles.map(({ id }) => id)
  const reach = (await readReaches(db, [actor.userId])).get(actor.userId) ?? refuse('sessionEnded')
  const beyond = holdings.isSystem ? [] : await grantQueries.listRolesOutOfReach(db, ids, holdings, reach)
  return roles.map((role) => ({
    ...role,
    shownName: role.name,
    shownRemark: role.remark,
    isEditable: role.id !== systemRoleId && !beyond.includes(role.id),
  }))
}

/** Refuses a second SYSTEM role, and a code that could be read as SYSTEM: 403 `cannotGrant`, for SYSTEM users 400. */
function refuseSystemCode(actor: Actor, code: string): void {
  if (!looksLikeSystem(code)) return
  if (!actor.isSystem) refuse('cannotGrant')
  refuseInput({ field: 'code', message: '角色编码 SYSTEM 为系统保留' })
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
