// Asks once more about letters that are about to leave.
import { describeStop } from '@voltkeep/contract'
import type { DataScope } from '../../../domain/access/data-scope.ts'
import { standingScope } from '../../../domain/access/deciders.ts'
import type { Trx } from '../../../platform/database/database.ts'
import * as queries from './letters.queries.ts'

/**
 * Before an attempt: gives a letter up whose people may not decide any more, or do not see all any more that it was written
 * about. What they see besides by now is in the next one. Returns whether it did.
 */
export async function giveUpUndecided(trx: Trx, deliveryId: string): Promise<boolean> {
  const decision = await queries.readDecision(trx, deliveryId)
  if (!decision) return false
  const { scope, stopped } = await standingScope(trx, decision.deciders)
  if (scope && isInside(decision.scope, scope)) return false
  await queries.giveUp(trx, deliveryId, stopped ? describeStop(stopped) : '相关人员的数据权限已变化')
  await queries.forgetFile(trx, deliveryId)
  return true
}

const isInside = (kept: DataScope, present: DataScope) =>
  isPart(kept.operatorIds, present.operatorIds) &&
  isPart(kept.equipTypeIds, present.equipTypeIds) &&
  isPart(kept.regionIds, present.regionIds)

function isPart(kept: readonly number[] | null, present: readonly number[] | null): boolean {
  if (present === null) return true
  const seen = new Set(present)
  return kept?.every((id) => seen.has(id)) ?? false
}
