import { useQuery } from '@tanstack/react-query'
import type { Endpoint, InputFor, OutputOf, Schema } from '@voltkeep/contract/endpoint'
import { useMemo } from 'react'
import { readLeniently } from '../../lib/schemaInput.ts'
import { useUrlState } from '../../lib/urlState.ts'
import type { CallError } from '../../lib/wire/call.ts'
import { withoutEmpty } from '../../lib/wire/outgoing.ts'
import { reading } from '../../lib/wire/reading.ts'

export type PageEndpoint<I extends Schema = Schema, Row extends Schema = Schema> = Endpoint<
  I,
  { kind: 'page'; row: Row }
>

export interface ListOptions {
  /** Input that the page itself decides and the address does not show. */
  fixed?: Record<string, unknown>
  /** False while the list is not in sight, e.g. another tab's. */
  isEnabled?: boolean
  /**
   * What the server takes where the address has none of these fields, e.g. the last 30 days; the form
   * shows it. It stays out of the address, so that a link kept for a week still means the last 30 days.
   * Keep it in a constant or a memo.
   */
  assumed?: Record<string, unknown>
}

const nothingAssumed = {}
const noRows: readonly never[] = []

/** A paged endpoint with its filters in the address: what a `ListPage` shows. */
export interface List<I extends Schema = Schema, Row = unknown> {
  schema: I
  rows: readonly Row[]
  total: number
  /** Everything is on one page: there is no pager. */
  isWhole?: boolean
  pageNum: number
  pageSize: number
  /** The filters as applied, by the schema's understanding of the address. */
  filters: OutputOf<I> & Record<string, unknown>
  /** The filters as 重置 leaves them. */
  cleared: Record<string, unknown>
  /** How many filters narrow the list. */
  filterCount: number
  /** Nothing was read yet. */
  isFirst: boolean
  /** The rows are those of the former page or filters. */
  isStale: boolean
  isFetching: boolean
  /** When the rows came, in the browser's milliseconds; 0 before. */
  readAtMs: number
  error: CallError | null
  apply(filters: Record<string, unknown>): void
  reset(): void
  turn(pageNum: number, pageSize: number): void
  retry(): void
}

export function useList<I extends Schema, Row extends Schema>(
  endpoint: PageEndpoint<I, Row>,
  { fixed = {}, isEnabled = true, assumed = nothingAssumed }: ListOptions = {},
): List<I, OutputOf<Row>> {
  const [state, setState] = useUrlState(endpoint.input)
  const filters = useMemo(() => {
    const given = state as List<I>['filters']
    return Object.keys(assumed).some((name) => given[name] !== undefined) ? given : { ...given, ...assumed }
  }, [state, assumed])
  const { pageNum = 1, pageSize = 10 } = filters as { pageNum?: number; pageSize?: number }
  const query = useQuery({
    ...reading(endpoint, { ...filters, ...fixed } as InputFor<typeof endpoint>),
    enabled: isEnabled,
    // A page that failed once is shown as failed; the user retries.
    retry: false,
  })
  const answer = query.data as { rows: readonly OutputOf<Row>[]; total: number } | undefined
  // The order narrows nothing.
  const {
    pageNum: _page,
    pageSize: _size,
    sortBy: _by,
    sortOrder: _order,
    ...narrowing
  } = withoutEmpty(filters)
  const {
    pageNum: _p,
    pageSize: _s,
    ...defaults
  } = withoutEmpty(readLeniently(endpoint.input, {}) as Record<string, unknown>)
  return {
    schema: endpoint.input,
    rows: answer?.rows ?? noRows,
    total: answer?.total ?? 0,
    pageNum,
    pageSize,
    filters,
    cleared: { ...defaults, ...assumed },
    filterCount: new Set(
      Object.entries(narrowing)
        .filter(([name, value]) => defaults[name] !== value && assumed[name] !== value)
        // A range is one field.
        .map(([name]) => (name === 'endTime' ? 'startTime' : name)),
    ).size,
    isFirst: query.isPending,
    isStale: query.isPlaceholderData,
    isFetching: query.isFetching,
    readAtMs: query.dataUpdatedAt,
    error: query.error,
    apply(next) {
      const isSame =
        JSON.stringify(withoutEmpty({ ...next, pageNum, pageSize })) === JSON.stringify(withoutEmpty(filters))
      setState({ ...unassumed(next, assumed), pageNum: 1, pageSize })
      // 查询 pressed again asks again.
      if (isSame) void query.refetch()
    },
    reset() {
      setState({ pageSize })
    },
    turn(nextPage, nextSize) {
      setState({
        ...unassumed(filters, assumed),
        pageNum: nextSize === pageSize ? nextPage : 1,
        pageSize: nextSize,
      })
    },
    retry() {
      void query.refetch()
    },
  }
}

/** Without the assumed fields, where they are just what is assumed. */
function unassumed(values: Record<string, unknown>, assumed: Record<string, unknown>) {
  const names = Object.keys(assumed)
  if (!names.every((name) => values[name] === assumed[name])) return values
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))
}
