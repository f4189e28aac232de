/**
 * When a shelf is in force. The one place that says so: lists, notices and the watch ask `spanAt`. Occurrences of a window
 * are computed from its rule and the clocks of its zone each time, never from the one before, so that none drifts.
 */
import { parseRepeat, type Repeat } from '@voltkeep/contract'
import { momentAt, wallMs, wallOf, wallText } from '../../../platform/process/clocks/zone-clock.ts'

const dayMs = 86_400_000

export interface ShelfTimes {
  startAt: Date
  /** Null: without end. */
  endAt: Date | null
  endedAt: Date | null
  window: WindowTimes | null
}

/** By the clocks of its zone, `YYYY-MM-DD HH:mm:ss`: its first occurrence, and how it repeats. */
export interface WindowTimes {
  timeZone: string
  startLocal: string
  endLocal: string
  repeat: string | null
}

export interface Span {
  from: Date
  /** Null: without end. */
  to: Date | null
}

/** The span of the shelf that this moment is in; null where it is not in force then. */
export function spanAt({ startAt, endAt, endedAt, window }: ShelfTimes, at: Date): Span | null {
  if (endedAt && at >= endedAt) return null
  if (at < startAt || (endAt && at >= endAt)) return null
  if (!window) return { from: startAt, to: endAt }
  let under: Span | null = null
  // Occurrences may overlap: the one that lasts longest counts.
  for (const span of occurrences(window, at)) {
    if (span.from > at) break
    if (span.to > at && (!under?.to || span.to > under.to)) under = span
  }
  return under
}

/** The spans that touch a range, the one that begins as it ends included. They may overlap. */
export function spansWithin(
  { startAt, endAt, endedAt, window }: ShelfTimes,
  { from, to }: { from: Date; to: Date },
): Span[] {
  const cut = (span: Span): Span[] => {
    const end = earlier(span.to, endedAt)
    return span.from <= to && (end === null || (end > from && end > span.from))
      ? [{ from: span.from, to: end }]
      : []
  }
  if (!window) return cut({ from: startAt, to: endAt })
  const spans: Span[] = []
  for (const span of occurrences(window, from)) {
    if (span.from > to) break
    spans.push(...cut(span))
  }
  return spans
}

const earlier = (a: Date | null, b: Date | null) => (a && b ? (a < b ? a : b) : (a ?? b))

/** The next occurrences that are not over at this moment, at most so many. */
export function nextSpans(window: WindowTimes, at: Date, count: number): { from: Date; to: Date }[] {
  const next: { from: Date; to: Date }[] = []
  for (const span of occurrences(window, at)) {
    if (span.to > at) next.push(span)
    if (next.length === count) break
  }
  return next
}

/** When the last occurrence ends; null where it repeats without end. */
export function lastEnd(window: WindowTimes): Date | null {
  const parts = partsOf(window)
  if (parts.rule && parts.rule.untilDay === null) return null
  const last = parts.rule?.untilDay ?? parts.firstDay
  // Years of days are counted through at no cost; what the clocks show then is looked up for the last alone.
  let lastDay: number | null = null
  for (const day of daysOf(parts, Math.max(parts.firstDay, last - searchedDays), last)) lastDay = day
  return lastDay === null ? null : spanOn(parts, lastDay).to
}

/** The longest gap of a rule is the 99th month, or a 29th of February in one of 99 months. */
const searchedDays = 366 * 9

/** In their order, from the one that could be under way at this moment. */
function* occurrences(window: WindowTimes, at: Date): Generator<{ from: Date; to: Date }> {
  const parts = partsOf(window)
  // A day before and one after: a zone's day is another one's.
  const earliest = Math.floor(at.getTime() / dayMs) - parts.spannedDays - 2
  const begin = Math.max(parts.firstDay, earliest)
  const last = Math.min(
    parts.rule ? (parts.rule.untilDay ?? Number.POSITIVE_INFINITY) : parts.firstDay,
    begin + searchedDays,
  )
  for (const day of daysOf(parts, begin, last)) {
    const span = spanOn(parts, day)
    // Where clocks leave out an hour a window that lies within it does not come.
    if (span.from < span.to) yield span
  }
}

interface WindowParts {
  timeZone: string
  rule: Repeat | null
  firstDay: number
  /** Of the day, in ms. */
  startClock: number
  endClock: number
  spannedDays: number
}

function partsOf({ timeZone, startLocal, endLocal, repeat }: WindowTimes): WindowParts {
  const [start, end] = [wallMs(startLocal), wallMs(endLocal)]
  const [firstDay, endDay] = [Math.floor(start / dayMs), Math.floor(end / dayMs)]
  return {
    timeZone,
    rule: repeat === null ? null : parseRepeat(repeat),
    firstDay,
    startClock: start - firstDay * dayMs,
    endClock: end - endDay * dayMs,
    spannedDays: endDay - firstDay,
  }
}

const spanOn = ({ timeZone, startClock, endClock, spannedDays }: WindowParts, day: number) => ({
  from: new Date(momentAt(timeZone, day * dayMs + startClock)),
  to: new Date(momentAt(timeZone, (day + spannedDays) * dayMs + endClock)),
})

/**
 * The days from one that is not before the first to another on which an occurrence begins, in their order. It goes from turn
 * to turn: a rule that is rare costs a list no more than any other.
 */
function* daysOf({ rule, firstDay }: WindowParts, from: number, to: number): Generator<number> {
  if (!rule) {
    if (from <= firstDay && firstDay <= to) yield firstDay
    return
  }
  const last = Math.min(to, rule.untilDay ?? to)
  const { interval } = rule
  switch (rule.freq) {
    case 'DAILY':
      for (
        let day = firstDay + Math.ceil((from - firstDay) / interval) * interval;
        day <= last;
        day += interval
      )
        yield day
      return
    case 'WEEKLY': {
      const weekdays = inOrder(rule.weekdays.length > 0 ? rule.weekdays : [weekdayOf(firstDay)])
      const [first, step] = [mondayOf(firstDay), 7 * interval]
      for (let week = first + Math.floor((from - first) / step) * step; week <= last; week += step)
        yield* weekdays.map((weekday) => week + weekday).filter((day) => from <= day && day <= last)
      return
    }
    case 'MONTHLY': {
      const first = new Date(firstDay * dayMs)
      const monthDays = inOrder(rule.monthDays.length > 0 ? rule.monthDays : [first.getUTCDate()])
      const firstMonth = monthOf(first)
      const turns = Math.floor((monthOf(new Date(from * dayMs)) - firstMonth) / interval)
      for (let month = firstMonth + turns * interval; firstOf(month) <= last; month += interval) {
        const length = firstOf(month + 1) - firstOf(month)
        yield* monthDays
          .filter((monthDay) => monthDay <= length)
          .map((monthDay) => firstOf(month) + monthDay - 1)
          .filter((day) => from <= day && day <= last)
      }
    }
  }
}

const inOrder = (days: readonly number[]) => [...new Set(days)].toSorted((a, b) => a - b)

/** Months are counted on from year 0. */
const monthOf = (date: Date) => date.getUTCFullYear() * 12 + date.getUTCMonth()
const firstOf = (month: number) => Date.UTC(Math.floor(month / 12), month % 12) / dayMs

/** 0 is Monday; the first of January 1970 was a Thursday. */
const weekdayOf = (day: number) => (((day + 3) % 7) + 7) % 7
const mondayOf = (day: number) => day - weekdayOf(day)

/** What the clocks of a zone show at a moment, `YYYY-MM-DD HH:mm:ss`. */
export const wallTextAt = (timeZone: string, at: Date): string => wallText(wallOf(at, timeZone))
