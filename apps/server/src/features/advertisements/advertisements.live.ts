import { liveDeliveries } from '@voltkeep/contract'
import type { LiveNoun } from '../../platform/calls/live-noun.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { deliveriesChanged } from './advertisements.notices.ts'
import { readPlacesOfDeliveries } from './advertisements.queries.ts'

/** Deliveries in the live stream: the progress of each cabinet. */
export function createLiveDeliveries({
  db,
  notices,
}: {
  db: Db
  notices: Pick<Notices, 'subscribe'>
}): LiveNoun {
  return {
    declared: liveDeliveries,
    follow: ({ changed }) => notices.subscribe(deliveriesChanged, changed),
    placesOf: (ids) => readPlacesOfDeliveries(db, ids),
  }
}
