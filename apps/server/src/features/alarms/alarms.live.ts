import { liveAlarms } from '@voltkeep/contract'
import type { LiveNoun } from '../../platform/calls/live-noun.ts'
import type { Db } from '../../platform/database/database.ts'
import { liveNoun } from '../../platform/database/notices/live-noun.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { alarmsChanged, alarmsOpened } from './alarms.notices.ts'
import { readPlacesOfEpisodes } from './current-alarms.queries.ts'

/** Alarms in the live stream: those that opened, and those that changed or recovered. */
export const createLiveAlarms = ({
  db,
  notices,
}: {
  db: Db
  notices: Pick<Notices, 'subscribe'>
}): LiveNoun =>
  liveNoun(liveAlarms, notices, {
    added: alarmsOpened,
    changed: alarmsChanged,
    placesOf: (ids) => readPlacesOfEpisodes(db, ids),
  })
