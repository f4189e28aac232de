import { formatCount } from '../../lib/format.ts'

/** A share with one decimal; what is above nothing never reads 0%. */
export const percent = (share: number): string =>
  share > 0 && share < 0.001 ? '< 0.1%' : `${Math.round(share * 1000) / 10}%`

/** Of an availability the third decimal still counts: three nines are nine hours a year. */
export const availabilityText = (share: number | null): string =>
  share === null ? '—' : `${(Math.floor(share * 100_000) / 1000).toFixed(3)}%`

/** Large numbers grouped and whole, small ones with as many decimals as say something. */
export const decimal = (value: number): string =>
  value >= 100 ? formatCount(Math.round(value)) : String(Math.round(value * 100) / 100)
