// Whose decisions an advertisement carries: its creator's all the time, and those of a user who asked for another attempt
// until the cabinet has the file.
import { createAdvertisement, describeStop, retryDeliveries, type StoppedDecider } from '@voltkeep/contract'
import type { DataScope } from '../../domain/access/data-scope.ts'
import { type Decider, listKeptBack, type Standing, standingScope } from '../../domain/access/deciders.ts'
import type { Asker } from '../../domain/device-work/work.queries.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { type DeliveryEvent, reasons } from './advertisements.states.ts'
import { listOffering } from './deliveries.queries.ts'
import { deliveries, type MovingDelivery } from './deliveries.work.ts'

export interface Created {
  createdBy: number
  createdByName: string
  /** The organization in which the creator's decision stays; null: in none. */
  decidedIn: number | null
}

const creatorOf = ({
  createdBy,
  createdByName,
  decidedIn = null,
}: Omit<Created, 'decidedIn'> & Partial<Created>): Decider => ({
  userId: createdBy,
  name: createdByName,
  role: '创建人',
  functionCodes: [createAdvertisement.access],
  decidedIn,
})
const askerOf = (asker: Asker): Decider => ({
  ...asker,
  role: '重试人',
  functionCodes: [retryDeliveries.access],
})

/** The cabinets that the creator's decision reaches as of now; stopped where it does not stand. */
export const standingOf = (db: Db, created: Created): Promise<Standing> =>
  standingScope(db, [creatorOf(created)])

/** The same of a user who asked for another attempt. */
export const standingOfAsker = (db: Db, asker: Asker): Promise<Standing> =>
  standingScope(db, [askerOf(asker)])

/** By creator: why nothing of that user's advertisements is sent at present; null where it is. */
export async function readStops(
  db: Db,
  advertisements: readonly Omit<Created, 'decidedIn'>[],
): Promise<Map<number, StoppedDecider | null>> {
  const stops = new Map<number, StoppedDecider | null>()
  for (const one of advertisements) {
    if (!stops.has(one.createdBy))
      stops.set(one.createdBy, (await standingScope(db, [creatorOf(one)])).stopped)
  }
  return stops
}

/** What keeps deliveries that are due from being sent, by id: someone whose decision does not reach the cabinet now. */
export async function readObstacles(
  trx: Trx,
  due: readonly Pick<MovingDelivery, 'id' | 'advertisementId' | 'asker'>[],
  about: ReadonlyMap<number, Created>,
  nowMs: number,
): Promise<Map<string, DeliveryEvent>> {
  const inScope = (scope: DataScope, ids: readonly string[]) => deliveries.listWithin(trx, scope, ids)
  const ofAskers = await listKeptBack(trx, due, ({ asker }) => asker && askerOf(asker), inScope)
  const ofCreators = await listKeptBack(
    trx,
    due,
    ({ advertisementId }) => {
      const created = about.get(advertisementId)
      return created ? creatorOf(created) : null
    },
    inScope,
  )
  // The creators' come last: what the creator does not reach is not sent, whoever asks.
  const obstacles = new Map<string, DeliveryEvent>()
  for (const [id, stopped] of ofAskers)
    obstacles.set(id, { kind: 'unasked', reason: stopped ? describeStop(stopped) : reasons.beyondAsker })
  for (const [id, stopped] of ofCreators)
    obstacles.set(id, stopped ? { kind: 'held' } : { kind: 'withdrawn', why: 'leftScope', nowMs })
  return obstacles
}

/**
 * Whether the cabinet may fetch the file now: by an advertisement that is still for it, and whose creator and, of an
 * attempt that somebody else asked for, that user reach it.
 */
export async function isStillFor(db: Db, deviceCode: string, fileId: string): Promise<boolean> {
  const offering = await listOffering(db, deviceCode, fileId)
  const within = (scope: DataScope, ids: readonly string[]) => deliveries.listWithin(db, scope, ids)
  const ofCreators = await listKeptBack(db, offering, creatorOf, within)
  const ofAskers = await listKeptBack(db, offering, ({ asker }) => asker && askerOf(asker), within)
  return offering.some(({ id }) => !ofCreators.has(id) && !ofAskers.has(id))
}
