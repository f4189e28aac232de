import { useNavigate } from '@tanstack/react-router'
import { id } from '@voltkeep/contract/fields'
import * as z from 'zod/mini'
import type { Opening } from '../../ui/useWalk.ts'

/** The component key of the page of batches. */
export const batchPage = 'maintenance/batchsetting'

export const BatchSearch = z.object({
  /** The batch that is watched; without it the list of all. */
  batch: z.optional(id()),
  /** Of the batch: its devices, or its log. */
  tab: z._default(z.enum(['devices', 'log']), 'devices'),
})
export type BatchTab = z.output<typeof BatchSearch>['tab']

/** Goes to a batch's own address. The way back leads to the list as it was. */
export function useOpenBatch(): (batch: string, tab?: BatchTab, opening?: Opening) => void {
  const navigate = useNavigate()
  // The search is replaced altogether: filters of the one list are none of the other.
  return (batch, tab = 'devices', opening) =>
    void navigate({ to: '.', search: { batch, ...(tab !== 'devices' && { tab }) } as never, ...opening })
}
