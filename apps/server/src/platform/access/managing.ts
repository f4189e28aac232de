import { sql } from 'kysely'
import type { Trx } from '../database/database.ts'
import { refuse } from '../refusal.ts'
import type { Actor } from './actor.ts'
import { type Holdings, holdsAllOf, readHoldings } from './holdings.ts'
import { isInOwnTree } from './organization-tree.ts'

/** Caller and user, as they are until the transaction ends. */
export interface Managed {
  caller: Holdings
  target: Holdings
}

/**
 * For every write that one user makes about another: locks both, and reads anew what they hold.
 *
 * Who is outside the caller's organizations is answered as not existing; who holds more than the caller
 * (functions, SYSTEM, a wider data scope) is not his to manage (403), since whoever resets a password or
 * changes a user's roles can be that user.
 */
export async function lockManaged(trx: Trx, actor: Actor, userId: number): Promise<Managed> {
  const found = await lockUsers(trx, [actor.userId, userId])
  const caller = found.get(actor.userId) ?? refuse('sessionEnded')
  const target = found.get(userId)
  if (!target || !(await isInOwnTree(trx, caller, target.organizationId))) return refuse('userNotFound')
  if (!holdsAllOf(caller, target)) refuse('holdsMore')
  return { caller, target }
}

/** What the caller himself holds, and goes on to hold until the transaction ends. */
export async function lockCaller(trx: Trx, actor: Actor): Promise<Holdings> {
  return (await lockUsers(trx, [actor.userId])).get(actor.userId) ?? refuse('sessionEnded')
}

/** In the order of ids: two who manage each other at once must not wait for one another. */
async function lockUsers(trx: Trx, ids: readonly number[]): Promise<Map<number, Holdings>> {
  await sql`SELECT FROM app_user WHERE id = ANY(${ids}::int[]) ORDER BY id FOR NO KEY UPDATE`.execute(trx)
  return readHoldings(trx, ids)
}
