import type { TimelineEntry } from '@voltkeep/contract/deviceTimeline'
import { readWireTime } from '../../../lib/format.ts'

/** The entries of each day, in their order. */
export function daysOf(entries: readonly TimelineEntry[]): { day: string; entries: TimelineEntry[] }[] {
  const days: { day: string; entries: TimelineEntry[] }[] = []
  for (const entry of entries) {
    const day = entry.time.slice(0, 'YYYY-MM-DD'.length)
    const last = days.at(-1)
    if (last?.day === day) last.entries.push(entry)
    else days.push({ day, entries: [entry] })
  }
  return days
}

const weekdays = ['周日', '周一', '周二', '周三', '周四', '周五', '周六']

export const weekdayOf = (day: string): string => weekdays[readWireTime(day)?.getDay() ?? 0] ?? ''
