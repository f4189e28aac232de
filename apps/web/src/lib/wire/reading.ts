import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { InputFor } from '@voltkeep/contract/endpoint'
import { type AnswerFor, type AnyEndpoint, type CallError, call } from './call.ts'
import { takeAnswered } from './early.ts'
import { outgoingOf, withoutEmpty } from './outgoing.ts'

/** An endpoint's key in the query cache: the prefix of everything read from it. */
export function keyOf(endpoint: AnyEndpoint): readonly [string] {
  return [endpoint.path]
}

/** `useQuery(reading(listAlarms, filters))`. The rows of a page stay while the next one is read. */
export function reading<E extends AnyEndpoint>(endpoint: E, input: InputFor<E>) {
  return queryOptions<AnswerFor<E>, CallError>({
    queryKey: [...keyOf(endpoint), withoutEmpty(input as Record<string, unknown>)],
    queryFn: ({ signal }) => call(endpoint, input, { signal }),
    ...(endpoint.reply.kind === 'page'
      ? { placeholderData: keepPreviousData as never, ...answeredEarly<E>(endpoint, input) }
      : {}),
  })
}

/** The rows that index.html has requested, where they came before the list. */
function answeredEarly<E extends AnyEndpoint>(endpoint: E, input: InputFor<E>) {
  let answeredAtMs = 0
  return {
    initialData: () => {
      const answered = takeAnswered(outgoingOf(endpoint, input as Record<string, unknown>))
      if (!answered) return undefined
      answeredAtMs = answered.atMs
      return { rows: answered.envelope.data, total: answered.envelope.total } as AnswerFor<E>
    },
    initialDataUpdatedAt: () => answeredAtMs,
  }
}

/** As `reading`, for data that hardly changes in a shift: reference lists of filters and forms. */
export function readingRarely<E extends AnyEndpoint>(endpoint: E, input: InputFor<E>) {
  return { ...reading(endpoint, input), staleTime: 5 * 60_000 }
}
