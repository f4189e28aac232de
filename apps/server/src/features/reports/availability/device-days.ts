// Days of devices as the history has them: for the job that keeps them, and for reports on what is not kept yet.
import type { Db } from '../../../platform/database/database.ts'
import { atDay, dayOf, startOfDay, type TimeRange } from '../../../platform/process/clock.ts'
import { type DeviceDay, divideDay, isNotAllUp } from './device-day.rules.ts'
import { listEventful, readBefore, readSpans } from './device-spans.queries.ts'
import { readPlans } from './plans.ts'

export type KeptDay = DeviceDay & { deviceId: number }

/** How the day before ended for a device (`downSince`), where that is not what is kept of it. */
export type Carried = (deviceId: number) => number | null | 'asKept'

/** The day of these devices, or of all, as far as it was not all up. `isWhole`: see `DayAsked`. */
export async function divideDays(
  db: Db,
  range: TimeRange,
  deviceIds: readonly number[] | null,
  carried: Carried = () => 'asKept',
  isWhole = false,
): Promise<KeptDay[]> {
  const asked = { range, deviceIds, isWhole }
  const spans = await readSpans(db, asked, await readPlans(db, asked))
  const { devices, isDayBeforeKnown } = await readBefore(db, range.from, [...spans.keys()])
  const from = Math.floor(range.from.getTime() / 1000)
  const to = Math.floor(range.to.getTime() / 1000)
  return devices.flatMap(({ deviceId, knownFrom, downSince }) => {
    const own = spans.get(deviceId)
    if (!own || knownFrom >= to) return []
    const kept = isDayBeforeKnown ? downSince : undefined
    const given = carried(deviceId)
    const before = given === 'asKept' ? kept : given
    const day = divideDay({ from: Math.max(from, knownFrom), to }, own, before)
    return isNotAllUp(day) ? [{ deviceId, ...day }] : []
  })
}

/** What a range has beside the kept days. */
export interface Divided {
  days: KeptDay[]
  /** Days that are not kept at all. */
  wholeDays: string[]
}

/**
 * Days of devices that one report divides. With all their alarms these take about a minute; a report that would divide
 * more shows what is touched as it is kept, until the job has added it up again.
 */
export const mostDivided = 200_000

/**
 * The days of a range up to now that are not kept, and those of single devices that were touched since. Earliest first:
 * each begins as the one before ended. `within`: the devices that the caller asks for, null for all.
 */
export async function divideUnkept(
  db: Db,
  {
    range,
    kept,
    touched,
    within,
  }: {
    range: TimeRange
    kept: ReadonlySet<string>
    touched: readonly Touched[]
    within: readonly number[] | null
  },
): Promise<Divided> {
  const own = within && new Set(within)
  const divided: Divided = { days: [], wholeDays: [] }
  const ends = new Map<string, Carried>()
  const touchedOf = new Map(touched.map(({ day, deviceIds }) => [day, deviceIds]))
  const first = touched[0] && atDay(touched[0].day) < range.from ? atDay(touched[0].day) : range.from
  for (let day = first; day < range.to; day = startOfDay(day, 1)) {
    const name = dayOf(day)
    const isKept = kept.has(name) || day < range.from
    const some = touchedOf.get(name)
    if (isKept && !some) continue
    const next = startOfDay(day, 1)
    const isOver = next <= range.to
    const part = { from: day, to: isOver ? next : range.to }
    const eventful = async () => {
      const ids = await listEventfulNow(db, part)
      return own ? ids.filter((id) => own.has(id)) : ids
    }
    const deviceIds = isKept ? (some ?? []) : isOver ? within : await eventful()
    const before = ends.get(dayOf(startOfDay(day, -1)))
    const days = await divideDays(db, part, deviceIds, before, !isKept && isOver)
    const downSince = new Map(days.map((one) => [one.deviceId, one.downSince]))
    const looked = isKept ? new Set(some) : null
    ends.set(name, (id) => (looked && !looked.has(id) ? 'asKept' : (downSince.get(id) ?? null)))
    if (day < range.from) continue
    divided.days.push(...days)
    if (!isKept) divided.wholeDays.push(name)
  }
  return divided
}

async function listEventfulNow(db: Db, range: TimeRange): Promise<number[]> {
  const planned = await readPlans(db, { range, deviceIds: null })
  return [...new Set([...(await listEventful(db, range)), ...planned.map(({ deviceId }) => deviceId)])]
}

export interface Touched {
  day: string
  deviceIds: number[]
}
