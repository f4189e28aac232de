import type { DataScope } from '../../domain/access/data-scope.ts'
import { refuse } from '../../platform/calls/refusal.ts'

/**
 * An operator that gets another organization, or an organization another parent, shows its devices to other users.
 * So a user who does not see every device of these operators is refused (403 `cannotGrant`).
 */
export function assertSeesWhole(scope: DataScope, operatorIds: readonly number[]): void {
  const isNarrowed = scope.equipTypeIds !== null || scope.regionIds !== null
  const sees = (id: number) => scope.operatorIds === null || scope.operatorIds.includes(id)
  if (operatorIds.length > 0 && (isNarrowed || !operatorIds.every(sees))) refuse('cannotGrant')
}
