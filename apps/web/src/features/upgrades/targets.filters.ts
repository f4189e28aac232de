import { listUpgradeTargets } from '@voltkeep/contract/upgrades'
import * as z from 'zod/mini'
import { useUrlState } from '../../lib/urlState.ts'

/** The targets call for the open task. The address contains the task, so it is not one of the filters. */
export const targetsOfTask = {
  ...listUpgradeTargets,
  input: z.omit(listUpgradeTargets.input, { taskId: true }),
}

/** Changes the filters of the list, as a link would. */
export function useTargetFilters() {
  const [, setFilters] = useUrlState(targetsOfTask.input)
  return { show: (filters: { states?: readonly string[]; reason?: string }) => setFilters(filters) }
}
