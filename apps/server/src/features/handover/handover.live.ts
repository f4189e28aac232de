import { liveHandovers } from '@voltkeep/contract'
import type { LiveNoun } from '../../platform/calls/live-noun.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { handoversChanged } from './handover.notices.ts'

/** Handovers in the live stream: few a day, of organizations rather than places. A page that is told reads again. */
export function createLiveHandovers({ notices }: { notices: Pick<Notices, 'subscribe'> }): LiveNoun {
  return {
    declared: liveHandovers,
    follow: ({ changed }) => notices.subscribe(handoversChanged, () => changed(null)),
    placesOf: async () => [],
  }
}
