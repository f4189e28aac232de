import { useQuery } from '@tanstack/react-query'
import type { Endpoint, InputFor, OutputOf, Schema } from '@voltkeep/contract/endpoint'
import { useMemo } from 'react'
import { useUrlState } from '../../lib/urlState.ts'
import type { CallError } from '../../lib/wire/call.ts'
import { withoutEmpty } from '../../lib/wire/outgoing.ts'
import { reading } from '../../lib/wire/reading.ts'
import type { List } from './useList.ts'

export interface WholeListOptions<Filters extends Schema, Row> {
  /** The filters in the address; they are applied here, not by the server. */
  filters: Filters
  /** Whether a row passes; called only where a filter is set. Keep it outside the component. */
  matches: (row: Row, filters: OutputOf<Filters>) => boolean
}

/** A list that the server answers whole, as a `ListPage` shows it: a few dozen rows, no pager. */
export function useWholeList<Filters extends Schema, Row>(
  endpoint: Endpoint<Schema, { kind: 'one'; schema: Schema<Row[]> }>,
  { filters: schema, matches }: WholeListOptions<Filters, Row>,
): List<Filters, Row> {
  const [filters, setFilters] = useUrlState(schema)
  const query = useQuery({
    ...reading(endpoint, {} as InputFor<typeof endpoint>),
    retry: false,
    // Shown in the list.
    meta: { isQuiet: true },
  })
  const all = query.data as readonly Row[] | undefined
  const filterCount = Object.keys(withoutEmpty(filters as object)).length
  const rows = useMemo(
    () => (filterCount > 0 ? all?.filter((row) => matches(row, filters)) : all) ?? [],
    [all, filterCount, filters, matches],
  )
  return {
    name: endpoint.path as `/${string}`,
    schema,
    rows,
    total: rows.length,
    isWhole: true,
    pageNum: 1,
    pageSize: 10,
    filters: filters as List<Filters>['filters'],
    cleared: {},
    filterCount,
    isFirst: query.isPending,
    isStale: false,
    isFetching: query.isFetching,
    readAtMs: query.dataUpdatedAt,
    error: query.error as CallError | null,
    apply: (next) => setFilters(next),
    reset: () => setFilters({}),
    turn: () => undefined,
    retry: () => void query.refetch(),
  }
}

/** Whether one of the texts contains the typed one, in either case; an empty one is in every text. */
export function contains(typed: string | undefined, ...texts: readonly string[]): boolean {
  const wanted = typed?.toLowerCase()
  return wanted === undefined || texts.some((text) => text.toLowerCase().includes(wanted))
}
