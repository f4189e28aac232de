import { type ChartPoint, type ChartSeries, valueText } from './chart.data.ts'
import { chartTexts } from './chart.texts.ts'

/** A value of a curve as it is said; of a switch its word, or how much of a stretch it was on. */
export function curveText({ isSwitch }: Pick<ChartSeries, 'isSwitch'>, value: number, decimals = 0): string {
  if (!isSwitch) return valueText(value, decimals)
  if (value <= 0) return chartTexts.no
  return value >= 1 ? chartTexts.yes : chartTexts.partly(valueText(value * 100))
}

/** The least and the greatest of a bucket where they differ; of a switch its value says it. */
export const hasBand = ({ isSwitch }: ChartSeries, [, least, greatest]: ChartPoint): boolean =>
  !isSwitch && least !== greatest
