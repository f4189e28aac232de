import { useQuery } from '@tanstack/react-query'
import { type HistoryState, useLocation } from '@tanstack/react-router'
import type { Endpoint, InputFor } from '@voltkeep/contract/endpoint'
import { parseSearch, type RawSearch } from '../../lib/urlState.ts'
import { reading } from '../../lib/wire/reading.ts'
import { type Steps, stepsFrom } from './steps.tsx'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The ids of the list's page that a detail with a page of its own was opened from. */
    around?: readonly string[]
    /** The address of that list as it was filtered, for the way back. */
    list?: RawSearch
    /** Where the detail belongs to another page than the list: that list's page. */
    from?: { path: string; title: string }
  }
}

/** How the address of such a detail is gone to: what `navigate` takes beside the search. */
export interface Opening {
  state?: true | HistoryState | ((before: HistoryState) => HistoryState)
  replace?: boolean
}

/** Opens a row of the list in sight: the detail walks these rows and leads back to that list, also after a reload. */
export const openedFrom = (rows: readonly { id: string }[]): Opening => ({
  state: { around: rows.map(({ id }) => id), list: parseSearch(location.search) },
})

/**
 * Opens a detail that is not in the list in sight, such as one just created: it leads back to that list; from a detail,
 * whose address has this key, to the list behind it.
 */
export function openedBeside(key: string): Opening {
  const search = parseSearch(location.search)
  return { state: key in search ? ({ list }) => (list ? { list } : {}) : { list: search } }
}

/** As many as a walk from a link knows: the list as it begins. */
const rowsOfLink = 50

/**
 * The steps of a detail that has a page of its own, and so no list in sight: through the rows that it was opened from,
 * or, where a link led to it, through the first rows of its list.
 */
export function useWalk(
  list: Endpoint,
  id: string,
  open: (id: string, opening: Opening) => void,
  measure: string,
): Steps {
  const around = useLocation({ select: ({ state }) => state.around })
  const first = useQuery({
    ...reading(list, { pageSize: rowsOfLink } as InputFor<Endpoint>),
    enabled: around === undefined,
    retry: false,
    // Without it there is no step; what is shown does not need it.
    meta: { isQuiet: true },
  })
  const read = first.data as { rows: readonly { id: string }[] } | undefined
  const rows = around?.map((one) => ({ id: one })) ?? read?.rows ?? []
  // From one to the next is no step to go back over.
  return stepsFrom(rows, id, (row) => open(row.id, { replace: true, state: true }), measure)
}

/** The search of the list that the detail was opened from; empty where a link led to it. */
export const useListBehind = (): RawSearch => useLocation({ select: ({ state }) => state.list }) ?? {}
