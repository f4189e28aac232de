import { liveOverview } from '@voltkeep/contract'
import type { LiveNoun } from '../../platform/calls/live-noun.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { fleetCounted } from './overview.notices.ts'

/** The figures in the live stream: a page that is told of a change reads them all. */
export function createLiveOverview({ notices }: { notices: Pick<Notices, 'subscribe'> }): LiveNoun {
  return {
    declared: liveOverview,
    follow: ({ changed }) => notices.subscribe(fleetCounted, () => changed(null)),
    placesOf: async () => [],
  }
}
