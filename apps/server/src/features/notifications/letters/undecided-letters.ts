// Asks once more about letters that are about to leave.
import { describeStop } from '@voltkeep/contract'
import type { DataScope } from '../../../domain/access/data-scope.ts'
import { standingScope } from '../../../domain/access/deciders.ts'
import type { Trx } from '../../../platform/database/database.ts'
import * as queries from './letters.queries.ts'

/**
 * Before an attempt: gives a letter up whose people may not decide any more, or see other devices than it was written
 * about. Returns whether it did.
 */
export async function giveUpUndecided(trx: Trx, deliveryId: string): Promise<boolean> {
  const decision = await queries.readDecision(trx, deliveryId)
  if (!decision) return false
  const { scope, stopped } = await standingScope(trx, decision.deciders)
  if (scope && isSame(scope, decision.scope)) return false
  await queries.giveUp(trx, deliveryId, stopped ? describeStop(stopped) : '相关人员的数据权限已变化')
  await queries.forgetFile(trx, deliveryId)
  return true
}

const isSame = (one: DataScope, other: DataScope) =>
  JSON.stringify([one.operatorIds, one.equipTypeIds, one.regionIds]) ===
  JSON.stringify([other.operatorIds, other.equipTypeIds, other.regionIds])
