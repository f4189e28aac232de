// The home page. Every figure is read from kept counts: no call counts devices or history itself.
import type { InputOf, Overview } from '@voltkeep/contract'
import { scopeOf } from '../../domain/access/data-scope.ts'
import { countDaysByLevel, historySources, inOneSnapshot, resolvePlaces } from '../../domain/history/index.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import type { Db } from '../../platform/database/database.ts'
import { dayOf, historyRange, startOfDay, type TimeRange } from '../../platform/process/clock.ts'
import { sharedNow } from '../../platform/process/clocks/shared-clock.ts'
import * as queries from './overview.queries.ts'
import { apartAt } from './region-troubles.ts'

export type OverviewService = ReturnType<typeof createOverview>

type Answer = InputOf<typeof Overview>

const topCount = 10
const operatorsShown = 10
const versionsShown = 5
/** The most codes that one filter of the list of alarms takes. */
const codesAtOnce = 50

/** The state of the fleet, from kept figures and counters alone. */
export function createOverview({ db }: { db: Db }) {
  return {
    async readActiveLevels(actor: Actor) {
      const places = await resolvePlaces(db, await scopeOf(db, actor), {})
      return { levels: await queries.countActiveLevels(db, places) }
    },

    async readOverview(actor: Actor): Promise<Answer> {
      const readTime = sharedNow()
      const places = await resolvePlaces(db, await scopeOf(db, actor), {})
      const range = historyRange({}, readTime)
      return await inOneSnapshot(db, async (trx) => {
        const semaphores = await queries.countActiveAlarms(trx, places)
        const filter = { ...places, codes: null, levels: null, range }
        const byDay = await countDaysByLevel({ trx, source: historySources.alarm, filter })
        const operators = await queries.listOperators(trx, places, operatorsShown)
        const regions = apartAt(await queries.listRegions(trx, places))
        const names = await queries.nameRegions(
          trx,
          regions.map(({ id }) => id),
        )
        return {
          ...deviceCounts(await queries.countDevices(trx, places)),
          longOfflineCount: await queries.countLongOffline(trx, places),
          devicesWithAlarm: await queries.countDevicesWithAlarm(trx, places),
          shelvedCount: await queries.countShelved(trx, places),
          lowStockCount: await queries.countLowStock(trx, places),
          change: await queries.readChanges(trx, places),
          activeAlarms: byLevel(semaphores),
          unknownCodes: semaphores
            .filter(({ alarmLevel }) => alarmLevel === null)
            .slice(0, codesAtOnce)
            .map(({ semaphoreCode }) => semaphoreCode),
          alarmsByDay: everyDay(range, byDay),
          topAlarms: semaphores.slice(0, topCount),
          operators,
          troubledOperators: operators[0]?.total ?? 0,
          regions: regions.flatMap((region) => {
            const named = names.find(({ id }) => id === region.id)
            return named ? [{ ...region, ...named }] : []
          }),
          parts: spread(await queries.countVersions(trx, places)),
          readTime,
        }
      })
    },
  }
}

function deviceCounts(counts: Awaited<ReturnType<typeof queries.countDevices>>) {
  return {
    deviceCount: [...counts.values()].reduce((sum, count) => sum + count, 0),
    onlineCount: counts.get('online') ?? 0,
    offlineCount: counts.get('offline') ?? 0,
    neverCount: counts.get('never') ?? 0,
    undeliveredCount: counts.get('undelivered') ?? 0,
    commissioningCount: counts.get('commissioning') ?? 0,
  }
}

/** Every level the dictionary has, gravest first; then 0, for what it does not know, where there is any. */
function byLevel(semaphores: readonly queries.SemaphoreCount[]): Answer['activeAlarms'] {
  const countOf = (level: number) =>
    semaphores.reduce((sum, { alarmLevel, count }) => sum + ((alarmLevel ?? 0) === level ? count : 0), 0)
  const unknown = countOf(0)
  return [
    ...[1, 2, 3, 4].map((level) => ({ level, count: countOf(level) })),
    ...(unknown > 0 ? [{ level: 0, count: unknown }] : []),
  ]
}

/** Days without alarms too. */
function everyDay(
  range: TimeRange,
  counts: Awaited<ReturnType<typeof countDaysByLevel>>,
): Answer['alarmsByDay'] {
  const days: Answer['alarmsByDay'] = []
  for (let at = range.from; at < range.to; at = startOfDay(at, 1)) {
    const day = dayOf(at)
    days.push({ day, ...(counts.get(day) ?? { count: 0, levels: [0, 0, 0, 0] }) })
  }
  return days
}

/** The most frequent versions of each kind, in the order given; the others are summed up. */
function spread(counts: readonly queries.VersionCount[]): Answer['parts'] {
  const kinds = Map.groupBy(counts, ({ partType }) => partType)
  return [...kinds].map(([partType, versions]) => {
    const shown = new Set(versions.toSorted((a, b) => b.count - a.count).slice(0, versionsShown))
    const others = versions.filter((one) => !shown.has(one))
    return {
      partType,
      partTypeName: versions[0]?.partTypeName ?? partType,
      versions: versions.filter((one) => shown.has(one)).map(({ version, count }) => ({ version, count })),
      otherVersions: others.length,
      otherCount: others.reduce((sum, { count }) => sum + count, 0),
    }
  })
}
