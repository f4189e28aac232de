// The state of a list: filters and page from the address, rows from the server.
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { Endpoint, InputFor, OutputOf, Schema } from '@voltkeep/contract/endpoint'
import { useMemo, useState } from 'react'
import { narrowQuery } from '../../lib/browser/media.ts'
import { usePreference } from '../../lib/preferences.ts'
import { readLeniently } from '../../lib/schemaInput.ts'
import { type RawSearch, useUrlState } from '../../lib/urlState.ts'
import type { CallError } from '../../lib/wire/call.ts'
import { withoutEmpty } from '../../lib/wire/outgoing.ts'
import { reading } from '../../lib/wire/reading.ts'
import { fittingSize, type PageSize } from './table/fittingSize.ts'
import { useRowPx } from './table/useRowPx.ts'

export type PageEndpoint<I extends Schema = Schema, Row extends Schema = Schema> = Endpoint<
  I,
  { kind: 'page'; row: Row }
>

export interface ListOptions {
  /** Input that the page itself sets and the address does not show. */
  fixed?: Record<string, unknown>
  /** False while the list is not in sight, e.g. another tab's. */
  isEnabled?: boolean
  /**
   * The values that the server assumes where the address has none of these fields, e.g. the last 30 days; the form
   * shows them. They stay out of the address, so that a link kept for a week still means the last 30 days. Keep it in a
   * constant or a memo.
   */
  assumed?: Record<string, unknown>
}

const nothingAssumed = {}
const noRows: readonly never[] = []

/** A paged endpoint with its filters in the address, as a `ListPage` shows it. */
export interface List<I extends Schema = Schema, Row = unknown> {
  /** The key of the reader's choices for this list: the path of its call. */
  name?: `/${string}`
  schema: I
  rows: readonly Row[]
  total: number
  /** Everything is on one page: there is no pager. */
  isWhole?: boolean
  pageNum: number
  pageSize: number
  /** The filters as applied, as the schema reads the address. */
  filters: OutputOf<I> & Record<string, unknown>
  /** The filters after 重置. */
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
  const name = endpoint.path as `/${string}`
  const [chosenSize, chooseSize] = usePreference(`pageSize:${name}`)
  const fitting = useFittingSize()
  const { pageSize: givenSize } = useSearch({ strict: false }) as RawSearch
  const filters = useMemo(() => {
    const given = { ...(state as List<I>['filters']) }
    if (givenSize === undefined) Object.assign(given, { pageSize: chosenSize ?? fitting })
    return Object.keys(assumed).some((field) => given[field] !== undefined) ? given : { ...given, ...assumed }
  }, [state, assumed, givenSize, chosenSize, fitting])
  const { pageNum = 1, pageSize = 10 } = filters as { pageNum?: number; pageSize?: number }
  /** In the address only where a link has put it there; otherwise it is the reader's choice. */
  const kept = givenSize === undefined ? {} : { pageSize: givenSize }
  const query = useQuery({
    ...reading(endpoint, { ...filters, ...fixed } as InputFor<typeof endpoint>),
    enabled: isEnabled,
    // A page that failed once is shown as failed; the user retries.
    retry: false,
    // The list itself shows the failure, and offers to try again.
    meta: { isQuiet: true },
  })
  const answer = query.data as { rows: readonly OutputOf<Row>[]; total: number } | undefined
  // The order does not narrow the list.
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
    name,
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
      setState({ ...unassumed(next, assumed), pageSize: undefined, ...kept, pageNum: 1 })
      // A second press of 查询 queries again.
      if (isSame) void query.refetch()
    },
    reset() {
      setState(kept)
    },
    turn(nextPage, nextSize) {
      const isSameSize = nextSize === pageSize
      if (!isSameSize) chooseSize(nextSize as PageSize)
      setState({
        ...unassumed(filters, assumed),
        pageSize: undefined,
        ...(isSameSize ? kept : {}),
        pageNum: isSameSize ? nextPage : 1,
      })
    },
    retry() {
      void query.refetch()
    },
  }
}

/** Without the assumed fields, where they have the assumed values. */
function unassumed(values: Record<string, unknown>, assumed: Record<string, unknown>) {
  const names = Object.keys(assumed)
  if (!names.every((name) => values[name] === assumed[name])) return values
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))
}

/** As many rows as fill the window when the page came: a window that changes does not turn pages. */
function useFittingSize(): PageSize {
  const [{ heightPx, hasCards }] = useState(() => ({
    heightPx: window.innerHeight,
    hasCards: window.matchMedia(narrowQuery).matches,
  }))
  const rowPx = useRowPx()
  return fittingSize(heightPx, { rowPx, hasCards })
}
