import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { quietMs } from '../live/live.ts'
import { notify } from '../notices.ts'
import { texts } from '../texts/index.ts'
import { CallError } from './call.ts'

/** Parts of a page that mount one after another share one reading for so long. */
const freshMs = 5_000

/**
 * A mounted list reads again by itself at a change; what is cached beside it does not (the same list under other
 * filters, the page before). So cached data is fresh only where no change was told since it was read: twice the time,
 * as a change told during a reading may not be included in it.
 */
const staleTime = () => (quietMs() < 2 * freshMs ? 0 : freshMs)

/** The one place where a refused call is shown, unless its form showed it or the session is over. */
function showError(error: unknown): void {
  if (!(error instanceof CallError)) {
    notify.error(error instanceof Error && error.message ? error.message : texts.errors.fallback)
    return
  }
  if (error.isSessionEnd) return
  const isNamed = error.requestId === undefined || error.message.includes(error.requestId)
  notify.error(error.message, isNamed ? undefined : texts.errors.requestId(error.requestId ?? ''))
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        const quiet = query.meta?.isQuiet
        if (quiet === 'first' ? query.state.data !== undefined : !quiet) showError(error)
      },
    }),
    mutationCache: new MutationCache({
      onError: (error, _input, _result, mutation) => {
        const isClaimed = error instanceof CallError && mutation.meta?.claim?.(error)
        if (!isClaimed) showError(error)
      },
    }),
    defaultOptions: {
      queries: {
        // Offline a call fails at once and its list offers 重试; by default it would wait silently.
        networkMode: 'always',
        // That mode would leave this out.
        refetchOnReconnect: true,
        staleTime,
        // One retry where no answer came; a refusal is final.
        retry: (failures, error) => failures < 1 && error instanceof CallError && error.code === 0,
        retryDelay: 600,
      },
      // A mutation's answer is not read again, and some are secrets: none is cached.
      mutations: { networkMode: 'always', retry: false, gcTime: 0 },
    },
  })
}
