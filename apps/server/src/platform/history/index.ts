export {
  countHistory,
  inOneSnapshot,
  type RowKey,
  readCountedKeys,
  walkKeys,
} from './counted-page.ts'
export {
  type HistoryFilter,
  type PlaceFilter,
  passes,
  passesNothing,
  resolveFilter,
  resolvePlaces,
  type Wanted,
} from './filter.ts'
export { historyJobs } from './history.jobs.ts'
export { deleteHistory, moveHistory } from './move.ts'
export { historyWindow, keepPartitions } from './partitions.ts'
export { forgetRegion, moveRegions } from './region-moves.ts'
export {
  type DeviceColumns,
  deviceColumns,
  deviceJoins,
  keyed,
  type PlaceColumns,
  placeColumns,
  placeJoin,
} from './rows.ts'
export { type HistorySource, historySources, type Place } from './sources.ts'
export { countDays, type Exception } from './stretches.ts'
