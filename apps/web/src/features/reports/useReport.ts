// The state of a report: its filters from the address, its figures from the server.
import { useQuery } from '@tanstack/react-query'
import type { InputFor, OutputOf } from '@voltkeep/contract/endpoint'
import { useMemo } from 'react'
import { useShownFirst } from '../../lib/firstShown.ts'
import { useUrlState } from '../../lib/urlState.ts'
import type { AnswerFor, AnyEndpoint } from '../../lib/wire/call.ts'
import { withoutEmpty } from '../../lib/wire/outgoing.ts'
import { reading } from '../../lib/wire/reading.ts'
import { useDraft } from '../../ui/list/useDraft.ts'
import { useLastMonth } from '../../ui/list/useLastMonth.ts'
import { reportTexts } from './reports.texts.ts'

type GroupOf<E extends AnyEndpoint> = Extract<OutputOf<E['input']>, { groupBy: string }>['groupBy']

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
  const { pageNum: _page, pageSize: _size, groupBy, startTime: _from, endTime: _until, ...places } = filters
  const report = query.data as (AnswerFor<E> & { startDay: string; endDay: string }) | undefined
  return {
    report,
    filters,
    /** What the frame of every report shows. */
    frame: {
      draft,
      group: groupBy as GroupOf<E>,
      onGroup: (next: GroupOf<E>) => apply({ ...filters, groupBy: next }),
      isFetching: query.isFetching,
      error: query.error,
      onRetry: () => void query.refetch(),
      period: report && reportTexts.period(report.startDay, report.endDay),
    },
    /** The filters that the lists of alarms have, too. */
    places: withoutEmpty(places),
    turn: (pageNum: number) => setState({ ...given, pageNum }),
  }
}
