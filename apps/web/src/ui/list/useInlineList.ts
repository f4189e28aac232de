import { useQuery } from '@tanstack/react-query'
import type { Endpoint, InputFor, OutputOf, Schema } from '@voltkeep/contract/endpoint'
import type { LiveNoun } from '@voltkeep/contract/live'
import { useMemo, useState } from 'react'
import { reading } from '../../lib/wire/reading.ts'
import { type List, type PageEndpoint, useList } from './useList.ts'
import { type LiveList, type LiveListOptions, useLiveList } from './useLiveList.ts'

/** The state of a list within a page, whichever way it is read. */
export interface InlineSource<Filters> {
  filters: Filters
  /** A filter of the row above the list is in effect. */
  isFiltered: boolean
  /** Changes some filters, and leaves the others. */
  narrow(changed: Record<string, unknown>): void
  paging: Pick<
    List,
    'total' | 'pageNum' | 'pageSize' | 'isFirst' | 'isStale' | 'error' | 'turn' | 'reset' | 'retry'
  >
}

type Narrowing = Record<string, unknown>

const isNarrowed = ({ pageNum: _page, pageSize: _size, ...filters }: Narrowing) =>
  Object.values(filters).some((value) => value !== undefined)

/**
 * A list of the rows that belong to one object, its filters in the page's address. `owner` is the input that identifies
 * the object.
 */
export function useInlineList<I extends Schema, Row extends Schema>(
  endpoint: PageEndpoint<I, Row>,
  owner: Readonly<Record<string, string>>,
): InlineSource<OutputOf<I>> & { list: List<I, OutputOf<Row>> } {
  const read = useList(endpoint, { fixed: owner })
  // The live stream queries rows by the filters, and a row belongs to its owner.
  const filters = useMemo(() => ({ ...read.filters, ...owner }), [read.filters, owner])
  return {
    filters: read.filters,
    isFiltered: isNarrowed(read.filters),
    narrow: (changed) => read.apply({ ...read.filters, ...changed }),
    paging: read,
    list: { ...read, filters },
  }
}

/** The rows of an inline list as the live stream changes them, even when they no longer pass the filter. */
export function useInlineLive<I extends Schema, Row extends { id: string }>(
  list: List<I, Row>,
  owner: Readonly<Record<string, string>>,
  live: LiveNoun & { list: Endpoint },
  options: Omit<LiveListOptions<Row>, 'anyState'>,
): LiveList<Row> {
  return useLiveList(
    list,
    live,
    useMemo(() => ({ ...options, anyState: owner }), [options, owner]),
  )
}

/** The same where the address belongs to another list: in a panel beside it. */
export function usePanelList<I extends Schema, Row extends Schema>(
  endpoint: PageEndpoint<I, Row>,
  owner: Readonly<Record<string, string>>,
): InlineSource<Partial<OutputOf<I>>> & { rows: readonly OutputOf<Row>[] } {
  const first = { pageNum: 1, pageSize: 10 }
  const [filters, setFilters] = useState<Narrowing & typeof first>(first)
  const query = useQuery({
    ...reading(endpoint, { ...filters, ...owner } as InputFor<typeof endpoint>),
    retry: false,
    meta: { isQuiet: true },
  })
  const answer = query.data as { rows: readonly OutputOf<Row>[]; total: number } | undefined
  return {
    rows: answer?.rows ?? [],
    filters: filters as unknown as Partial<OutputOf<I>>,
    isFiltered: isNarrowed(filters),
    narrow: (changed) => setFilters({ ...filters, ...changed, pageNum: 1 }),
    paging: {
      total: answer?.total ?? 0,
      pageNum: filters.pageNum,
      pageSize: filters.pageSize,
      isFirst: query.isPending,
      isStale: query.isPlaceholderData,
      error: query.error,
      turn: (pageNum, pageSize) => setFilters({ ...filters, pageNum, pageSize }),
      reset: () => setFilters(first),
      retry: () => void query.refetch(),
    },
  }
}
