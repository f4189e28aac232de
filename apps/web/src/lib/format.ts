import { formatDateTime } from '@voltkeep/contract/fields'
import { texts } from './texts/index.ts'

const grouped = new Intl.NumberFormat('zh-CN')

/** 12345 as 12,345. */
export function formatCount(value: number): string {
  return grouped.format(value)
}

const byteUnits = ['B', 'KB', 'MB', 'GB', 'TB']

/** 1536 as 1.5 KB. */
export function formatBytes(bytes: number): string {
  let unit = 0
  let value = bytes
  while (value >= 1024 && unit < byteUnits.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1).replace(/\.0$/, '')} ${byteUnits[unit]}`
}

/** A share as 93.5%; nothing of nothing is a dash. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return '—'
  const percent = (part / whole) * 100
  // A single device offline among thousands must not read as all online.
  const shown = percent > 99.9 && part < whole ? 99.9 : percent
  return `${shown.toFixed(1).replace(/\.0$/, '')}%`
}

/** The moment a wire time names, taken in the browser's zone; undefined where it is none. */
export function readWireTime(time: string): Date | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2}):(\d{2}))?$/.exec(time)
  if (!match) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0))
  return new Date(year, month - 1, day, hour, minute, second)
}

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** How long ago, in words; beyond a month the date itself says more. */
export function formatAgo(at: Date, now: Date): string {
  const ms = now.getTime() - at.getTime()
  if (ms < -minuteMs) return ''
  if (ms < minuteMs) return texts.time.justNow
  if (ms < hourMs) return texts.time.minutesAgo(Math.floor(ms / minuteMs))
  if (ms < dayMs) return texts.time.hoursAgo(Math.floor(ms / hourMs))
  if (ms < 30 * dayMs) return texts.time.daysAgo(Math.floor(ms / dayMs))
  return ''
}

/** A length of time in its two largest units: 2 天 3 小时, 5 分钟; in seconds below a minute. */
export function formatDuration(ms: number): string {
  if (ms < minuteMs) return texts.time.durationSeconds(Math.max(0, Math.floor(ms / secondMs)))
  const minutes = Math.floor(ms / minuteMs)
  const days = Math.floor(minutes / (24 * 60))
  const hours = Math.floor((minutes % (24 * 60)) / 60)
  const rest = minutes % 60
  if (days > 0) return texts.time.duration(days, hours)
  if (hours > 0) return texts.time.durationHours(hours, rest)
  return texts.time.durationMinutes(rest)
}

/** `YYYY-MM-DD`, as range filters send a bare day. */
export function formatDay(at: Date): string {
  return formatDateTime(at).slice(0, 'YYYY-MM-DD'.length)
}
