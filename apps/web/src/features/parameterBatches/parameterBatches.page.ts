import { useNavigate } from '@tanstack/react-router'
import { id } from '@voltkeep/contract/fields'
import * as z from 'zod/mini'
import { type Opening, openedBeside } from '../../ui/detail/useWalk.ts'

/** The component key of the page of parameter batches. */
export const batchPage = 'maintenance/batchsetting'

export const BatchSearch = z.object({
  /** The open batch; absent for the list. */
  batch: z.optional(id()),
  /** The tab of the open batch: its devices or its log. */
  tab: z._default(z.enum(['devices', 'log']), 'devices'),
})
export type BatchTab = z.output<typeof BatchSearch>['tab']

/** Opens a batch; going back returns to the list in its former state. */
export function useOpenBatch(): (batch: string, tab?: BatchTab, opening?: Opening) => void {
  const navigate = useNavigate()
  // The search is replaced as a whole, since filters of one list do not apply to another.
  return (batch, tab = 'devices', opening = openedBeside('batch')) =>
    void navigate({ to: '.', search: { batch, ...(tab !== 'devices' && { tab }) } as never, ...opening })
}
