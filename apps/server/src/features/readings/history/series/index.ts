// Curves: how the history of readings is read.
export { type Parts, readDayParts, readHourParts, readValues, type Values } from './kept-readings.ts'
export { ordinaryWords, type ReadingWords, type WordsFor } from './reading-words.ts'
export { mountSeries } from './series.routes.ts'
export { createSeries, type SeriesService } from './series.service.ts'
