import type { ChartRange } from './chart.data.ts'

/** What a key asks of a chart: another moment at the pointer, another range, or the range that was asked for first. */
export type ChartDeed = { at: number } | { range: ChartRange } | 'reset'

/** Nothing is measured more often. */
export const leastSpanS = 120
const farPoints = 10

/** `at`: the place of the pointer among the times, undefined while there is none. */
export function deedOf(
  { key, shiftKey }: { key: string; shiftKey: boolean },
  { at, times, range }: { at: number | undefined; times: readonly number[]; range: ChartRange },
): ChartDeed | undefined {
  const last = times.length - 1
  const step = (by: number): ChartDeed | undefined => {
    if (last < 0) return undefined
    if (at === undefined) return { at: by > 0 ? 0 : last }
    return { at: Math.min(last, Math.max(0, at + by * (shiftKey ? farPoints : 1))) }
  }
  const middle = (at === undefined ? undefined : times[at]) ?? (range.start + range.end) / 2
  switch (key) {
    case 'ArrowRight':
      return step(1)
    case 'ArrowLeft':
      return step(-1)
    case 'Home':
      return last < 0 ? undefined : { at: 0 }
    case 'End':
      return last < 0 ? undefined : { at: last }
    case '+':
    case '=':
      return { range: zoomed(range, middle, 0.5) }
    case '-':
    case '_':
      return { range: zoomed(range, middle, 2) }
    case 'PageUp':
      return { range: moved(range, -0.5) }
    case 'PageDown':
      return { range: moved(range, 0.5) }
    case '0':
    case 'Escape':
      return 'reset'
    default:
      return undefined
  }
}

/** Around a moment, which keeps its place; not closer than anything is measured. */
export function zoomed({ start, end }: ChartRange, around: number, by: number): ChartRange {
  const span = Math.max(leastSpanS, Math.round((end - start) * by))
  const share = (around - start) / (end - start)
  const from = Math.round(around - span * share)
  return { start: from, end: from + span }
}

/** By a share of its length. */
export function moved({ start, end }: ChartRange, by: number): ChartRange {
  const step = Math.round((end - start) * by)
  return { start: start + step, end: end + step }
}
