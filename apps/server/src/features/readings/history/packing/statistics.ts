// What an hour or a day of a reading was, and how several of them are one.
import type { ReadingValue } from './report-body.ts'
import { decimalsOf, unitOf } from './scaling.ts'

export interface Statistics {
  min: number
  max: number
  /** Each value weighs by the time that it held, to the next one or to the end of the hour. */
  mean: number
  last: number
  /**
   * In how many quarters of an hour there was a value, which is how much the mean weighs among others. A count of
   * values would say how much was thinned, and would take a tenth of all bytes.
   */
  quarters: number
}

const quarterMs = 900_000
const numberOf = (value: ReadingValue): number => (typeof value === 'number' ? value : value ? 1 : 0)

/**
 * The statistics of the values of one reading in the hour, or a part of it, that ends at `to`; null where there are
 * none. Times are in milliseconds and ascending.
 */
export function statisticsOf(
  times: readonly number[],
  values: readonly (ReadingValue | null)[],
  to: number,
): Statistics | null {
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  let last = 0
  let quarters = 0
  let quarter = Number.NaN
  let since = 0
  let first = 0
  let sum = 0
  for (let at = 0; at < times.length; at += 1) {
    const given = values[at] as ReadingValue | null
    if (given === null) continue
    const value = numberOf(given)
    const time = times[at] as number
    if (quarters === 0) first = time
    else sum += last * (time - since)
    if (value < min) min = value
    if (value > max) max = value
    last = value
    since = time
    const inQuarter = Math.floor(time / quarterMs)
    if (inQuarter !== quarter) quarters += 1
    quarter = inQuarter
  }
  if (quarters === 0) return null
  sum += last * (to - since)
  const held = to - first
  // A value at the very end has held for no time.
  const mean = held > 0 && Number.isFinite(sum) ? clamp(sum / held, min, max) : last
  return { min, max, mean, last, quarters }
}

/** Those of several stretches in one, in order of time; null where none has a value. */
export function combined(parts: readonly (Statistics | null)[]): Statistics | null {
  let whole: Statistics | null = null
  let weighed = 0
  for (const part of parts) {
    if (!part) continue
    if (!whole) {
      whole = { ...part }
      weighed = part.mean * part.quarters
      continue
    }
    if (part.min < whole.min) whole.min = part.min
    if (part.max > whole.max) whole.max = part.max
    whole.last = part.last
    whole.quarters += part.quarters
    weighed += part.mean * part.quarters
  }
  if (whole) whole.mean = clamp(weighed / whole.quarters, whole.min, whole.max)
  return whole
}

const clamp = (value: number, min: number, max: number) => Math.min(max, Math.max(min, value))

/** A mean is kept with the decimals of its values; of whole numbers with one, of switches with three. */
export const meanDecimals = (decimals: number, isSwitch: boolean): number =>
  isSwitch ? 3 : Math.max(decimals, 1)

/** As it is kept and answered: no more digits than say something. */
export function roundedMean(mean: number, values: readonly number[]): number {
  const decimals = Math.max(...values.map(decimalsOf))
  if (values.some((value) => decimalsOf(value) < 0)) return mean
  const unit = unitOf(meanDecimals(decimals, false))
  return Math.abs(mean) * unit < 2 ** 50 ? Math.round(mean * unit) / unit : mean
}
