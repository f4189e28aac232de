// Curves: how the history of readings is read.
export { createBatterySeries, type StaysOf } from './battery-series.service.ts'
export { keptReadings } from './kept-readings.ts'
export { type WordsByKey, wordsBy } from './reading-words.ts'
export { mountSeries } from './series.routes.ts'
export { createSeries } from './series.service.ts'
