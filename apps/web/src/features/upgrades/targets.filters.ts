import { listUpgradeTargets } from '@voltkeep/contract/upgrades'
import * as z from 'zod/mini'
import { useUrlState } from '../../lib/urlState.ts'

/** Targets of the task that the page is about: the address says which one by itself. */
export const targetsOfTask = {
  ...listUpgradeTargets,
  input: z.omit(listUpgradeTargets.input, { taskId: true }),
}

/** Shows other targets in the list, as a link would. */
export function useTargetFilters() {
  const [, setFilters] = useUrlState(targetsOfTask.input)
  return { show: (filters: { states?: readonly string[]; reason?: string }) => setFilters(filters) }
}
