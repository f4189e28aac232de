import { formatDay } from '../../../lib/format.ts'
import { texts } from '../../../lib/texts/index.ts'

/** The days that history shows without a range. */
export const historyDays = 30

/** The ranges of one press, as bare days. A week begins on Monday. */
export function presetsAt(today: Date): { label: string; first: string; last: string }[] {
  const [year, month, day] = [today.getFullYear(), today.getMonth(), today.getDate()]
  const monday = day - ((today.getDay() + 6) % 7)
  const range = (label: string, first: Date, last: Date) => ({
    label,
    first: formatDay(first),
    last: formatDay(last),
  })
  const { ranges } = texts.list
  return [
    range(ranges.today, today, today),
    range(ranges.week, new Date(year, month, monday), new Date(year, month, monday + 6)),
    range(ranges.lastWeek, new Date(year, month, monday - 7), new Date(year, month, monday - 1)),
    range(ranges.month, new Date(year, month, 1), new Date(year, month + 1, 0)),
    range(ranges.lastMonth, new Date(year, month - 1, 1), new Date(year, month, 0)),
  ]
}

/** A number of days with `today` as the last: the first and the last, as bare days. */
export function lastDays(days: number, today: Date): [first: string, last: string] {
  const first = new Date(today)
  first.setDate(first.getDate() - (days - 1))
  return [formatDay(first), formatDay(today)]
}

/**
 * The end that the server assumes for a range over history of which one end is given: 30 days up to its end,
 * or up to the end of today (of the start's day where that is later). As a bare day.
 */
export function assumedEnd(
  from: string | undefined,
  until: string | undefined,
  today: Date,
): { side: 'from' | 'until'; day: string } | undefined {
  if (from && !until) {
    const [, later = ''] = [from.slice(0, 'YYYY-MM-DD'.length), formatDay(today)].sort()
    return { side: 'until', day: later }
  }
  if (until && !from) {
    const last = new Date(`${until.slice(0, 'YYYY-MM-DD'.length)}T00:00:00`)
    return { side: 'from', day: lastDays(historyDays, last)[0] }
  }
  return undefined
}

/** A range's end for a control for moments; a bare day begins at its first second, or ends at its last. */
export function toMoment(time: string | undefined, side: 'from' | 'until'): string {
  if (!time) return ''
  const bare = side === 'from' ? '00:00:00' : '23:59:59'
  return time.length === 'YYYY-MM-DD'.length ? `${time}T${bare}` : time.replace(' ', 'T')
}

/** The value of such a control, as it is sent. The control leaves out seconds that are zero. */
export function fromMoment(moment: string): string | undefined {
  if (moment === '') return undefined
  const time = moment.replace('T', ' ')
  return time.length === 'YYYY-MM-DD HH:mm'.length ? `${time}:00` : time
}
