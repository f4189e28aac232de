// What is kept quiet at a moment, as a record of that moment has it: who, why, of what, until when.
import { type ShelfKind, shelfIdleDays } from '@voltkeep/contract'
import { type DataScope, isWithinScope } from '../../../domain/access/data-scope.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import type { Db } from '../../../platform/database/database.ts'
import { sharedNow } from '../../../platform/process/clocks/shared-clock.ts'
import { listOpenShelves, listTargets, standingScopesOf, windowOf } from './quiet.queries.ts'
import { spanAt } from './shelf-times.rules.ts'
import { listShelves } from './shelves.queries.ts'

export interface QuietNow {
  shelfId: number
  organizationId: number
  kind: ShelfKind
  reason: string
  makerName: string
  /** Null: without end. */
  until: Date | null
  /** The named devices within the scope; null: by a filter. */
  deviceIds: number[] | null
  placeNames: string[]
  semaphoreNames: string[] | null
  levels: number[] | null
  compartment: number | null
  isOneShot: boolean
}

/** The shelves in force that the actor may know of, of those that keep anything quiet; the newest first. */
export async function listQuietNow(
  db: Db,
  actor: Actor,
  scope: DataScope,
  limit: number,
  at = sharedNow(),
): Promise<QuietNow[]> {
  const open = await listOpenShelves(db, at)
  const untilOf = new Map<number, Date | null>()
  const inForce = open.filter((shelf) => {
    const span = spanAt({ ...shelf, window: windowOf(shelf) }, at)
    if (span) untilOf.set(shelf.id, span.to)
    return span !== null
  })
  const scopes = await standingScopesOf(db, inForce)
  const ids = inForce.filter((_, n) => scopes[n] !== null).map(({ id }) => id)
  if (ids.length === 0) return []
  const page = { limit, offset: 0 }
  const shelves = await listShelves(db, actor, scope, { isOver: false, ids }, shelfIdleDays, page)
  const targets = Map.groupBy(
    await listTargets(
      db,
      shelves.map(({ id }) => id),
    ),
    ({ shelfId }) => shelfId,
  )
  return shelves.map((shelf) => {
    const own = (targets.get(shelf.id) ?? []).filter((target) => isWithinScope(scope, target))
    const { organizationName, operatorName, regionName, equipTypeName, equipModelName } = shelf
    return {
      shelfId: shelf.id,
      organizationId: shelf.organizationId,
      kind: shelf.kind,
      reason: shelf.reason,
      makerName: shelf.decidedByName,
      until: untilOf.get(shelf.id) ?? null,
      deviceIds: shelf.deviceCodes === null ? null : [...new Set(own.map(({ deviceId }) => deviceId))],
      placeNames: [organizationName, operatorName, regionName, equipTypeName, equipModelName].flatMap(
        (name) => name ?? [],
      ),
      semaphoreNames: shelf.semaphoreNames,
      levels: shelf.alarmLevels,
      compartment: shelf.compartment,
      isOneShot: shelf.isOneShot,
    }
  })
}
