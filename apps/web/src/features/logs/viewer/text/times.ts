// The time at the head of a line. Times are milliseconds as if the device's clock were UTC: devices write no zone,
// and times are only compared with others of the same clock.

/** Completes times that lack a part: the year of a syslog line, the date of a bare time of day. */
export interface Base {
  year: number
  /** 1 to 12. */
  month: number
  day: number
}

/** A time begins within this many characters of its line. */
export const timeHeadLength = 64

const clock = String.raw`(?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d):(?<second>[0-5]\d|60)(?:[.,:](?<fraction>\d{1,9}))?`
const full = new RegExp(
  String.raw`(?<!\d)(?<year>(?:19|20)\d\d)(?:[-/.](?<month>\d\d?)[-/.](?<day>\d\d?)|年(?<month2>\d\d?)月(?<day2>\d\d?)日)[T _-]*${clock}(?<zone>Z|[+-]\d\d:?\d\d)?`,
)
const packed =
  /(?<!\d)(?<year>20\d\d)(?<month>[01]\d)(?<day>[0-3]\d)[T _-]?(?<hour>[0-2]\d):?(?<minute>[0-5]\d):?(?<second>[0-5]\d)(?!\d)/
const withoutYear = new RegExp(String.raw`(?<![\d/-])(?<month>[01]?\d)[-/](?<day>[0-3]?\d) ${clock}`)
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const syslog = new RegExp(String.raw`\b(?<name>${months.join('|')}) +(?<day>\d\d?) ${clock}`)
const bare = new RegExp(String.raw`(?<![\d:.])${clock}(?![\d:])`)
const epoch = /(?:^|[[{"\s=:])(?<seconds>1[4-9]\d{8})(?:(?<millis>\d{3})|[.](?<fraction>\d{1,9}))?(?!\d)/

/** The time at the head of a line; NaN without one. */
export function timeOf(head: string, base: Base): number {
  for (const pattern of [full, packed, syslog, withoutYear, bare]) {
    const match = pattern.exec(head)
    if (match?.groups) return momentOf(match.groups, base)
  }
  const counted = epoch.exec(head)?.groups
  if (!counted) return Number.NaN
  const ms = Number(counted.seconds) * 1_000 + Number(counted.millis ?? milliseconds(counted.fraction))
  return ms - new Date(ms).getTimezoneOffset() * 60_000
}

function momentOf(parts: Record<string, string | undefined>, base: Base): number {
  const { name, zone } = parts
  const month =
    name === undefined ? Number(parts.month ?? parts.month2 ?? base.month) : months.indexOf(name) + 1
  const ms = Date.UTC(
    Number(parts.year ?? base.year),
    month - 1,
    Number(parts.day ?? parts.day2 ?? base.day),
    Number(parts.hour),
    Number(parts.minute),
    Number(parts.second),
    milliseconds(parts.fraction),
  )
  if (zone === undefined) return ms
  const sign = zone.startsWith('-') ? -1 : 1
  const offset = zone === 'Z' ? 0 : sign * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2)))
  const utc = ms - offset * 60_000
  return utc - new Date(utc).getTimezoneOffset() * 60_000
}

const milliseconds = (fraction: string | undefined) =>
  fraction === undefined ? 0 : Math.floor(Number(`0.${fraction}`) * 1_000)

const typed =
  /^(?:(?:(?<year>\d{4})[-/])?(?<month>\d{1,2})[-/](?<day>\d{1,2})[ T]+)?(?<hour>\d{1,2})[:：](?<minute>\d{1,2})(?:[:：](?<second>\d{1,2})(?:\.(?<fraction>\d{1,3}))?)?$/

/** Parses a time that the user typed: `2026-11-20 09:30:05`, `11-20 09:30`, `9:30`. NaN if it is no time. */
export function readMoment(text: string, base: Base): number {
  const parts = typed.exec(text.trim())?.groups
  if (!parts) return Number.NaN
  if (Number(parts.hour) > 23 || Number(parts.minute) > 59 || Number(parts.second ?? 0) > 59)
    return Number.NaN
  if (Number(parts.month ?? 1) > 12 || Number(parts.day ?? 1) > 31) return Number.NaN
  return momentOf({ ...parts, second: parts.second ?? '0' }, base)
}

/** The usual display format: `2026-11-20 09:30:05`. */
export function formatMoment(ms: number): string {
  return new Date(ms).toISOString().slice(0, 'YYYY-MM-DD HH:mm:ss'.length).replace('T', ' ')
}

/** The date of a moment, for times without a date. */
export function baseOf(ms: number): Base {
  const at = new Date(ms)
  return { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, day: at.getUTCDate() }
}
