import { useQuery } from '@tanstack/react-query'
import type { InputFor } from '@voltkeep/contract/endpoint'
import type { LiveNoun } from '@voltkeep/contract/live'
import { concerns, useLiveReading } from '../../lib/live/live.ts'
import type { AnyEndpoint } from '../../lib/wire/call.ts'
import { reading } from '../../lib/wire/reading.ts'

/** While devices report, the counts are read at most this often. */
const countsPauseMs = 2_000
/** What the work itself does is shown at once: that it goes on, waits, has ended. */
const workPauseMs = 400

/** One work with its counts, read again while the work or its devices change. */
export function useWatched<E extends AnyEndpoint>(
  endpoint: E,
  id: string,
  work: LiveNoun,
  devices: LiveNoun,
) {
  const query = useQuery({
    ...reading(endpoint, { id } as InputFor<E>),
    retry: false,
    meta: { isQuiet: true },
  })
  useLiveReading(
    query.refetch,
    (event) =>
      event.type === 'changed'
        ? concerns(event, devices.noun)
        : concerns(event, work.noun) || concerns(event, devices.noun),
    countsPauseMs,
  )
  useLiveReading(
    query.refetch,
    (event) => event.type === 'changed' && concerns(event, work.noun, id),
    workPauseMs,
  )
  return query
}
