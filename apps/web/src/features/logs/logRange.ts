import { dateTime } from '@voltkeep/contract/fields'
import { logWindowDays } from '@voltkeep/contract/logExtraction'
import * as z from 'zod/mini'
import { serverNow } from '../../lib/clock.ts'
import { formatDay } from '../../lib/format.ts'
import { logTexts } from './logs.texts.ts'

const { range: words } = logTexts

/** The first and the last day that a log can be of, as bare days; the server judges by the same. */
export function logWindow(now: Date): { first: string; last: string } {
  const first = new Date(now)
  first.setDate(first.getDate() - logWindowDays)
  return { first: formatDay(first), last: formatDay(now) }
}

/** So many days with today as the last, to the second. */
export function lastDaysOf(days: number, now: Date): LogRange {
  const first = new Date(now)
  first.setDate(first.getDate() - (days - 1))
  return { startTime: `${formatDay(first)} 00:00:00`, endTime: `${formatDay(now)} 23:59:59` }
}

/** What a log is of: within the last 15 days, and no later than today. */
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
