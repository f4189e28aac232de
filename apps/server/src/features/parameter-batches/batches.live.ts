import { liveBatchDevices, liveParameterBatches } from '@voltkeep/contract'
import type { LiveNoun } from '../../platform/calls/live-noun.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { batchDevicesChanged, parameterBatchesChanged } from './batches.notices.ts'
import { readPlacesOfBatches, readPlacesOfTargets } from './targets.lists.queries.ts'

/** Batches and their devices in the live stream. */
export function createLiveBatches({
  db,
  notices,
}: {
  db: Db
  notices: Pick<Notices, 'subscribe'>
}): LiveNoun[] {
  return [
    {
      declared: liveParameterBatches,
      follow: ({ changed }) => notices.subscribe(parameterBatchesChanged, changed),
      placesOf: (ids) => readPlacesOfBatches(db, ids),
    },
    {
      declared: liveBatchDevices,
      follow: ({ changed }) => notices.subscribe(batchDevicesChanged, changed),
      placesOf: (ids) => readPlacesOfTargets(db, ids),
    },
  ]
}
