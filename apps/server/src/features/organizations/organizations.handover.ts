import type { DataScope } from '../../platform/access/data-scope.ts'
import { refuse } from '../../platform/refusal.ts'

/**
 * An operator that gets another organization, or an organization another parent, shows its devices to other
 * people. So only who sees every device of these operators may move them: nobody grants what he does not hold.
 */
export function assertSeesWhole(scope: DataScope, operatorIds: readonly number[]): void {
  const isNarrowed = scope.equipTypeIds !== null || scope.regionIds !== null
  const sees = (id: number) => scope.operatorIds === null || scope.operatorIds.includes(id)
  if (operatorIds.length > 0 && (isNarrowed || !operatorIds.every(sees))) refuse('cannotGrant')
}
