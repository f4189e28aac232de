/** Days and moments in the zone of the process, which follows TZ. */
import { sharedNow } from './clocks/shared-clock.ts'

/** A half-open stretch of time: `from` belongs to it, `to` does not. */
export interface TimeRange {
  from: Date
  to: Date
}

/** The days that a list over history shows when the call names no range, today included. */
export const defaultRangeDays = 30

/** Midnight of the day that many days after (or before) the given moment's. */
export function startOfDay(at: Date, daysLater = 0): Date {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() + daysLater)
}

/** The first of the month that many months after (or before) the given moment's. */
export function startOfMonth(at: Date, monthsLater = 0): Date {
  return new Date(at.getFullYear(), at.getMonth() + monthsLater, 1)
}

const two = (value: number) => String(value).padStart(2, '0')

/** `YYYY-MM-DD` of a moment. */
export function dayOf(at: Date): string {
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}

/** `YYYY-MM-DDTHH:mm:ss.SSS+08:00`: the local time of the zone, unambiguous by its offset. */
export function withOffset(at: Date): string {
  const offset = -at.getTimezoneOffset()
  const local = new Date(at.getTime() + offset * 60_000).toISOString().slice(0, -1)
  const minutes = Math.abs(offset)
  return `${local}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

/** Midnight of a `YYYY-MM-DD`. */
export function atDay(day: string): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date)
}

/**
 * `startTime` and `endTime` of the wire as moments. A bare date begins at its midnight as a start and ends
 * with its day as an end; an end with a time includes that whole second, as the lists show no fractions.
 * A missing end is open: null.
 */
export function rangeEdges(range: { startTime?: string | undefined; endTime?: string | undefined }): {
  from: Date | null
  to: Date | null
} {
  const { startTime, endTime } = range
  return {
    from: startTime ? moment(startTime) : null,
    to: endTime
      ? endTime.length > 10
        ? new Date(moment(endTime).getTime() + 1000)
        : startOfDay(moment(endTime), 1)
      : null,
  }
}

/**
 * The same, closed: without a start the last 30 days up to the end, without an end up to the end of today
 * (of the start's day where that is later). Today is the database's: by the clock of a machine that is behind it would end
 * before what has just been written.
 */
export function historyRange(
  range: { startTime?: string | undefined; endTime?: string | undefined },
  now = sharedNow(),
): TimeRange {
  const { from, to } = rangeEdges(range)
  const end = to ?? startOfDay(from && from > now ? from : now, 1)
  // The last millisecond's day is the last one that counts.
  const lastDay = new Date(end.getTime() - 1)
  return { from: from ?? startOfDay(lastDay, 1 - defaultRangeDays), to: end }
}

/** The end of a plan: the moment itself, or the last second of a bare date. Lists show it as it was given. */
export function endMoment(endTime: string): Date {
  return endTime.length > 10 ? moment(endTime) : new Date(startOfDay(moment(endTime), 1).getTime() - 1000)
}

function moment(text: string): Date {
  const [day = '', clock = '00:00:00'] = text.split(/[ T]/)
  const [hour = 0, minute = 0, second = 0] = clock.split(':').map(Number)
  const at = atDay(day)
  at.setHours(hour, minute, second)
  return at
}
