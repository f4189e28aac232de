// What the address says of the curves in sight: which readings, over which time, drawn or as a table.
import { list } from '@voltkeep/contract/fields'
import { mostSeriesKeys } from '@voltkeep/contract/readingSeries'
import type { ReadingRow } from '@voltkeep/contract/readings'
import * as z from 'zod/mini'
import { chartFields } from '../../../ui/chart/chart.state.ts'

export const HistorySearch = z.object({
  keys: z.optional(list(z.string().check(z.maxLength(100)), '读数', mostSeriesKeys)),
  ...chartFields,
})
export type HistoryState = z.output<typeof HistorySearch>

const firstCurves = 2

/** The readings whose curves are shown: those of the address, else the first that have a history. */
export function keysOf(asked: readonly string[] | undefined, readings: readonly ReadingRow[]): string[] {
  if (asked && asked.length > 0) return [...new Set(asked)]
  return readings
    .filter(({ hasHistory, value }) => hasHistory && typeof value === 'number')
    .slice(0, firstCurves)
    .map(({ key }) => key)
}
