// How readings are packed: pure, no database.
export {
  type GiveWay,
  HourMerge,
  type HourPoints,
  type HourReport,
  hourLimits,
  mergeHour,
  openHour,
  packHour,
  unpackHour,
} from './hour-block.ts'
export { packReport, type ReadingValue, unpackReport } from './report-body.ts'
export { combined, roundedMean, type Statistics, statisticsOf } from './statistics.ts'
export { packSlots, type Slots, unpackSlots } from './statistics-block.ts'
