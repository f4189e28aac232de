import { useNavigate } from '@tanstack/react-router'
import { id } from '@voltkeep/contract/fields'
import * as z from 'zod/mini'
import { type Opening, openedBeside } from '../../ui/detail/useWalk.ts'

/** The component key of the page of handovers. */
export const handoverPage = 'maintenance/handover'

export const HandoverSearch = z.object({
  /** The open one; absent for the list. */
  shift: z.optional(id()),
})

/** Opens a handover; going back returns to the list in its former state. */
export function useOpenHandover(): (shift: string, opening?: Opening) => void {
  const navigate = useNavigate()
  // The search is replaced as a whole, since filters of the list do not apply to one of its rows.
  return (shift, opening = openedBeside('shift')) =>
    void navigate({ to: '.', search: { shift } as never, ...opening })
}
