// What the address says of the curves in sight: which readings, over which time, drawn or as a table.
import { list } from '@voltkeep/contract/fields'
import { mostSeriesKeys } from '@voltkeep/contract/readingSeries'
import type { ReadingRow } from '@voltkeep/contract/readings'
import * as z from 'zod/mini'
import type { ChartRange } from '../../../ui/chart/chart.data.ts'
import {
  givenRange,
  longestRangeS,
  namedRange,
  type RangeName,
  rangeNames,
  wireTime,
} from '../../../ui/chart/chart.ranges.ts'

export const HistorySearch = z.object({
  keys: z.optional(list(z.string().check(z.maxLength(100)), '读数', mostSeriesKeys)),
  range: z._default(z.enum(rangeNames), '24h'),
  /** In place of a named range. */
  from: z.optional(z.string()),
  to: z.optional(z.string()),
  as: z._default(z.enum(['chart', 'table']), 'chart'),
})
export type HistoryState = z.output<typeof HistorySearch>

/** The range in sight. One that is longer than any that can be read ends where it was to end. */
export function rangeOf(
  { range, from, to }: Pick<HistoryState, 'range' | 'from' | 'to'>,
  now: Date,
): ChartRange {
  const given = givenRange(from, to)
  if (!given) return namedRange(range, now)
  return { start: Math.max(given.start, given.end - longestRangeS), end: given.end }
}

/** The state that shows this range: not beyond the present, where nothing can be. */
export function showing(state: HistoryState, { start, end }: ChartRange, now: Date): HistoryState {
  const latest = namedRange('24h', now).end
  const late = Math.max(0, end - latest)
  return { ...state, from: wireTime(start - late), to: wireTime(end - late) }
}

export const named = (state: HistoryState, range: RangeName): HistoryState => ({
  ...state,
  range,
  from: undefined,
  to: undefined,
})

const firstCurves = 2

/** The readings whose curves are shown: those of the address, else the first that have a history. */
export function keysOf(asked: readonly string[] | undefined, readings: readonly ReadingRow[]): string[] {
  if (asked && asked.length > 0) return [...new Set(asked)]
  return readings
    .filter(({ hasHistory, value }) => hasHistory && typeof value === 'number')
    .slice(0, firstCurves)
    .map(({ key }) => key)
}
