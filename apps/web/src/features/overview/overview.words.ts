import { formatShare } from '../../lib/format.ts'
import { overviewTexts as words } from './overview.texts.ts'

/** Of the activated devices that were ever connected. */
export const onlineRate = (counts: { onlineCount: number; offlineCount: number }) =>
  formatShare(counts.onlineCount, counts.onlineCount + counts.offlineCount)

/** `昨日 10:00`; `今日 10:00` where the figures are kept for less than a day. */
export function sinceWord(since: string, readTime: string): string {
  const time = since.slice(11, 16)
  return since.slice(0, 10) === readTime.slice(0, 10) ? words.earlier(time) : words.yesterday(time)
}

/** Averaged over the days that have any: an installation of last week has no month. */
export function averageOf(counts: readonly number[]): { days: number; average: number } {
  const days = counts.filter((count) => count > 0).length
  const sum = counts.reduce((all, count) => all + count, 0)
  return { days, average: days === 0 ? 0 : Math.round(sum / days) }
}
