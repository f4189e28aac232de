import { liveLogExtractions } from '@voltkeep/contract'
import type { LiveNoun } from '../../platform/calls/live-noun.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { logExtractionsAdded, logExtractionsChanged } from './log-extraction.notices.ts'
import { readPlacesOfExtractions } from './log-extraction.queries.ts'

/** Extractions in the live stream: new ones, states and bytes received. */
export function createLiveExtractions({
  db,
  notices,
}: {
  db: Db
  notices: Pick<Notices, 'subscribe'>
}): LiveNoun {
  return {
    declared: liveLogExtractions,
    follow({ added, changed }) {
      const ends = [
        notices.subscribe(logExtractionsAdded, added),
        notices.subscribe(logExtractionsChanged, changed),
      ]
      return () => {
        for (const end of ends) end()
      }
    },
    placesOf: (ids) => readPlacesOfExtractions(db, ids),
  }
}
