import type { ReadingValue } from '../packing/index.ts'
import type { HourOfValues } from './kept-readings.ts'
import type { SeriesRow } from './series.export.ts'
import { type Bucket, momentsForUsual, usualDistance, type ValueSteps, valueBuckets } from './series.rules.ts'

/**
 * The curves of readings whose values come hour by hour. Besides the stretches it keeps what comes before the device's usual
 * distance is known.
 */
export async function bucketsOfHours(
  hours: AsyncIterable<HourOfValues>,
  wanted: ReadonlySet<number>,
  stepsOf: (id: number) => Omit<ValueSteps, 'usualMs'>,
): Promise<Map<number, Bucket[]>> {
  let waiting: HourOfValues[] = []
  const moments: number[] = []
  let making: Map<number, ReturnType<typeof valueBuckets>> | undefined
  const add = ({ times, series }: HourOfValues) => {
    for (const [id, one] of making ?? []) {
      const values: readonly (ReadingValue | null)[] = series.get(id) ?? []
      for (const [at, value] of values.entries()) if (value !== null) one.add(times[at] as number, value)
    }
  }
  const begin = () => {
    const usualMs = usualDistance(moments)
    making = new Map([...wanted].map((id) => [id, valueBuckets({ ...stepsOf(id), usualMs })]))
    for (const hour of waiting) add(hour)
    waiting = []
  }
  for await (const hour of hours) {
    if (making) {
      add(hour)
      continue
    }
    waiting.push(hour)
    for (const time of hour.times) moments.push(time)
    if (moments.length >= momentsForUsual) begin()
  }
  if (!making) begin()
  return new Map([...(making ?? [])].map(([id, one]) => [id, one.end()]))
}

/** A row for each moment at which one of these readings has a value, by the place of its column. */
export function rowsOfHour(
  { times, series }: HourOfValues,
  ids: readonly (number | undefined)[],
): SeriesRow[] {
  const columns = ids.map((id) => (id === undefined ? undefined : series.get(id)))
  return times.flatMap((atMs, at) => {
    const cells = columns.map((values) => values?.[at] ?? null)
    return cells.some((value) => value !== null) ? [{ atMs, cells }] : []
  })
}
