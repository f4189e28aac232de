// What shelves take out of use. Their times are those that they have now; whom they reached is kept with the day.
import type { Db, Trx } from '../../../platform/database/database.ts'
import type { TimeRange } from '../../../platform/process/clock.ts'
import { listPlans, listReached, type Plan } from '../../alarms/index.ts'
import type { DayAsked, SpanRow } from './device-spans.queries.ts'
import { keepReach, type Reach, readKeptReach } from './plans.queries.ts'

/** Writes down whom each shelf of the day reached, where that is not known yet. */
export async function keepPlans(trx: Trx, day: TimeRange): Promise<void> {
  const { now } = await reachOf(trx, day, await listPlans(trx, day))
  await keepReach(trx, day.from, now)
}

/** What is planned within the day, or the part of it that has been, of these devices or of all. */
export async function readPlans(db: Db, { range, deviceIds }: DayAsked): Promise<SpanRow[]> {
  const plans = await listPlans(db, range)
  const { kept, now } = await reachOf(db, range, plans)
  const asked = deviceIds && new Set(deviceIds)
  return plans.flatMap(({ shelf, spans }) => {
    const reached = kept.get(shelf.id) ?? now.get(shelf.id) ?? []
    const own = asked ? reached.filter((id) => asked.has(id)) : reached
    return own.flatMap((deviceId) =>
      spans.map(({ from, to }) => ({ deviceId, from: wholeSecond(from), to: to && wholeSecond(to) })),
    )
  })
}

const wholeSecond = (at: Date) => Math.floor(at.getTime() / 1000)

async function reachOf(
  db: Db,
  day: TimeRange,
  plans: readonly Plan[],
): Promise<{ kept: Reach /** Of those of which nothing is kept. */; now: Reach }> {
  const shelves = plans.map(({ shelf }) => shelf)
  const kept = await readKeptReach(
    db,
    day.from,
    shelves.map(({ id }) => id),
  )
  const now = await listReached(
    db,
    shelves.filter(({ id }) => !kept.has(id)),
  )
  return { kept, now }
}
