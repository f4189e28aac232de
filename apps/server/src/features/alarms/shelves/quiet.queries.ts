/**
 * SQL of what is kept quiet now. The shelves in force are read each time, with how far their people see as of now: there are
 * few, and each list of alarms is asked against them. Named devices are looked up in one relation, filters are conditions
 * on the columns that alarms and devices share, so that what no shelf is about is joined with nothing.
 */
import { compartmentsNamed } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, intersectScopes, isWithinScope } from '../../../domain/access/data-scope.ts'
import { standingScopes } from '../../../domain/access/deciders.ts'
import {
  type PlaceFilter,
  passes,
  passesNothing,
  resolvePlaces,
  resolveSemaphores,
  type Wanted,
} from '../../../domain/history/index.ts'
import type { Db } from '../../../platform/database/database.ts'
import { sharedNow } from '../../../platform/process/clocks/shared-clock.ts'
import { type DecidedShelf, decidersOf } from './shelf-decider.ts'
import { type ShelfTimes, spanAt, type WindowTimes } from './shelf-times.rules.ts'

/** A shelf as far as it decides what is quiet. */
export interface ShelfReach extends DecidedShelf {
  id: number
  /** Null: its targets. */
  filter: Wanted | null
  codes: string[] | null
  levels: number[] | null
  compartment: number | null
  isOneShot: boolean
}

export interface OpenShelf extends ShelfReach, Omit<ShelfTimes, 'window'> {
  timeZone: string | null
  startLocal: string | null
  endLocal: string | null
  repeat: string | null
}

export const windowOf = (shelf: {
  timeZone: string | null
  startLocal: string | null
  endLocal: string | null
  repeat: string | null
}): WindowTimes | null =>
  shelf.timeZone !== null && shelf.startLocal !== null && shelf.endLocal !== null
    ? {
        timeZone: shelf.timeZone,
        startLocal: shelf.startLocal,
        endLocal: shelf.endLocal,
        repeat: shelf.repeat,
      }
    : null

/** One device's alarms: of a code, of any but fire, of an episode, or of those bits or that value alone. */
interface QuietTarget {
  shelfId: number
  until: Date | null
  deviceId: number
  code: string | null
  episodeId: string | null
  mask: string | null
  exact: string | null
}

/** The alarms of devices by what they are; codes null: any but fire. */
interface QuietPlace {
  shelfId: number
  until: Date | null
  places: PlaceFilter
  codes: readonly string[] | null
}

/** What is kept quiet at a moment. */
export interface Quiet {
  targets: QuietTarget[]
  places: QuietPlace[]
  fireCodes: readonly string[]
}

export const isNothing = ({ targets, places }: Quiet) => targets.length === 0 && places.length === 0

export const shelfColumns = sql`
  a.id, a.kind, a.filter, a.semaphore_codes AS codes, a.alarm_levels AS levels, a.compartment,
  a.is_one_shot AS "isOneShot", a.is_critical AS "isCritical", a.start_at AS "startAt", a.end_at AS "endAt",
  a.ended_at AS "endedAt", a.time_zone AS "timeZone", a.start_local AS "startLocal", a.end_local AS "endLocal",
  a.repeat, a.decided_by AS "decidedBy", a.decided_by_name AS "decidedByName", a.decided_in AS "decidedIn",
  a.approved_by AS "approvedBy", a.approved_by_name AS "approvedByName", a.approved_in AS "approvedIn"`

/** The shelves that are not over, also windows that are between two occurrences. */
export async function listOpenShelves(db: Db, at: Date): Promise<OpenShelf[]> {
  const { rows } = await sql<OpenShelf>`
    SELECT ${shelfColumns} FROM alarm_shelf a
    WHERE a.ended_at IS NULL AND (a.end_at IS NULL OR a.end_at > ${at})
    ORDER BY a.id`.execute(db)
  return rows
}

/** What is kept quiet at this moment. */
export async function readQuiet(db: Db, at = sharedNow()): Promise<Quiet> {
  return await quietBy(db, await listOpenShelves(db, at), at)
}

export async function quietBy(db: Db, shelves: readonly OpenShelf[], at: Date): Promise<Quiet> {
  const inForce = shelves.flatMap((shelf) => {
    const span = spanAt({ ...shelf, window: windowOf(shelf) }, at)
    return span ? [{ shelf, until: span.to }] : []
  })
  if (inForce.length === 0) return { targets: [], places: [], fireCodes: [] }
  const scopes = await standingScopesOf(
    db,
    inForce.map(({ shelf }) => shelf),
  )
  const standing = inForce.flatMap(({ shelf, until }, n) => {
    const scope = scopes[n]
    return scope ? [{ shelf, until, scope }] : []
  })
  return await reachesOf(db, standing)
}

/** How far each shelf's people see together; null where one of them may not decide any more. */
export async function standingScopesOf(
  db: Db,
  shelves: readonly DecidedShelf[],
): Promise<(DataScope | null)[]> {
  const deciders = shelves.map(decidersOf)
  const all = [...new Map(deciders.flat().map((one) => [keyOf(one), one])).entries()]
  const found = await standingScopes(
    db,
    all.map(([, one]) => one),
  )
  const scopeByKey = new Map(all.map(([key], n) => [key, found[n] ?? null]))
  return deciders.map((own) => {
    const scopes = own.map((one) => scopeByKey.get(keyOf(one)) ?? null)
    return scopes.includes(null) ? null : intersectScopes(scopes.filter((scope) => scope !== null))
  })
}

const keyOf = (decider: object) => JSON.stringify(decider)

interface Standing {
  shelf: Omit<ShelfReach, keyof DecidedShelf> & Pick<ShelfReach, 'isCritical'>
  until: Date | null
  scope: DataScope
}

/** Devices times codes of one shelf that are looked up as pairs. One with more is a condition, as one by filter is. */
export const pairsAtMost = 2_000

/** Which alarms the shelves are about, within these scopes. */
export async function reachesOf(
  db: Db,
  standing: readonly Standing[],
  named?: readonly NamedTarget[],
): Promise<Quiet> {
  const { rows: fire } = await sql<{ code: string }>`
    SELECT code FROM dictionary_entry WHERE type = 'ALARM' AND is_fire ORDER BY code`.execute(db)
  const fireCodes = fire.map(({ code }) => code)
  const quiet: Quiet = { targets: [], places: [], fireCodes }
  const targets =
    named ??
    (await listTargets(
      db,
      standing.filter(({ shelf }) => shelf.filter === null).map(({ shelf }) => shelf.id),
    ))
  const targetsOf = Map.groupBy(targets, ({ shelfId }) => shelfId)
  const definitions = await readCompartmentBits(
    db,
    standing.flatMap(({ shelf }) => shelf.compartment ?? []),
  )
  const placesByKey = new Map<string, Promise<PlaceFilter>>()
  const codesByKey = new Map<string, Promise<readonly string[] | null>>()
  for (const { shelf, until, scope } of standing) {
    const kinds = JSON.stringify([shelf.codes, shelf.levels, shelf.isCritical])
    const asked = codesByKey.get(kinds) ?? codesOf(db, shelf, fireCodes)
    codesByKey.set(kinds, asked)
    const codes = await asked
    if (codes?.length === 0) continue
    const head = { shelfId: shelf.id, until }
    if (shelf.filter !== null) {
      const { filter } = shelf
      const key = JSON.stringify([scope, filter])
      const places = placesByKey.get(key) ?? resolvePlaces(db, scope, filter)
      placesByKey.set(key, places)
      const found = await places
      if (!passesNothing(found)) quiet.places.push({ ...head, places: found, codes })
      continue
    }
    const own = (targetsOf.get(shelf.id) ?? []).filter((target) => isWithinScope(scope, target))
    if (shelf.compartment !== null) {
      for (const { deviceId, classify } of own)
        quiet.targets.push(
          ...(definitions.get(`${classify} ${shelf.compartment}`) ?? [])
            .filter(({ code }) => !fireCodes.includes(code) && (codes === null || codes.includes(code)))
            .map((bits) => ({ ...head, deviceId, episodeId: null, ...bits })),
        )
      continue
    }
    const ofCode = { mask: null, exact: null }
    const whole = own.filter(({ code }) => code === null)
    if (codes !== null && whole.length * codes.length > pairsAtMost) {
      const deviceIds = whole.map(({ deviceId }) => deviceId)
      quiet.places.push({ ...head, places: { ...anywhere, deviceIds }, codes })
    } else {
      for (const { deviceId, episodeId } of whole)
        for (const code of codes ?? [null])
          quiet.targets.push({ ...head, ...ofCode, deviceId, code, episodeId })
    }
    for (const { deviceId, code, episodeId } of own)
      if (code !== null && (shelf.isCritical || !fireCodes.includes(code)))
        quiet.targets.push({ ...head, ...ofCode, deviceId, code, episodeId })
  }
  quiet.targets.push(...jointBits(quiet.targets))
  return quiet
}

const anywhere: PlaceFilter = {
  operatorIds: null,
  modelIds: null,
  regionIds: null,
  topRegionIds: null,
  deviceIds: null,
}

/** Null: all but fire. A shelf that is not of fire never has one of its codes. */
async function codesOf(
  db: Db,
  { codes, levels, isCritical }: Pick<ShelfReach, 'codes' | 'levels' | 'isCritical'>,
  fireCodes: readonly string[],
): Promise<readonly string[] | null> {
  const found =
    levels === null
      ? codes
      : (
          await resolveSemaphores(db, 'ALARM', {
            semaphoreCode: codes ?? undefined,
            alarmLevel: levels,
          })
        ).codes
  return isCritical ? found : (found?.filter((code) => !fireCodes.includes(code)) ?? null)
}

/** Two compartments of a device, each shelved by itself, keep an alarm quiet that is of both. */
function jointBits(targets: readonly QuietTarget[]): QuietTarget[] {
  const ofBits = targets.filter(({ mask }) => mask !== null)
  return [...Map.groupBy(ofBits, ({ deviceId, code }) => `${deviceId} ${code}`).values()].flatMap((some) => {
    const [first, ...rest] = some
    if (!first || rest.length === 0) return []
    const ends = some.flatMap(({ until }) => until ?? [])
    const mask = some.reduce((bits, one) => bits | BigInt(one.mask ?? 0), 0n)
    return [
      {
        ...first,
        mask: String(mask),
        until: ends.length > 0 ? new Date(Math.min(...ends.map(Number))) : null,
      },
    ]
  })
}

export interface NamedTarget {
  shelfId: number
  deviceId: number
  code: string | null
  episodeId: string | null
  operatorId: number
  equipTypeId: number
  regionId: number
  classify: string
}

export async function listTargets(db: Db, shelfIds: readonly number[]): Promise<NamedTarget[]> {
  if (shelfIds.length === 0) return []
  const { rows } = await sql<NamedTarget>`
    SELECT g.shelf_id AS "shelfId", d.id AS "deviceId", g.semaphore_code AS code, g.episode_id::text AS "episodeId",
      d.operator_id AS "operatorId", t.id AS "equipTypeId", d.region_id AS "regionId", t.classify
    FROM alarm_shelf_target g JOIN device d ON d.id = g.device_id
    JOIN equip_model m ON m.id = d.model_id JOIN equip_type t ON t.id = m.equip_type_id
    WHERE g.shelf_id = ANY(${shelfIds}::int[]) ORDER BY g.shelf_id, d.id`.execute(db)
  return rows
}

interface CompartmentBits {
  code: string
  mask: string | null
  exact: string | null
}

/** What of each alarm is of a compartment alone, by family of devices and compartment. */
async function readCompartmentBits(
  db: Db,
  compartments: readonly number[],
): Promise<Map<string, CompartmentBits[]>> {
  const found = new Map<string, CompartmentBits[]>()
  if (compartments.length === 0) return found
  const { rows } = await sql<{
    code: string
    entryName: string
    classify: string
    name: string
    /** An int8. */
    at: string
    isByValue: boolean
  }>`
    SELECT e.code, e.name AS "entryName", f.equip_classify AS classify, f.name, f.bit_position AS at,
      e.analysis_type = 'VALUE' AS "isByValue"
    FROM dictionary_entry e JOIN semaphore_definition f ON f.entry_id = e.id
    WHERE e.type = 'ALARM' AND (e.analysis_type = 'VALUE' OR f.bit_position < 63)
    ORDER BY e.code, f.bit_position`.execute(db)
  const bits = new Map<string, { key: string; code: string; mask: bigint }>()
  for (const { code, entryName, classify, name, at, isByValue } of rows) {
    const [compartment, ...others] = compartmentsNamed({ meaning: name, semaphoreName: entryName })
    if (compartment === undefined || others.length > 0 || !compartments.includes(compartment)) continue
    const key = `${classify} ${compartment}`
    const own = found.get(key) ?? []
    found.set(key, own)
    if (isByValue) own.push({ code, mask: null, exact: at })
    else {
      const before = bits.get(`${key} ${code}`)?.mask ?? 0n
      bits.set(`${key} ${code}`, { key, code, mask: before | (1n << BigInt(at)) })
    }
  }
  for (const { key, code, mask } of bits.values())
    found.get(key)?.push({ code, mask: String(mask), exact: null })
  return found
}

/** The targets as a relation `q`, whose columns no table of alarms has. */
const targetRows = (targets: readonly QuietTarget[]) => sql`
  unnest(
    ${targets.map(({ shelfId }) => shelfId)}::int[], ${targets.map(({ until }) => until)}::timestamptz[],
    ${targets.map(({ deviceId }) => deviceId)}::int[], ${targets.map(({ code }) => code)}::text[],
    ${targets.map(({ episodeId }) => episodeId)}::bigint[], ${targets.map(({ mask }) => mask)}::bigint[],
    ${targets.map(({ exact }) => exact)}::bigint[]
  ) AS q (q_shelf, q_until, q_device, q_code, q_episode, q_mask, q_exact)`

/** Whether the active state in reach, of a table that is the only one beside `q`, is the target's. */
function isTarget({ targets, fireCodes }: Quiet): RawBuilder<SqlBool> {
  const parts = [
    sql<SqlBool>`q_device = device_id`,
    sql<SqlBool>`(q_code = semaphore_code OR (q_code IS NULL AND semaphore_code <> ALL(${fireCodes}::text[])))`,
  ]
  // Only where it is asked for: the value does not stand in the index that lists read.
  if (targets.some(({ episodeId }) => episodeId !== null))
    parts.push(sql`(q_episode IS NULL OR q_episode = episode_id)`)
  if (targets.some(({ mask, exact }) => mask !== null || exact !== null))
    parts.push(
      sql`CASE WHEN q_mask IS NOT NULL THEN value & ~q_mask = 0 ELSE q_exact IS NULL OR value = q_exact END`,
    )
  return sql<SqlBool>`${sql.join(parts, sql` AND `)}`
}

const isPlace = ({ places, codes }: QuietPlace, fireCodes: readonly string[]): RawBuilder<SqlBool> =>
  codes === null
    ? sql<SqlBool>`(${passes({ ...places, codes })} AND semaphore_code <> ALL(${fireCodes}::text[]))`
    : sql<SqlBool>`(${passes({ ...places, codes })})`

/** The condition that an active state is kept quiet. The query names `alarm_state` and nothing else. */
export function isQuiet(quiet: Quiet): RawBuilder<SqlBool> {
  const parts = quiet.places.map((place) => isPlace(place, quiet.fireCodes))
  if (quiet.targets.length > 0) {
    const deviceIds = [...new Set(quiet.targets.map(({ deviceId }) => deviceId))]
    parts.push(sql<SqlBool>`(device_id = ANY(${deviceIds}::int[])
      AND EXISTS (SELECT FROM ${targetRows(quiet.targets)} WHERE ${isTarget(quiet)}))`)
  }
  return parts.length === 0 ? sql<SqlBool>`false` : sql<SqlBool>`(${sql.join(parts, sql` OR `)})`
}

/** That it is not: for the many, which are read as if there were no shelf and left out by one lookup. */
export function isNotQuiet(quiet: Quiet): RawBuilder<SqlBool> {
  const parts = quiet.places.map((place) => sql<SqlBool>`NOT ${isPlace(place, quiet.fireCodes)}`)
  if (quiet.targets.length > 0)
    parts.push(sql<SqlBool>`NOT EXISTS (SELECT FROM ${targetRows(quiet.targets)} WHERE ${isTarget(quiet)})`)
  return parts.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`${sql.join(parts, sql` AND `)}`
}

/** An active episode that a shelf keeps quiet, until then; null: without end. */
export interface QuietEpisode {
  id: string
  shelfId: number
  until: Date | null
}

/** The active episodes that are kept quiet, once for each shelf: of these, or of all. */
export const quietEpisodes = (quiet: Quiet, ids: readonly string[] | null) => {
  const among = ids ? sql`AND episode_id = ANY(${ids}::bigint[])` : sql``
  const parts = quiet.places.map(
    (place) => sql`
      SELECT episode_id, device_id, occurred_at, ${place.shelfId}::int AS shelf_id, ${place.until}::timestamptz AS until
      FROM alarm_state WHERE is_active AND ${isPlace(place, quiet.fireCodes)} ${among}`,
  )
  if (quiet.targets.length > 0)
    parts.push(sql`
      SELECT episode_id, device_id, occurred_at, q_shelf AS shelf_id, q_until AS until FROM alarm_state, ${targetRows(quiet.targets)}
      WHERE is_active AND ${isTarget(quiet)} ${among}`)
  return sql.join(parts, sql` UNION ALL `)
}

/** Of these episodes, those that are kept quiet, with the moment until which one of the shelves does. */
export async function readShelved(
  db: Db,
  quiet: Quiet,
  ids: readonly string[],
): Promise<Map<string, Date | null>> {
  if (isNothing(quiet) || ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; until: Date | null }>`
    SELECT episode_id::text AS id, CASE WHEN bool_and(until IS NOT NULL) THEN max(until) END AS until
    FROM (${quietEpisodes(quiet, ids)}) AS found GROUP BY episode_id`.execute(db)
  return new Map(rows.map(({ id, until }) => [id, until]))
}
