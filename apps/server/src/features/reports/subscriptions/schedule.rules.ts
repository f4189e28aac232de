// When a report is due by mail, and which days it is about.
import type { ReportCadence } from '@voltkeep/contract'
import { atDay } from '../../../platform/process/clock.ts'
import { momentAt, wallOf, wallText } from '../../../platform/process/clocks/zone-clock.ts'

export interface Schedule {
  every: ReportCadence
  hour: number
  timeZone: string
}

/** A mail of a schedule: when it is due, and its days, `YYYY-MM-DD`, both included. */
export interface Issue {
  at: Date
  startDay: string
  endDay: string
}

const dayMs = 86_400_000
/** There is an issue within so many days, before and after; two days are for zones that are apart. */
const reachDays: Record<ReportCadence, number> = { day: 3, week: 9, month: 33 }

/** The newest issue that is due, and the next one. */
export function issuesAround(schedule: Schedule, now: Date): { newest: Issue; next: Issue } {
  const today = Math.floor(wallOf(now, schedule.timeZone) / dayMs) * dayMs
  let newest: Issue | undefined
  const reach = reachDays[schedule.every]
  for (let days = -reach; days <= reach; days++) {
    const issue = issueOn(schedule, today + days * dayMs)
    if (!issue) continue
    if (issue.at <= now) newest = issue
    else if (newest) return { newest, next: issue }
  }
  throw new Error('a schedule has an issue each month')
}

/**
 * The issue of a day on the wall of the schedule's zone; null where it has none. Reports count days by the process's
 * zone: where that is behind, the issue waits until its last day is over there, too.
 */
function issueOn({ every, hour, timeZone }: Schedule, day: number): Issue | null {
  const date = new Date(day)
  if (every === 'week' && date.getUTCDay() !== 1) return null
  if (every === 'month' && date.getUTCDate() !== 1) return null
  const start =
    every === 'month'
      ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 1, 1)
      : day - (every === 'week' ? 7 : 1) * dayMs
  const due = momentAt(timeZone, day + hour * 3_600_000)
  return {
    at: new Date(Math.max(due, atDay(textOf(day)).getTime())),
    startDay: textOf(start),
    endDay: textOf(day - dayMs),
  }
}

const textOf = (wall: number) => wallText(wall).slice(0, 10)
