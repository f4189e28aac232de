import type { Overview } from '@voltkeep/contract/overview'
import { formatCount, formatShare } from '../../lib/format.ts'
import { texts } from '../../lib/texts/index.ts'
import { overviewTexts as words } from './overview.texts.ts'

/** The share of online devices among the activated ones that were ever connected. */
export const onlineRate = (counts: { onlineCount: number; offlineCount: number }) =>
  formatShare(counts.onlineCount, counts.onlineCount + counts.offlineCount)

/** Critical and major alarms per hundred devices. */
export const urgentDensity = (counts: {
  onlineCount: number
  offlineCount: number
  criticalCount: number
  majorCount: number
}) => {
  const devices = counts.onlineCount + counts.offlineCount
  const urgent = counts.criticalCount + counts.majorCount
  return devices === 0 || urgent === 0 ? '0' : ((urgent / devices) * 100).toFixed(1).replace(/\.0$/, '')
}

/** Whether a region has data: a device that was ever connected, or an alarm. */
export const isKnown = (counts: { onlineCount: number; offlineCount: number; alarmCount: number }) =>
  counts.onlineCount + counts.offlineCount + counts.alarmCount > 0

/** `昨日 10:00`; `今日 10:00` where the figures are kept for less than a day. */
export function sinceWord(since: string, readTime: string): string {
  const time = since.slice(11, 16)
  return since.slice(0, 10) === readTime.slice(0, 10) ? words.earlier(time) : words.yesterday(time)
}

/** The average over the days with data: an installation of last week has no month. */
export function averageOf(counts: readonly number[]): { days: number; average: number } {
  const days = counts.filter((count) => count > 0).length
  const sum = counts.reduce((all, count) => all + count, 0)
  return { days, average: days === 0 ? 0 : Math.round(sum / days) }
}

/** Fewer days make no trend. */
const leastShown = 14

/** The last days of a month without the days before the first with data, but at least two weeks. */
export function shownDays<Day extends { count: number }>(days: readonly Day[]): readonly Day[] {
  const first = days.findIndex(({ count }) => count > 0)
  return days.slice(Math.min(Math.max(first, 0), Math.max(days.length - leastShown, 0)))
}

/**
 * The change of the seven days before today against the seven before them, as `+12%`. Null where one of the fourteen
 * days has no data: an installation of last week has nothing to compare.
 */
export function weekChange(counts: readonly number[]): string | null {
  const two = counts.slice(-15, -1)
  if (two.length < 14 || two.includes(0)) return null
  const sum = (part: readonly number[]) => part.reduce((all, count) => all + count, 0)
  const before = sum(two.slice(0, 7))
  const percent = Math.round(((sum(two.slice(7)) - before) / before) * 100)
  return percent === 0 ? words.same : `${percent > 0 ? '+' : '−'}${Math.abs(percent)}%`
}

type Day = Overview['alarmsByDay'][number]

/** The number of alarms without a level in the dictionary. */
export const unknownOf = ({ count, levels }: Pick<Day, 'count' | 'levels'>) =>
  count - levels.reduce((sum, each) => sum + each, 0)

/** `2026-11-21：12 条（紧急 2，重要 10），上周同日 9 条`; alarms without a level come last. */
export function dayWords({ day, count, levels }: Day, before = 0): string {
  const byLevel = [...levels.map((n, at) => [at + 1, n] as const), [0, unknownOf({ count, levels })] as const]
  const parts = byLevel
    .filter(([, n]) => n > 0)
    .map(([level, n]) => words.dayLevel(texts.states.levels[level] ?? '', formatCount(n)))
  const whole = words.dayCount(day, formatCount(count))
  const told = parts.length > 0 ? `${whole}（${parts.join('，')}）` : whole
  return before > 0 ? `${told}，${words.dayBefore(formatCount(before))}` : told
}
