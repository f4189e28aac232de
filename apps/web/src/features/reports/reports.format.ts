import { formatCount, formatDuration } from '../../lib/format.ts'
import { reportTexts } from './reports.texts.ts'

/** A share with one decimal; what is above nothing never reads 0%. */
export const percent = (share: number): string =>
  share > 0 && share < 0.001 ? '< 0.1%' : `${Math.round(share * 1000) / 10}%`

/** Of an availability the third decimal still counts: three nines are nine hours a year. */
export const availabilityText = (share: number | null): string =>
  share === null ? '—' : `${(Math.floor(share * 100_000) / 1000).toFixed(3)}%`

/** Large numbers grouped and whole, small ones with one decimal, below one with two. */
export function decimal(value: number): string {
  if (value >= 100) return formatCount(Math.round(value))
  const scale = value >= 1 ? 10 : 100
  return String(Math.round(value * scale) / scale)
}

/** A time between two failures: days from two of them on, else hours, else minutes; nothing to say of none. */
export function between(days: number | null): string {
  if (days === null || days <= 0) return '—'
  if (days >= 2) return reportTexts.availability.days(decimal(days))
  const hours = days * 24
  return hours >= 1 ? reportTexts.availability.hours(decimal(hours)) : formatDuration(hours * 3_600_000)
}
