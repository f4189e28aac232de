import { dateTime } from '@voltkeep/contract/fields'
import { logWindowDays } from '@voltkeep/contract/logExtraction'
import * as z from 'zod/mini'
import { serverNow } from '../../lib/clock.ts'
import { formatDay } from '../../lib/format.ts'
import { logTexts } from './logs.texts.ts'

const { range: words } = logTexts

/** The first and last day of which a log can be extracted, as `YYYY-MM-DD`. The server applies the same rule. */
export function logWindow(now: Date): { first: string; last: string } {
  const first = new Date(now)
  first.setDate(first.getDate() - logWindowDays)
  return { first: formatDay(first), last: formatDay(now) }
}

/** The last `days` days including today, with seconds. */
export function lastDaysOf(days: number, now: Date): LogRange {
  const first = new Date(now)
  first.setDate(first.getDate() - (days - 1))
  return { startTime: `${formatDay(first)} 00:00:00`, endTime: `${formatDay(now)} 23:59:59` }
}

/** The time range of a log: within the last 15 days, not later than today. */
export const LogRange = z
  .object(
    { startTime: dateTime('开始时间', words.missing), endTime: dateTime('结束时间', words.missing) },
    { error: words.missing },
  )
  .check(
    z.refine(
      ({ startTime }) => startTime.slice(0, 10) >= logWindow(serverNow()).first,
      words.tooOld(logWindowDays),
    ),
    z.refine(({ endTime }) => endTime.slice(0, 10) <= logWindow(serverNow()).last, words.tooLate),
    z.refine(({ startTime, endTime }) => startTime <= endTime, words.reversed),
  )
export type LogRange = z.output<typeof LogRange>
