import { liveReadings } from '@voltkeep/contract'
import type { LiveNoun } from '../../platform/calls/live-noun.ts'
import type { Db } from '../../platform/database/database.ts'
import { liveNoun } from '../../platform/database/notices/live-noun.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { readPlacesOfDevices } from '../devices/index.ts'
import { readingsReported } from './readings.notices.ts'

/** Readings in the live stream: an open device reads its values again. */
export const createLiveReadings = ({
  db,
  notices,
}: {
  db: Db
  notices: Pick<Notices, 'subscribe'>
}): LiveNoun =>
  liveNoun(liveReadings, notices, {
    changed: readingsReported,
    placesOf: (ids) => readPlacesOfDevices(db, ids),
  })
