import { feature } from '../../platform/feature.ts'
import { createDayBudget } from './day-budget.ts'
import { historyJobs } from './history.jobs.ts'
import { makeWhenWanted, partitionsWanted } from './partitions/partitions-wanted.ts'
import { createRowIds } from './row-ids.ts'

export { eachDay } from './cells.ts'
export {
  countHistory,
  inOneSnapshot,
  keysOf,
  type RowKey,
  readCountedKeys,
  walkKeys,
} from './counted-page.ts'
export {
  deviceWithin,
  type HistoryFilter,
  type PlaceFilter,
  passes,
  passesNothing,
  resolveFilter,
  resolvePlaces,
  resolveSemaphores,
  type Wanted,
} from './filter.ts'
export { countGroups, type GroupedBy, sumByLevel } from './group-counts.ts'
export { meaningOf } from './meaning.ts'
export { deleteHistory, moveHistory } from './move.ts'
export {
  dropPartitions,
  dropPieces,
  firstKeptMonth,
  historyWindow,
  makePartitions,
  makePieces,
  type PartitionedTable,
  type Piece,
} from './partitions/partitions.ts'
export { partitionsWanted, wantPartitions } from './partitions/partitions-wanted.ts'
export { forgetRegion, moveRegions } from './region-moves.ts'
export {
  type DeviceColumns,
  deviceColumns,
  deviceJoins,
  keyed,
} from './rows.ts'
export { type HistorySource, historySources, type Place, settledSources } from './sources.ts'
export { countDaysByLevel, countStretches, type FewRows, type HistoryRows, within } from './stretches.ts'

/** History by time: partitions, counters and counted pages of alarms and events. */
export const history = feature({
  name: 'history',
  tables: [
    'history_count',
    'history_day',
    'history_delta',
    'history_group',
    'history_level',
    'history_move',
    'history_uncounted',
    'history_zone',
  ],
  notices: [partitionsWanted],
  inputs: [
    'alarm_history',
    'alarm_settled',
    'alarm_state',
    'device',
    'device_state',
    'dictionary_entry',
    'equip_model',
    'equip_type',
    'event_history',
    'message_receipt',
    'operation_log',
    'operator',
    'organization',
    'region',
    'semaphore_definition',
  ],
  create({ config, db, owner, log, notices, metrics, warnings }) {
    const { zone, historyRetentionDays: retentionDays, historyRowsPerDay: mostPerDay } = config
    if (owner) makeWhenWanted({ owner, notices, log, retentionDays })
    return {
      service: {
        rowIds: createRowIds(),
        dayBudget: createDayBudget({ mostPerDay, db, log, metrics, warnings }),
      },
      jobs: owner ? historyJobs({ db, owner, log, zone, retentionDays }) : [],
    }
  },
})
