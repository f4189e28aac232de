import { formatDateTime } from '@voltkeep/contract/fields'
import { readWireTime } from '../../lib/format.ts'
import type { ChartRange } from './chart.data.ts'

const hourS = 3_600
const dayS = 24 * hourS

export const rangeNames = ['24h', '7d', '30d', '1y'] as const
export type RangeName = (typeof rangeNames)[number]

const lengths: Record<RangeName, number> = { '24h': dayS, '7d': 7 * dayS, '30d': 30 * dayS, '1y': 365 * dayS }
export const longestRangeS = lengths['1y']

/** A named range ends with the present minute, which is asked for once: what was reported just now is in it. */
export function namedRange(name: RangeName, now: Date): ChartRange {
  const end = (Math.floor(now.getTime() / 60_000) + 1) * 60
  return { start: end - lengths[name], end }
}

/** The range of two times as they are on the wire; undefined where they are none, or the wrong way round. */
export function givenRange(from: string | undefined, to: string | undefined): ChartRange | undefined {
  const start = from === undefined ? undefined : readWireTime(from)
  const end = to === undefined ? undefined : readWireTime(to)
  if (!start || !end || end <= start) return undefined
  return { start: start.getTime() / 1_000, end: end.getTime() / 1_000 }
}

export const wireTime = (seconds: number): string => formatDateTime(new Date(seconds * 1_000))

/** A label of the time axis, for the distance between two of them. A day's beginning names the day. */
export function axisTime(seconds: number, distanceS: number): string {
  const text = wireTime(seconds)
  const [day = '', time = ''] = text.split(' ')
  if (distanceS >= 300 * dayS) return day.slice(0, 4)
  if (distanceS >= 27 * dayS) return day.slice(0, 7)
  if (distanceS >= dayS || time === '00:00:00') return day.slice(5)
  return distanceS >= 60 ? time.slice(0, 5) : time
}
