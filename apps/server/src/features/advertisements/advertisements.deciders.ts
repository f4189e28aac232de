// Whose decisions an advertisement carries: its creator's all the time, and those of a user who asked for another attempt
// until the cabinet has the file.
import { createAdvertisement, describeStop, retryDeliveries, type StoppedDecider } from '@voltkeep/contract'
import { type DataScope, everything } from '../../domain/access/data-scope.ts'
import { type Decider, type Standing, standingScope } from '../../domain/access/deciders.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { type DeliveryEvent, reasons } from './advertisements.states.ts'
import { type Asker, listWithin } from './deliveries.queries.ts'

export interface Created {
  createdBy: number
  createdByName: string
}

const creatorOf = ({ createdBy, createdByName }: Created): Decider => ({
  userId: createdBy,
  name: createdByName,
  role: '创建人',
  functionCodes: [createAdvertisement.access],
})
const askerOf = (asker: Asker): Decider => ({
  ...asker,
  role: '重试人',
  functionCodes: [retryDeliveries.access],
})

/** The cabinets that the creator's decision reaches as of now; stopped where it does not stand. */
export const standingOf = (db: Db, created: Created): Promise<Standing> =>
  standingScope(db, [creatorOf(created)])

/** By creator: why nothing of that user's advertisements is sent at present; null where it is. */
export async function readStops(
  db: Db,
  advertisements: readonly Created[],
): Promise<Map<number, StoppedDecider | null>> {
  const stops = new Map<number, StoppedDecider | null>()
  for (const one of advertisements) {
    if (!stops.has(one.createdBy)) stops.set(one.createdBy, (await standingOf(db, one)).stopped)
  }
  return stops
}

export interface DueDelivery {
  id: string
  advertisementId: number
  asker: Asker | null
}

/** What keeps deliveries that are due from being sent, by id: someone whose decision does not reach the cabinet now. */
export async function readObstacles(
  trx: Trx,
  due: readonly DueDelivery[],
  about: ReadonlyMap<number, Created>,
  nowMs: number,
): Promise<Map<string, DeliveryEvent>> {
  const obstacles = new Map<string, DeliveryEvent>()
  const hinder = async (
    some: readonly DueDelivery[],
    standing: Standing,
    { stopped, beyond }: { stopped: (by: StoppedDecider) => DeliveryEvent; beyond: DeliveryEvent },
  ) => {
    const inside = standing.stopped ? null : await within(trx, standing.scope, some)
    for (const { id } of some) {
      if (standing.stopped) obstacles.set(id, stopped(standing.stopped))
      else if (inside && !inside.has(id)) obstacles.set(id, beyond)
    }
  }
  for (const some of Map.groupBy(
    due.filter(({ asker }) => asker !== null),
    ({ asker }) => asker?.userId,
  ).values()) {
    await hinder(some, await standingScope(trx, [askerOf(some[0]?.asker as Asker)]), {
      stopped: (by) => ({ kind: 'unasked', reason: describeStop(by) }),
      beyond: { kind: 'unasked', reason: reasons.beyondAsker },
    })
  }
  // The creator's come last: what the creator does not reach is not sent, whoever asks.
  const ofCreators = Map.groupBy(due, ({ advertisementId }) => about.get(advertisementId)?.createdBy)
  for (const some of ofCreators.values()) {
    const created = about.get((some[0] as DueDelivery).advertisementId)
    if (!created) continue
    await hinder(some, await standingOf(trx, created), {
      stopped: () => ({ kind: 'held' }),
      beyond: { kind: 'withdrawn', why: 'leftScope', nowMs },
    })
  }
  return obstacles
}

/** Null: all of them. */
const within = async (trx: Trx, scope: DataScope, some: readonly DueDelivery[]) =>
  scope === everything
    ? null
    : listWithin(
        trx,
        scope,
        some.map(({ id }) => id),
      )
