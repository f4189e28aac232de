import { listRemoteActions } from '@voltkeep/contract/actions'
import { countApprovals, listApprovals } from '@voltkeep/contract/approvals'
import { listParameterBatches } from '@voltkeep/contract/parameterBatches'
import { listTasks } from '@voltkeep/contract/tasks'
import { listUpgradeTasks } from '@voltkeep/contract/upgrades'

/** What a decision makes stale, whatever the deed is. */
export const stale = [
  listApprovals,
  countApprovals,
  listTasks,
  listRemoteActions,
  listParameterBatches,
  listUpgradeTasks,
] as const
