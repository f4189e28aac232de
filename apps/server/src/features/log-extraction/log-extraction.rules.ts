// Limits of an extraction. All times are in milliseconds.
import { logExtractionSeconds, logWindowDays } from '@voltkeep/contract'
import { refuseInput } from '../../platform/calls/refusal.ts'
import { rangeEdges, startOfDay, type TimeRange } from '../../platform/process/clock.ts'

/** By when a device has to begin its upload. */
export const beginWithinMs = logExtractionSeconds * 1000
/** How long a device has to begin another upload when one broke off. */
export const repeatWithinMs = 120_000
/** Uploads of one extraction that may fail: a device that sends damaged files for an hour is not waited for. */
export const uploadsAtMost = 20
/** How long the address is good: the slowest line takes the largest log in less. */
export const addressLifeMs = 3_600_000
/**
 * An upload without news for so long was received by a process that has ended: a running process ends a silent
 * connection earlier, and says so.
 */
export const silenceMs = 90_000
/** How often the number of received bytes is written. */
export const progressEveryMs = 1_000
/** Extractions of one user at a time: each costs its device mobile traffic. */
export const runningPerUser = 5

/**
 * The range of the request. Refuses (400) one that begins before the last 15 days or ends after today, by the days of
 * the server's zone.
 */
export function logRange(param: { startTime: string; endTime: string }, now = new Date()): TimeRange {
  const { from, to } = rangeEdges(param)
  if (!from || !to) throw new Error('the schema requires both')
  if (from < startOfDay(now, -logWindowDays)) {
    refuseInput({
      field: 'logExtractParam.startTime',
      message: `只能提取最近 ${logWindowDays} 天内的日志`,
    })
  }
  if (to > startOfDay(now, 1)) {
    refuseInput({ field: 'logExtractParam.endTime', message: '结束时间不能晚于今天' })
  }
  return { from, to }
}
