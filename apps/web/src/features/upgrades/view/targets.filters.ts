import { listUpgradeTargets } from '@voltkeep/contract/upgrades'
import * as z from 'zod/mini'

/** The targets call for the open task. The address contains the task, so it is not one of the filters. */
export const targetsOfTask = {
  ...listUpgradeTargets,
  input: z.omit(listUpgradeTargets.input, { taskId: true }),
}
