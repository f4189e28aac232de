// Curves: how the history of readings is read.
export { keptReadings } from './kept-readings.ts'
export { ordinaryWords, type ReadingWords, type WordsFor } from './reading-words.ts'
export { mountSeries } from './series.routes.ts'
export { createSeries } from './series.service.ts'
