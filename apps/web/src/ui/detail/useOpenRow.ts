import { dateTime, id } from '@voltkeep/contract/fields'
import * as z from 'zod/mini'
import { useUrlState } from '../../lib/urlState.ts'

const OpenSearch = z.object({
  /** The row shown beside the list. */
  open: z.optional(id()),
  /** Its time, which spares the server a search over all months. */
  at: z.optional(dateTime('时间')),
})

export interface OpenRow {
  id: string | undefined
  at: string | undefined
  open(id: string, at?: string): void
  close(): void
}

/** Which row is open, in the address: a link shows it too, and 'back' closes it. */
export function useOpenRow(): OpenRow {
  const [{ open: openId, at }, setState] = useUrlState(OpenSearch)
  return {
    id: openId,
    at,
    // A step from one row to the next is not one to go back over.
    open: (next, nextAt) => setState({ open: next, at: nextAt }, { replace: openId !== undefined }),
    close: () => setState({}),
  }
}
