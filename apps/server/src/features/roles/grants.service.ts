import type { Actor } from '../../platform/access/actor.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { refuse, refuseInput } from '../../platform/refusal.ts'
import * as queries from './grants.queries.ts'

/** The role of the first administrator: nobody is given it, and nothing about it changes. */
export const systemRoleId = 1

/** Every function code the user holds, as of this transaction; all of them where he is SYSTEM. */
export async function functionCodesOf(trx: Db, userId: number): Promise<ReadonlySet<string>> {
  return new Set((await queries.readHoldings(trx, userId)).functionCodes)
}

/**
 * Refuses to hand out roles that hold what the actor does not hold himself (403 `cannotGrant`), and role 1
 * whoever asks (400 on `roleIds`). What he holds is read again here, not taken from the start of the call,
 * and stays as it is until the transaction ends. Roles that do not exist are not this function's business.
 */
export async function assertGrantable(trx: Trx, actor: Actor, roleIds: readonly number[]): Promise<void> {
  await queries.shareGrants(trx)
  const { isSystem, functionCodes } = await queries.readHoldings(trx, actor.userId)
  if (!isSystem && (await queries.listRolesBeyond(trx, roleIds, functionCodes)).length > 0) {
    refuse('cannotGrant')
  }
  if (roleIds.includes(systemRoleId)) refuseInput({ field: 'roleIds', message: '系统管理员角色不能分配' })
}
