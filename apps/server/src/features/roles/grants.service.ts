import type { Actor } from '../../platform/access/actor.ts'
import { systemRoleId } from '../../platform/access/first-user.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { refuse, refuseInput } from '../../platform/refusal.ts'
import * as queries from './grants.queries.ts'

/**
 * Whether a role code would mean SYSTEM to a person who reads it: in any case, with blanks or with letters
 * of another width. Only the very word means it to the server.
 */
export function looksLikeSystem(code: string): boolean {
  return (
    code
      .normalize('NFKC')
      .replace(/[\s\p{C}]/gu, '')
      .toUpperCase() === 'SYSTEM'
  )
}

/** Every function code the user holds, as of this transaction; all of them where he is SYSTEM. */
export async function functionCodesOf(trx: Db, userId: number): Promise<ReadonlySet<string>> {
  return new Set((await queries.readGrants(trx, userId)).functionCodes)
}

/**
 * Refuses to hand out roles that hold what the actor does not hold himself (403 `cannotGrant`), and role 1
 * whoever asks (400 on `roleIds`). What he holds is read again here, not taken from the start of the call,
 * and stays as it is until the transaction ends. Roles that do not exist are not this function's business.
 */
export async function assertGrantable(trx: Trx, actor: Actor, roleIds: readonly number[]): Promise<void> {
  await queries.shareGrants(trx)
  const grants = await queries.readGrants(trx, actor.userId)
  if (!grants.isSystem && (await queries.listRolesBeyond(trx, roleIds, grants)).length > 0) {
    refuse('cannotGrant')
  }
  if (roleIds.includes(systemRoleId)) refuseInput({ field: 'roleIds', message: '系统管理员角色不能分配' })
}

/** Refuses menus that would give a role what the actor does not hold, or pages that he does not see. */
export async function assertGrantableMenus(
  trx: Trx,
  grants: queries.Grants,
  menuIds: readonly number[],
): Promise<void> {
  if (grants.isSystem) return
  if ((await queries.listMenusBeyond(trx, menuIds, grants)).length > 0) refuse('cannotGrant')
}

/**
 * Refuses (403) where the actor may not change what these roles mean: he does not hold all that they hold,
 * or somebody outside his organization and those under it holds them. SYSTEM may change all but role 1,
 * which the caller looks after.
 */
export async function assertChangeable(trx: Trx, actor: Actor, roleIds: readonly number[]): Promise<void> {
  const grants = await queries.readGrants(trx, actor.userId)
  if (grants.isSystem) return
  const beyond = await queries.listRolesOutOfReach(trx, roleIds, grants, actor.organizationId)
  if (beyond.length > 0) refuse('cannotChangeRole')
}

/**
 * For the time of a transaction that changes what roles or menus mean: answers what the actor holds as of
 * now, and keeps it, and everybody's, as it is.
 */
export async function holdGrants(trx: Trx, actor: Actor): Promise<queries.Grants> {
  await queries.lockGrants(trx)
  return queries.readGrants(trx, actor.userId)
}
