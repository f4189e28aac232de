// The state of a report: its filters from the address, its figures from the server.
import { useQuery } from '@tanstack/react-query'
import type { InputFor } from '@voltkeep/contract/endpoint'
import { useMemo } from 'react'
import { useShownFirst } from '../../lib/firstShown.ts'
import { useUrlState } from '../../lib/urlState.ts'
import type { AnyEndpoint } from '../../lib/wire/call.ts'
import { withoutEmpty } from '../../lib/wire/outgoing.ts'
import { reading } from '../../lib/wire/reading.ts'
import { useDraft } from '../../ui/list/useDraft.ts'
import { useLastMonth } from '../../ui/list/useLastMonth.ts'

export function useReport<E extends AnyEndpoint>(endpoint: E) {
  const [state, setState] = useUrlState(endpoint.input)
  const lastMonth = useLastMonth()
  const given = state as Record<string, unknown>
  const filters = useMemo<Record<string, unknown>>(
    () => (given.startTime || given.endTime ? given : { ...given, ...lastMonth }),
    [given, lastMonth],
  )
  const query = useQuery({
    ...reading(endpoint, filters as InputFor<E>),
    placeholderData: (former) => former,
    retry: false,
    meta: { isQuiet: true },
  })
  useShownFirst(!query.isPending)
  const apply = (next: Record<string, unknown>) => {
    const isLastMonth = next.startTime === lastMonth.startTime && next.endTime === lastMonth.endTime
    setState({
      ...next,
      ...(isLastMonth && { startTime: undefined, endTime: undefined }),
      ...('pageNum' in next && { pageNum: 1 }),
    })
  }
  const draft = useDraft({
    schema: endpoint.input,
    filters: filters as never,
    cleared: lastMonth,
    apply,
    reset: () => setState({ groupBy: given.groupBy }),
  })
  const {
    pageNum: _page,
    pageSize: _size,
    groupBy: _group,
    startTime: _from,
    endTime: _until,
    ...places
  } = filters
  return {
    query,
    draft,
    filters,
    /** The filters that the lists of alarms have, too. */
    places: withoutEmpty(places),
    group: (groupBy: string) => apply({ ...filters, groupBy }),
    turn: (pageNum: number) => setState({ ...given, pageNum }),
  }
}
