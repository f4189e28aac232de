// What the address says of a chart: over which time, drawn or as a table.
import * as z from 'zod/mini'
import type { ChartRange } from './chart.data.ts'
import {
  givenRange,
  longestRangeS,
  namedRange,
  type RangeName,
  rangeNames,
  wireTime,
} from './chart.ranges.ts'

export const chartFields = {
  range: z._default(z.enum(rangeNames), '24h'),
  /** In place of a named range. */
  from: z.optional(z.string()),
  to: z.optional(z.string()),
  as: z._default(z.enum(['chart', 'table']), 'chart'),
}
export const ChartSearch = z.object(chartFields)
export type ChartState = z.output<typeof ChartSearch>

/** The range in sight. One that is longer than any that can be read ends where it was to end. */
export function rangeOf(
  { range, from, to }: Pick<ChartState, 'range' | 'from' | 'to'>,
  now: Date,
): ChartRange {
  const given = givenRange(from, to)
  if (!given) return namedRange(range, now)
  return { start: Math.max(given.start, given.end - longestRangeS), end: given.end }
}

/** The state that shows this range: not beyond the present, where nothing can be. */
export function showing<State extends ChartState>(
  state: State,
  { start, end }: ChartRange,
  now: Date,
): State {
  const latest = namedRange('24h', now).end
  const late = Math.max(0, end - latest)
  return { ...state, from: wireTime(start - late), to: wireTime(end - late) }
}

export const named = <State extends ChartState>(state: State, range: RangeName): State => ({
  ...state,
  range,
  from: undefined,
  to: undefined,
})
