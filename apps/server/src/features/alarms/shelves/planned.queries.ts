// SQL of shelves that take devices out of use: windows of maintenance and what is out of service, of whole devices.
import { sql } from 'kysely'
import { isWithinScope } from '../../../domain/access/data-scope.ts'
import { passes, passesNothing, resolvePlaces } from '../../../domain/history/index.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { TimeRange } from '../../../platform/process/clock.ts'
import { listTargets, type OpenShelf, shelfColumns, standingScopesOf, windowOf } from './quiet.queries.ts'
import { type Span, spansWithin } from './shelf-times.rules.ts'

/** A shelf that takes whole devices out of use, with its stretches that touch a range. */
export interface Plan {
  shelf: OpenShelf
  spans: Span[]
}

/**
 * Those of the range. A shelf of some alarms alone, by code, level or compartment, leaves the device in use: it keeps
 * them quiet and is no plan.
 */
export async function listPlans(db: Db, { from, to }: TimeRange): Promise<Plan[]> {
  const { rows } = await sql<OpenShelf>`
    SELECT ${shelfColumns} FROM alarm_shelf a
    WHERE a.kind <> 'shelve' AND a.start_at <= ${to}
      AND coalesce(least(a.ended_at, a.end_at), 'infinity') > ${from}
      AND a.semaphore_codes IS NULL AND a.alarm_levels IS NULL AND a.compartment IS NULL
    ORDER BY a.id`.execute(db)
  return rows.flatMap((shelf) => {
    const spans = spansWithin({ ...shelf, window: windowOf(shelf) }, { from, to })
    return spans.length > 0 ? [{ shelf, spans }] : []
  })
}

/** Whom each of these shelves reaches now, as far as its people see: device ids by shelf. */
export async function listReached(
  db: Db,
  shelves: readonly OpenShelf[],
): Promise<Map<number, readonly number[]>> {
  const scopes = await standingScopesOf(db, shelves)
  const targets = Map.groupBy(
    await listTargets(
      db,
      shelves.filter(({ filter }) => filter === null).map(({ id }) => id),
    ),
    ({ shelfId }) => shelfId,
  )
  const reached = new Map<number, readonly number[]>()
  for (const [n, { id, filter }] of shelves.entries()) {
    const scope = scopes[n]
    if (!scope) {
      reached.set(id, [])
      continue
    }
    if (filter === null) {
      const own = targets.get(id) ?? []
      // One of a code is of that alarm alone.
      const whole = own.filter((target) => target.code === null && isWithinScope(scope, target))
      reached.set(id, [...new Set(whole.map(({ deviceId }) => deviceId))])
      continue
    }
    const places = await resolvePlaces(db, scope, filter)
    const { rows } = passesNothing(places)
      ? { rows: [] }
      : await sql<{ id: number }>`
          SELECT id FROM (
            SELECT id, id AS device_id, operator_id, model_id, region_id, '' AS semaphore_code FROM device
          ) AS placed WHERE ${passes({ ...places, codes: null })} ORDER BY id`.execute(db)
    reached.set(
      id,
      rows.map((row) => row.id),
    )
  }
  return reached
}
