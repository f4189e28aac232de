import { largestScaled } from './bytes.ts'

/** How a value is packed: `boolean`, a whole number of so many decimals, or `raw`, the eight bytes of a double. */
export const kinds = {
  boolean: 0,
  /** With 0 decimals; the next six have one more each. */ whole: 1,
  raw: 8,
} as const

export const mostDecimals = 6
const units = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000] as const

/** Ten to the power of `decimals`. */
export const unitOf = (decimals: number): number => units[decimals] as number

/** The decimals with which a number is exactly the one that comes back; -1 where none of them do. */
export function decimalsOf(value: number): number {
  if (Number.isInteger(value)) return Math.abs(value) <= largestScaled && !Object.is(value, -0) ? 0 : -1
  for (let decimals = 1; decimals <= mostDecimals; decimals += 1) {
    const unit = units[decimals] as number
    const scaled = Math.round(value * unit)
    if (scaled / unit === value) return Math.abs(scaled) <= largestScaled ? decimals : -1
  }
  return -1
}

/** The decimals for all of the numbers; -1 where one of them fits none, or is too large with those of the others. */
export function sharedDecimals(values: readonly number[]): number {
  let most = 0
  let largest = 0
  for (const value of values) {
    const decimals = decimalsOf(value)
    if (decimals < 0) return -1
    if (decimals > most) most = decimals
    const size = Math.abs(value)
    if (size > largest) largest = size
  }
  if (largest * unitOf(most) > largestScaled) return -1
  // A number of few decimals may not come back from more of them.
  const unit = unitOf(most)
  for (const value of values) if (Math.round(value * unit) / unit !== value) return -1
  return most
}
