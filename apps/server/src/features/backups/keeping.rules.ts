// Which of the nightly backups are kept, and when the next one is due. Pure.

export const prefix = 'voltkeep-'
export const suffix = '.tar.zst'

const two = (value: number) => String(value).padStart(2, '0')

/** In the installation's zone. */
export const nameOf = (at: Date): string =>
  `${prefix}${at.getFullYear()}${two(at.getMonth() + 1)}${two(at.getDate())}` +
  `-${two(at.getHours())}${two(at.getMinutes())}${two(at.getSeconds())}${suffix}`

/** When the backup of that name was begun; null for a file that is none of ours. */
export function timeOf(name: string): Date | null {
  const found = /^voltkeep-(\d{4})(\d{2})(\d{2})-(\d{2})(\d{2})(\d{2})\.tar\.zst$/.exec(name)
  if (!found) return null
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1).map(Number)
  return new Date(year, month - 1, day, hour, minute, second)
}

/** A clock may be corrected by as much after a backup was begun. */
const correctedMs = 300_000

/** Begun by a clock that was ahead: nobody knows when, and it says nothing of the nights before that time. */
export const isAhead = (at: Date, now: Date): boolean => at.getTime() - now.getTime() > correctedMs

/** The newest of each of so many days, weeks and months that have one. */
const kept = { days: 7, weeks: 4, months: 12 }

/** Of backups begun at these times, those to keep. */
export function keepers(times: readonly Date[]): Set<Date> {
  const newestFirst = times.toSorted((a, b) => b.getTime() - a.getTime())
  const newestOf = (count: number, periodOf: (at: Date) => string) => {
    const periods = new Map<string, Date>()
    for (const at of newestFirst) if (!periods.has(periodOf(at))) periods.set(periodOf(at), at)
    return [...periods.values()].slice(0, count)
  }
  return new Set([
    ...newestOf(kept.days, dayOf),
    ...newestOf(kept.weeks, (at) => dayOf(mondayOf(at))),
    ...newestOf(kept.months, (at) => `${at.getFullYear()}-${at.getMonth()}`),
  ])
}

const dayOf = (at: Date) => `${at.getFullYear()}-${at.getMonth()}-${at.getDate()}`
const mondayOf = (at: Date) =>
  new Date(at.getFullYear(), at.getMonth(), at.getDate() - ((at.getDay() + 6) % 7))

/** Whether the hour has come since the last good one was begun. */
export function isDue({ now, hour, last }: { now: Date; hour: number; last: Date | null }): boolean {
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate(), hour)
  const latest = today <= now ? today : new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1, hour)
  return last === null || last < latest
}
