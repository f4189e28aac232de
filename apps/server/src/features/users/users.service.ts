import type {
  deleteUser,
  FieldProblem,
  insertUser,
  listUsers,
  ParsedInputFor,
  resetUserPassword,
  updateUser,
} from '@voltkeep/contract'
import type { Actor } from '../../platform/access/actor.ts'
import { firstUserId, systemRoleId } from '../../platform/access/first-user.ts'
import { type Holdings, holdsAllOf, readHoldings } from '../../platform/access/holdings.ts'
import { lockCaller, lockManaged, type Managed } from '../../platform/access/managing.ts'
import { holdOrganization, isInOwnTree } from '../../platform/access/organization-tree.ts'
import { hashPassword, randomPassword } from '../../platform/access/passwords.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { recordOperation } from '../../platform/operation-log.ts'
import { Refusal, refuse } from '../../platform/refusal.ts'
import type { Roles } from '../roles/index.ts'
import type { Sessions } from '../sessions/index.ts'
import * as queries from './users.queries.ts'

export interface UserNeeds {
  db: Db
  roles: Pick<Roles, 'assertGrantable'>
  sessions: Pick<Sessions, 'endSessionsOf'>
}

export type Users = ReturnType<typeof createUserService>

type UserChange = ParsedInputFor<typeof updateUser>

/**
 * Users of the caller's organizations. Whom he may change, and what he may give, is decided inside the
 * transaction of the change, with both of them locked.
 */
export function createUserService({ db, roles, sessions }: UserNeeds) {
  /**
   * What every form names must exist, and the organization lie in the caller's tree. It locks the roles, which
   * whoever changes one does after holding all grants: so does this, or each would wait for the other.
   */
  async function checkForm(
    trx: Trx,
    caller: Holdings,
    form: { roleIds: readonly number[]; type: string; organizationId: number },
  ) {
    const organization = (await isInOwnTree(trx, caller, form.organizationId))
      ? await holdOrganization(trx, form.organizationId)
      : undefined
    const found = await queries.findRoles(trx, form.roleIds)
    const problems: FieldProblem[] = []
    if (found.length < new Set(form.roleIds).size) problems.push({ field: 'roleIds', message: '角色不存在' })
    if (!(await queries.hasUserType(trx, form.type))) {
      problems.push({ field: 'type', message: '用户类型不存在' })
    }
    if (!organization) problems.push({ field: 'organizationId', message: '组织不存在' })
    if (!organization || problems.length > 0) throw new Refusal('badInput', problems)
    return { organization: organization.name, roles: found.map(({ name }) => name) }
  }

  /** Only what the user does not hold already has to be the caller's to give: he holds no more than the caller. */
  async function applyForm(
    trx: Trx,
    actor: Actor,
    { caller, target }: Managed,
    before: queries.UserRow,
    form: NonNullable<ReturnType<typeof formOf>>,
  ): Promise<Shown> {
    const added = form.roleIds.filter((id) => !before.roleIds.includes(id))
    await roles.assertGrantable(trx, actor, added)
    const names = await checkForm(trx, caller, form)
    if (!form.roleIds.includes(systemRoleId)) await keepOneSystemUser(trx, target)
    await queries.replaceRoles(trx, target.userId, form.roleIds)
    return { userName: form.userName, phone: form.phone, type: form.type, ...names }
  }

  /** Whoever loses SYSTEM, or cannot sign in any more, must not be the last of them. */
  async function keepOneSystemUser(trx: Trx, target: Holdings): Promise<void> {
    if (target.isSystem && !(await queries.hasOtherSystemUser(trx, target.userId))) refuse('lastSystemUser')
  }

  return {
    async listUsers(actor: Actor, input: ParsedInputFor<typeof listUsers>) {
      const { pageNum, pageSize, roleIds, organizationId, ...filter } = input
      const matching = queries.usersMatching(actor, {
        ...filter,
        roleIds: roleIds?.map(idNumber),
        organizationId: organizationId === undefined ? undefined : idNumber(organizationId),
      })
      const [rows, total] = await Promise.all([
        queries.listUsers(db, matching, { limit: pageSize, offset: (pageNum - 1) * pageSize }),
        queries.countUsers(db, matching),
      ])
      const holdings = await readHoldings(db, [actor.userId, ...rows.map(({ id }) => id)])
      const caller = holdings.get(actor.userId)
      return {
        rows: rows.map((row) => {
          const held = holdings.get(row.id)
          const isManageable = row.id !== firstUserId && !!caller && !!held && holdsAllOf(caller, held)
          return { ...row, isManageable, isSelf: row.id === actor.userId }
        }),
        total,
      }
    },

    /** For pickers: the colleagues of one's own organization and those under it; SYSTEM sees everyone. */
    listPhoneUsers: (actor: Actor) =>
      queries.listPhoneUsers(db, actor.isSystem ? null : actor.organizationId),

    /** A user made by someone whose data scope is narrowed starts with the same entries. */
    async insertUser(actor: Actor, input: ParsedInputFor<typeof insertUser>): Promise<{ id: number }> {
      const { loginName, password, mustChangePassword = false } = input
      const { userName, phone, type, isEnabled = true } = input
      const roleIds = input.roleIds.map(idNumber)
      // Before the transaction: a hash takes its time, and nobody should wait for a lock meanwhile.
      const passwordHash = await hashPassword(password)
      return db.transaction().execute(async (trx) => {
        const caller = await lockCaller(trx, actor)
        const organizationId =
          input.organizationId === undefined ? caller.organizationId : idNumber(input.organizationId)
        await roles.assertGrantable(trx, actor, roleIds)
        const names = await checkForm(trx, caller, { roleIds, type, organizationId })
        const values = { userName, phone, type, organizationId, isEnabled }
        const id = await queries.insertUser(trx, { loginName, passwordHash, mustChangePassword }, values)
        if (id === undefined) throw loginNameTaken()
        await queries.replaceRoles(trx, id, roleIds)
        if (!caller.isSystem) await queries.copyAuthorities(trx, caller.userId, id)
        const after = { loginName, userName, phone, type, isEnabled, mustChangePassword, ...names }
        await recordOperation(trx, actor, { target: targetOf(loginName), changes: { after } })
        return { id }
      })
    },

    /** The whole form, or `isEnabled` alone. Who is disabled is signed out everywhere. */
    async updateUser(actor: Actor, input: UserChange): Promise<void> {
      const userId = idNumber(input.id)
      await db.transaction().execute(async (trx) => {
        const managed = await lockManaged(trx, actor, userId)
        const before = await lockChangeable(trx, userId)
        if (input.version !== undefined && input.version !== before.version) refuse('conflict')
        const { isEnabled = before.isEnabled } = input
        if (before.isEnabled && !isEnabled) {
          if (actor.userId === userId) refuse('ownAccountKept')
          await keepOneSystemUser(trx, managed.target)
          await sessions.endSessionsOf(trx, userId)
        }
        const form = formOf(input, before)
        const shown = form ? await applyForm(trx, actor, managed, before, form) : {}
        await queries.updateUser(trx, userId, { ...form, isEnabled })
        await recordOperation(trx, actor, {
          target: targetOf(before.loginName),
          changes: changesBetween(shownOf(before), { ...shown, isEnabled }),
        })
      })
    },

    /** His sessions end, and answer so (50012). */
    async deleteUser(actor: Actor, { id }: ParsedInputFor<typeof deleteUser>): Promise<void> {
      const userId = idNumber(id)
      await db.transaction().execute(async (trx) => {
        const { target } = await lockManaged(trx, actor, userId)
        const before = await lockChangeable(trx, userId)
        if (actor.userId === userId) refuse('ownAccountKept')
        await keepOneSystemUser(trx, target)
        await queries.deleteUser(trx, userId)
        await recordOperation(trx, actor, {
          target: targetOf(before.loginName),
          changes: { before: shownOf(before) },
        })
      })
    },

    /** Answers a password of our own making, this once; it must be changed at the next sign-in. */
    async resetUserPassword(actor: Actor, { id }: ParsedInputFor<typeof resetUserPassword>) {
      const userId = idNumber(id)
      const password = randomPassword()
      const passwordHash = await hashPassword(password)
      return db.transaction().execute(async (trx) => {
        await lockManaged(trx, actor, userId)
        const { loginName } = await lockChangeable(trx, userId)
        // Whoever finds an open browser must not come by the account without the old password.
        if (actor.userId === userId) refuse('ownPasswordByOld')
        await queries.replacePassword(trx, userId, passwordHash)
        await sessions.endSessionsOf(trx, userId)
        await recordOperation(trx, actor, { target: targetOf(loginName) })
        return { id: userId, loginName, password }
      })
    },
  }
}

async function lockChangeable(trx: Trx, userId: number): Promise<queries.UserRow> {
  if (userId === firstUserId) refuse('firstUserFixed')
  return queries.readUser(trx, userId)
}

/** A change's form with its gaps filled from what was; null for the switch of `isEnabled` alone. */
function formOf({ userName, phone, type, roleIds, organizationId }: UserChange, before: queries.UserRow) {
  if (userName === undefined || phone === undefined || type === undefined || !roleIds) return null
  return {
    userName,
    phone,
    type,
    roleIds: roleIds.map(idNumber),
    organizationId: organizationId === undefined ? before.organizationId : idNumber(organizationId),
  }
}

const loginNameTaken = () => new Refusal('loginNameTaken', [{ field: 'loginName', message: '登录名已存在' }])

const targetOf = (loginName: string) => `用户 ${loginName}`

/** As the operation log shows a user: names, since ids tell a reader nothing. */
const shownOf = (user: queries.UserRow): Shown => ({
  loginName: user.loginName,
  userName: user.userName,
  phone: user.phone,
  type: user.type,
  organization: user.organizationName,
  roles: user.roleNames,
  isEnabled: user.isEnabled,
})

type Shown = Record<string, unknown>

/** What differs, as it was and as it is. */
function changesBetween(before: Shown, after: Shown) {
  const keys = Object.keys(after).filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]))
  const only = (all: Shown) => Object.fromEntries(keys.map((key) => [key, all[key]]))
  return { before: only(before), after: only(after) }
}
