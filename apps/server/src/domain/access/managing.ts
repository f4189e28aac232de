import { sql } from 'kysely'
import type { Actor } from '../../platform/calls/actor.ts'
import { refuse } from '../../platform/calls/refusal.ts'
import type { Trx } from '../../platform/database/database.ts'
import { type Holdings, holdsAllOf, readHoldings } from './holdings.ts'
import { isInOwnTree } from './organization-tree.ts'

/** What the caller and the managed user have, locked until the transaction ends. */
export interface Managed {
  caller: Holdings
  target: Holdings
}

/**
 * For every write of one user about another: locks both, and reads what they have inside the transaction.
 *
 * Refuses 404 `userNotFound` for a user outside the caller's organizations, and 403 `holdsMore` for one who has more
 * than the caller (functions, SYSTEM, a wider data scope): to reset a user's password or change the user's roles is
 * to be able to act as that user. Refuses `sessionEnded` where the caller has been deleted.
 */
export async function lockManaged(trx: Trx, actor: Actor, userId: number): Promise<Managed> {
  const found = await lockUsers(trx, [actor.userId, userId])
  const caller = found.get(actor.userId) ?? refuse('sessionEnded')
  const target = found.get(userId)
  // A key is no account: it is its maker's, and has a page of its own.
  if (!target || target.makerId !== null || !(await isInOwnTree(trx, caller, target.organizationId)))
    return refuse('userNotFound')
  if (!holdsAllOf(caller, target)) refuse('holdsMore')
  return { caller, target }
}

/** What the caller has, locked until the transaction ends. Refuses `sessionEnded` where the caller has been deleted. */
export async function lockCaller(trx: Trx, actor: Actor): Promise<Holdings> {
  return (await lockUsers(trx, [actor.userId])).get(actor.userId) ?? refuse('sessionEnded')
}

/** In the order of ids, or two users who manage each other at the same time could deadlock. */
async function lockUsers(trx: Trx, ids: readonly number[]): Promise<Map<number, Holdings>> {
  await sql`SELECT FROM app_user WHERE id = ANY(${ids}::int[]) ORDER BY id FOR NO KEY UPDATE`.execute(trx)
  return readHoldings(trx, ids)
}
