// Users as administrators keep them: a user manages only users whose holdings do not exceed the own ones.
import type {
  deleteUser,
  FieldProblem,
  grantSystem,
  insertUser,
  listUsers,
  ParsedInputFor,
  resetUserPassword,
  revokeSystem,
  saveLanguage,
  updateUser,
} from '@voltkeep/contract'
import { firstUserId, systemRoleId } from '../../domain/access/accounts/first-user.ts'
import { hashPassword, randomPassword } from '../../domain/access/accounts/passwords.ts'
import { type Holdings, holdsAllOf, readHoldings } from '../../domain/access/holdings.ts'
import { lockCaller, lockManaged, type Managed } from '../../domain/access/managing.ts'
import { isInOwnTree, lockOrganizationShared } from '../../domain/access/organization-tree.ts'
import { keepLastReach } from '../../domain/access/reaches.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import { Refusal, refuse } from '../../platform/calls/refusal.ts'
import { changing, type Subject } from '../../platform/database/changing.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { differenceOf, recordOperation } from '../../platform/database/operation-log.ts'
import { pageOf } from '../../platform/database/paging.ts'
import type { Permissions } from '../permissions/index.ts'
import type { Roles } from '../roles/index.ts'
import type { Sessions } from '../sessions/index.ts'
import * as queries from './users.queries.ts'

export interface UserNeeds {
  db: Db
  permissions: Pick<Permissions, 'permitNewUser'>
  roles: Pick<Roles, 'assertGrantable'>
  sessions: Pick<Sessions, 'endSessionsOf'>
}

export type Users = ReturnType<typeof createUsers>

type UserChange = ParsedInputFor<typeof updateUser>

/**
 * Users of the caller's organizations. Whom the caller may change, and what the caller may grant, is decided inside
 * the transaction of the change, with both users locked.
 */
export function createUsers({ db, permissions, roles, sessions }: UserNeeds) {
  /**
   * Refuses (400) unless roles, type and organization exist and the organization is in the caller's tree. Locks
   * the roles; call `assertGrantable` first, since writers of roles lock all grants before a role, and the
   * opposite order would deadlock with them.
   */
  async function checkForm(
    trx: Trx,
    caller: Holdings,
    form: { roleIds: readonly number[]; type: string; organizationId: number },
  ) {
    const organization = (await isInOwnTree(trx, caller, form.organizationId))
      ? await lockOrganizationShared(trx, form.organizationId)
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

  /** Only roles that the user does not have yet must be the caller's to grant. Returns what the log shows. */
  async function applyForm(
    trx: Trx,
    actor: Actor,
    before: LockedUser,
    form: NonNullable<ReturnType<typeof formOf>>,
  ): Promise<Shown> {
    const added = form.roleIds.filter((id) => !before.roleIds.includes(id))
    await roles.assertGrantable(trx, actor, added)
    const names = await checkForm(trx, before.caller, form)
    if (!form.roleIds.includes(systemRoleId)) await keepOneSystemUser(trx, before.target)
    await queries.replaceRoles(trx, before.id, form.roleIds)
    if (added.length > 0) await queries.noteSetter(trx, before.id, actor.userId, 'roles')
    return { userName: form.userName, phone: form.phone, type: form.type, ...names }
  }

  /** Before a user loses SYSTEM or can no longer sign in: refuses (409 `lastSystemUser`) for the last such user. */
  async function keepOneSystemUser(trx: Trx, target: Holdings): Promise<void> {
    if (target.isSystem && !(await queries.hasOtherSystemUser(trx, target.userId))) refuse('lastSystemUser')
  }

  return {
    /** At most `limit` users of the caller's organizations by a part of the name or the login name, newest first. */
    async findUsers(actor: Actor, name: string, limit: number) {
      return queries.listUsers(db, queries.usersMatching(actor, { name }), { limit, offset: 0 })
    },

    async listUsers(actor: Actor, input: ParsedInputFor<typeof listUsers>) {
      const { pageNum, pageSize, sortBy, sortOrder = 'desc', roleIds, organizationId, ids, ...filter } = input
      const matching = queries.usersMatching(actor, {
        ...filter,
        roleIds: roleIds?.map(idNumber),
        ids: ids?.map(idNumber),
        organizationId: organizationId === undefined ? undefined : idNumber(organizationId),
      })
      const [rows, total] = await Promise.all([
        queries.listUsers(db, matching, pageOf({ pageNum, pageSize }), sortBy && sortOrder),
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

    /** For pickers: users of the caller's organization and of those under it; for SYSTEM everyone. */
    listPhoneUsers: (actor: Actor) =>
      queries.listPhoneUsers(db, actor.isSystem ? null : actor.organizationId),

    /**
     * The user's data permissions are saved in the same transaction: those asked for, or else the caller's own. Refuses
     * 403 `cannotGrant` for a role with more than the caller has, 409 `loginNameTaken`, 400 for an unknown role, type
     * or organization (one outside the caller's tree is unknown) and for role 1, and the errors of `permitNewUser`.
     */
    async insertUser(actor: Actor, input: ParsedInputFor<typeof insertUser>): Promise<{ id: number }> {
      const { loginName, password, mustChangePassword = false } = input
      const { userName, phone, type, isEnabled = true } = input
      const roleIds = input.roleIds.map(idNumber)
      // Hashing takes long, so it is done before the transaction has locked anything.
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
        await queries.noteSetter(trx, id, actor.userId, 'signsIn')
        const permitted = await permissions.permitNewUser(trx, caller, id, input.authorityEntities)
        const after = {
          ...{ loginName, userName, phone, type, isEnabled, mustChangePassword, ...names },
          ...permitted,
        }
        await recordOperation(trx, actor, { target: targetOf({ loginName }), changes: { after } })
        return { id }
      })
    },

    /**
     * The whole form, or `isEnabled` alone. A user who is disabled is signed out everywhere. Refuses what
     * `userOf` and `insertUser` do, `conflict`, 403 `ownAccountKept` for disabling oneself, and 409
     * `lastSystemUser`.
     */
    async updateUser(actor: Actor, input: UserChange): Promise<void> {
      const { version } = input
      await changing(db, actor, { ...userOf(actor, input.id), version }, async (trx, before) => {
        const { isEnabled = before.isEnabled } = input
        if (before.isEnabled && !isEnabled) {
          if (actor.userId === before.id) refuse('ownAccountKept')
          await keepOneSystemUser(trx, before.target)
          await sessions.endSessionsOf(trx, before.id)
        }
        const form = formOf(input, before)
        const shown = form ? await applyForm(trx, actor, before, form) : {}
        await queries.updateUser(trx, before.id, { ...form, isEnabled })
        return differenceOf(shownOf(before), { ...shown, isEnabled })
      })
    },

    /**
     * The user may do everything from the next call on. Refuses what `userOf` does, 403 `notPermitted` where the caller
     * has lost SYSTEM meanwhile, 409 `alreadySystem`, and 409 `userDisabled`.
     */
    async grantSystem(actor: Actor, { id }: ParsedInputFor<typeof grantSystem>): Promise<void> {
      await changing(db, actor, userOf(actor, id), async (trx, before) => {
        if (!before.caller.isSystem) refuse('notPermitted')
        if (before.roleIds.includes(systemRoleId)) refuse('alreadySystem')
        if (!before.isEnabled) refuse('userDisabled')
        await queries.giveSystemRole(trx, before.id)
        await queries.noteSetter(trx, before.id, actor.userId, 'roles')
        return rolesChanged(before, (await queries.readUser(trx, before.id)).roleNames)
      })
    },

    /**
     * The user keeps the other roles, from the next call on. Refuses what `userOf` does (user 1 keeps it), 403
     * `ownSystemKept`, 409 `notSystem`, and 409 `lastSystemUser`.
     */
    async revokeSystem(actor: Actor, { id }: ParsedInputFor<typeof revokeSystem>): Promise<void> {
      await changing(db, actor, userOf(actor, id), async (trx, before) => {
        if (!before.caller.isSystem) refuse('notPermitted')
        if (actor.userId === before.id) refuse('ownSystemKept')
        if (!before.roleIds.includes(systemRoleId)) refuse('notSystem')
        await keepOneSystemUser(trx, before.target)
        await queries.takeSystemRole(trx, before.id)
        return rolesChanged(before, (await queries.readUser(trx, before.id)).roleNames)
      })
    },

    /** The user's sessions end (50012). Refuses what `userOf` does, `ownAccountKept` and `lastSystemUser`. */
    async deleteUser(actor: Actor, { id }: ParsedInputFor<typeof deleteUser>): Promise<void> {
      await changing(db, actor, userOf(actor, id), async (trx, before) => {
        if (actor.userId === before.id) refuse('ownAccountKept')
        await keepOneSystemUser(trx, before.target)
        await keepLastReach(trx, before.id)
        await queries.deleteUser(trx, before.id)
        return { before: shownOf(before) }
      })
    },

    /**
     * Returns a random password, which is kept nowhere and must be changed at the next sign-in. Refuses what
     * `userOf` does, and 403 `ownPasswordByOld`.
     */
    async resetUserPassword(actor: Actor, { id }: ParsedInputFor<typeof resetUserPassword>) {
      const password = randomPassword()
      const passwordHash = await hashPassword(password)
      const user = await changing(db, actor, userOf(actor, id), async (trx, before) => {
        // An unattended browser alone must not suffice to take over the account: that needs the old password.
        if (actor.userId === before.id) refuse('ownPasswordByOld')
        await queries.replacePassword(trx, before.id, passwordHash)
        await queries.noteSetter(trx, before.id, actor.userId, 'signsIn')
        await sessions.endSessionsOf(trx, before.id)
        return undefined
      })
      return { id: user.id, loginName: user.loginName, password }
    },

    /** The own: nobody sets another's. */
    saveLanguage: ({ userId }: Actor, { language }: ParsedInputFor<typeof saveLanguage>): Promise<void> =>
      queries.saveLanguage(db, userId, language),
  }
}

const rolesChanged = (before: queries.UserRow, roles: string[]) => ({
  before: { roles: before.roleNames },
  after: { roles },
})

type LockedUser = queries.UserRow & Managed

/**
 * A user whom the caller may manage: `lockManaged` says who that is (404 `userNotFound`, 403 `holdsMore`). User 1
 * is nobody's to change (403 `firstUserFixed`).
 */
const userOf = (actor: Actor, id: string): Subject<LockedUser> => ({
  async lock(trx) {
    const managed = await lockManaged(trx, actor, idNumber(id))
    const { userId } = managed.target
    if (userId === firstUserId) refuse('firstUserFixed')
    return { ...(await queries.readUser(trx, userId)), ...managed }
  },
  notFound: 'userNotFound',
  target: targetOf,
})

/** The form of a change, the organization as before where absent; null for `isEnabled` alone. */
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

const targetOf = ({ loginName }: { loginName: string }) => `用户 ${loginName}`

/** As the operation log shows a user: names in place of ids. */
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
