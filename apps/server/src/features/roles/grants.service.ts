import { systemRoleId } from '../../domain/access/accounts/first-user.ts'
import { systemRoleCode } from '../../domain/access/granted.ts'
import { readReaches } from '../../domain/access/holdings.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import { refuse, refuseInput } from '../../platform/calls/refusal.ts'
import type { Trx } from '../../platform/database/database.ts'
import * as queries from './grants.queries.ts'

/**
 * Whether a person would read a role code as SYSTEM: in either case, with blanks or with letters of another width.
 * To the server only the exact word means it.
 */
export function looksLikeSystem(code: string): boolean {
  return (
    code
      .normalize('NFKC')
      .replace(/[\s\p{C}]/gu, '')
      .toUpperCase() === systemRoleCode
  )
}

/**
 * Refuses to give away roles with more than the actor has (403 `cannotGrant`), and role 1 whoever the actor is (400
 * on `roleIds`). What the actor has is read inside the transaction and locked until its end. Ids of no role are
 * ignored.
 */
export async function assertGrantable(trx: Trx, actor: Actor, roleIds: readonly number[]): Promise<void> {
  await queries.shareGrants(trx)
  const grants = await queries.readGrants(trx, actor.userId)
  if (!grants.isSystem && (await queries.listRolesBeyond(trx, roleIds, grants)).length > 0) {
    refuse('cannotGrant')
  }
  if (roleIds.includes(systemRoleId)) refuseInput({ field: 'roleIds', message: '系统管理员角色不能分配' })
}

/** Refuses (403 `cannotGrant`) menus with a function that the actor lacks, and pages that the actor does not see. */
export async function assertGrantableMenus(
  trx: Trx,
  grants: queries.Grants,
  menuIds: readonly number[],
): Promise<void> {
  if (grants.isSystem) return
  if ((await queries.listMenusBeyond(trx, menuIds, grants)).length > 0) refuse('cannotGrant')
}

/**
 * Refuses (403 `cannotChangeRole`) where the actor may not change what these roles mean: a role has more than the
 * actor, or a user has it who is outside the actor's organization and those under it, or whose data permissions are wider
 * than the actor's. SYSTEM may change every role; `lockRole` decides about role 1.
 */
export async function assertChangeable(trx: Trx, actor: Actor, roleIds: readonly number[]): Promise<void> {
  const grants = await queries.readGrants(trx, actor.userId)
  if (grants.isSystem) return
  const reach = (await readReaches(trx, [actor.userId])).get(actor.userId) ?? refuse('sessionEnded')
  const beyond = await queries.listRolesOutOfReach(trx, roleIds, grants, reach)
  if (beyond.length > 0) refuse('cannotChangeRole')
}

/**
 * For a transaction that changes what roles or menus mean: locks the grants of all users until its end, and returns
 * those of the actor.
 */
export async function lockGrants(trx: Trx, actor: Actor): Promise<queries.Grants> {
  await queries.lockGrants(trx)
  return queries.readGrants(trx, actor.userId)
}
