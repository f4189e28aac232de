import { reportDays } from '@voltkeep/contract'
import { refuseInput } from '../../platform/calls/refusal.ts'
import { historyRange, startOfDay, type TimeRange } from '../../platform/process/clock.ts'

/** Whole days, of which those to come are left out: up to now, and to the end of the last day. */
export function reportRange(
  asked: { startTime?: string | undefined; endTime?: string | undefined },
  now: Date,
): { days: TimeRange; soFar: TimeRange } {
  const { from, to } = historyRange(asked, now)
  if (from > now) refuseInput({ field: 'startTime', message: '开始日期不能晚于今天' })
  if (to > startOfDay(from, reportDays))
    refuseInput({ field: 'startTime', message: `统计范围不能超过 ${reportDays} 天` })
  const tomorrow = startOfDay(now, 1)
  const second = new Date(Math.floor(now.getTime() / 1000) * 1000)
  return {
    days: { from, to: earlier(to, tomorrow) },
    soFar: { from, to: earlier(to, second) },
  }
}

const earlier = (a: Date, b: Date) => new Date(Math.min(a.getTime(), b.getTime()))
