import type { InputOf, Overview } from '@voltkeep/contract'
import { scopeOf } from '../../domain/access/data-scope.ts'
import { countDays, historySources, inOneSnapshot, resolvePlaces } from '../../domain/history/index.ts'
import type { Actor } from '../../platform/access/actor.ts'
import { dayOf, historyRange, startOfDay } from '../../platform/clock.ts'
import type { Db } from '../../platform/database/database.ts'
import * as queries from './overview.queries.ts'

export type OverviewService = ReturnType<typeof createOverview>

const topCount = 10

/** What is wrong right now, from counters and current states alone. */
export function createOverview({ db }: { db: Db }) {
  return {
    async readOverview(actor: Actor): Promise<InputOf<typeof Overview>> {
      const readTime = new Date()
      const places = await resolvePlaces(db, await scopeOf(db, actor), {})
      const range = historyRange({}, readTime)
      return await inOneSnapshot(db, async (trx) => {
        const semaphores = await queries.countActiveAlarms(trx, places)
        const filter = { ...places, codes: null, levels: null, range }
        const counts = await countDays({ trx, source: historySources.alarm, filter })
        const alarmsByDay: { day: string; count: number }[] = []
        for (let day = range.from; day < range.to; day = startOfDay(day, 1)) {
          alarmsByDay.push({ day: dayOf(day), count: counts.get(dayOf(day)) ?? 0 })
        }
        return {
          ...(await queries.countDevices(trx, places)),
          devicesWithAlarm: await queries.countDevicesWithAlarm(trx, places),
          activeAlarms: byLevel(semaphores),
          alarmsByDay,
          topAlarms: semaphores.slice(0, topCount),
          readTime,
        }
      })
    },
  }
}

/** Every level the dictionary has, gravest first; then 0, for what it does not know, where there is any. */
function byLevel(semaphores: readonly queries.SemaphoreCount[]) {
  const countOf = (level: number) =>
    semaphores.reduce((sum, { alarmLevel, count }) => sum + ((alarmLevel ?? 0) === level ? count : 0), 0)
  const unknown = countOf(0)
  return [
    ...[1, 2, 3, 4].map((level) => ({ level, count: countOf(level) })),
    ...(unknown > 0 ? [{ level: 0, count: unknown }] : []),
  ]
}
