import { formatDay } from '../../lib/format.ts'
import { texts } from '../../lib/texts/index.ts'

/** Days that history answers where it is asked for no range. */
export const historyDays = 30

/** The ranges that one press gives: how many days, today the last of them. */
export const presets = [
  { label: texts.list.ranges.today, days: 1 },
  { label: texts.list.ranges.week, days: 7 },
  { label: texts.list.ranges.month, days: 30 },
]

/** So many days with `today` as the last: the first and the last, as bare days. */
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

/** A range's end as a control for moments takes it; a bare day begins at its first second, or ends at its last. */
export function toMoment(time: string | undefined, side: 'from' | 'until'): string {
  if (!time) return ''
  const bare = side === 'from' ? '00:00:00' : '23:59:59'
  return time.length === 'YYYY-MM-DD'.length ? `${time}T${bare}` : time.replace(' ', 'T')
}

/** What such a control answers, as it travels. It leaves out seconds that are zero. */
export function fromMoment(moment: string): string | undefined {
  if (moment === '') return undefined
  const time = moment.replace('T', ' ')
  return time.length === 'YYYY-MM-DD HH:mm'.length ? `${time}:00` : time
}
