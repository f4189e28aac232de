// SQL of shelves as users keep them, and of the alarms that they have met.
import type { ShelfKind } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope, isNarrowed } from '../../../domain/access/data-scope.ts'
import { deviceIdsByCode } from '../../../domain/access/device-search.ts'
import { decidedIn } from '../../../domain/access/granted.ts'
import { inOwnTree } from '../../../domain/access/organization-tree.ts'
import { seesOperatorOf, seesOrganizationOf, unseenName } from '../../../domain/access/places-seen.ts'
import { idsOfPerson } from '../../../domain/access/row-limits.ts'
import {
  type PlaceFilter,
  passes,
  passesNothing,
  resolvePlaces,
  type Wanted,
} from '../../../domain/history/index.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { countRows, type Page } from '../../../platform/database/paging.ts'
import { type NamedTarget, pairsAtMost, type Quiet, quietEpisodes } from './quiet.queries.ts'
import type { DecidedShelf } from './shelf-decider.ts'
import type { WindowTimes } from './shelf-times.rules.ts'

const targetColumns = sql`
  d.id AS "deviceId", d.code AS "deviceCode", d.operator_id AS "operatorId", t.id AS "equipTypeId",
  d.region_id AS "regionId", t.classify`
const targetJoins = sql`
  JOIN equip_model m ON m.id = d.model_id JOIN equip_type t ON t.id = m.equip_type_id`

export interface FoundTarget extends Omit<NamedTarget, 'shelfId'> {
  deviceCode: string
}

/** The devices of these codes that are in scope, locked against deletion. */
export async function lockDevices(
  trx: Db,
  scope: DataScope,
  codes: readonly string[],
): Promise<FoundTarget[]> {
  const { rows } = await sql<FoundTarget>`
    SELECT ${targetColumns}, NULL AS code, NULL AS "episodeId"
    FROM device d ${targetJoins}
    WHERE d.code = ANY(${codes}::text[]) AND ${deviceWithinScope(scope)}
    ORDER BY d.id FOR KEY SHARE OF d`.execute(trx)
  return rows
}

/** Device and code of each of these episodes in scope, also of older ones; `episodes` says how many were found. */
export async function lockEpisodes(
  trx: Db,
  scope: DataScope,
  ids: readonly string[],
): Promise<FoundTarget[]> {
  const read = async (table: 'alarm_state' | 'alarm_history', some: readonly string[]) => {
    const id = sql.ref(table === 'alarm_state' ? 'h.episode_id' : 'h.id')
    const { rows } = await sql<FoundTarget & { code: string }>`
      SELECT ${targetColumns}, h.semaphore_code AS code, ${id}::text AS "episodeId"
      FROM ${sql.table(table)} h JOIN device d ON d.id = h.device_id ${targetJoins}
      WHERE ${id} = ANY(${some}::bigint[]) AND ${deviceWithinScope(scope)}
      ORDER BY d.id FOR KEY SHARE OF d`.execute(trx)
    return rows
  }
  const current = await read('alarm_state', ids)
  const found = new Set(current.map(({ episodeId }) => episodeId))
  const older = ids.filter((id) => !found.has(id))
  return older.length > 0 ? [...current, ...(await read('alarm_history', older))] : current
}

/** Those of these codes that are alarms of fire, with their names. */
export async function listFireNames(
  trx: Db,
  codes: readonly string[],
): Promise<{ code: string; name: string }[]> {
  const { rows } = await sql<{ code: string; name: string }>`
    SELECT code, name FROM dictionary_entry
    WHERE type = 'ALARM' AND is_fire AND code = ANY(${codes}::text[]) ORDER BY code`.execute(trx)
  return rows
}

const devicesFound = (places: readonly PlaceFilter[]) =>
  sql`FROM device WHERE ${sql.join(
    places.map((place) => sql`(${passes({ ...place, codes: null })})`),
    sql` OR `,
  )}`

/** How many devices a filter finds now. */
export const countDevices = (db: Db, { places }: Quiet) =>
  countRows(db, devicesFound(places.map((place) => place.places)))

/** The devices that a filter finds now. */
export async function listFound(db: Db, scope: DataScope, filter: Wanted): Promise<number[]> {
  const places = await resolvePlaces(db, scope, filter)
  if (passesNothing(places)) return []
  const { rows } = await sql<{ id: number }>`SELECT id ${devicesFound([places])} ORDER BY id`.execute(db)
  return rows.map(({ id }) => id)
}

/** The active episodes that would be kept quiet, at most so many. */
export async function listMet(
  db: Db,
  quiet: Quiet,
  limit: number,
): Promise<{ id: string; deviceId: number; code: string }[]> {
  const { rows } = await sql<{ id: string; deviceId: number; code: string }>`
    SELECT DISTINCT s.episode_id::text AS id, s.device_id AS "deviceId", s.semaphore_code AS code
    FROM (${quietEpisodes(quiet, null)}) AS met JOIN alarm_state s ON s.episode_id = met.episode_id
    LIMIT ${limit}`.execute(db)
  return rows
}

export const countMet = (db: Db, quiet: Quiet) =>
  countRows(db, sql`FROM (SELECT DISTINCT episode_id FROM (${quietEpisodes(quiet, null)}) AS met) AS once`)

export interface NewShelf {
  kind: ShelfKind
  filter: Wanted | null
  codes: string[] | null
  levels: number[] | null
  compartment: number | null
  isOneShot: boolean
  isCritical: boolean
  reason: string
  startAt: Date
  endAt: Date | null
  window: WindowTimes | null
  approvedBy: { userId: number; name: string } | null
  /** What it is looked up by; of a filter 0. */
  pairCount: number
  /** Of a window by filter that began on a day that is over: whom it takes out of use. */
  reachedIds: number[] | null
}

export async function insertShelf(
  trx: Trx,
  actor: Actor,
  shelf: NewShelf,
  targets: readonly Pick<FoundTarget, 'deviceId' | 'code' | 'episodeId'>[],
): Promise<number> {
  const { window, approvedBy } = shelf
  const { rows } = await sql<{ id: number }>`
    INSERT INTO alarm_shelf (kind, organization_id, filter, semaphore_codes, alarm_levels, compartment, is_one_shot,
      is_critical, reason, start_at, end_at, time_zone, start_local, end_local, repeat, decided_by, decided_by_name,
      decided_in, approved_by, approved_by_name, approved_in, pair_count, reached_ids)
    VALUES (${shelf.kind}, ${actor.organizationId},
      ${shelf.filter === null ? null : JSON.stringify(shelf.filter)}::jsonb, ${shelf.codes}::text[],
      ${shelf.levels}::int[], ${shelf.compartment}, ${shelf.isOneShot}, ${shelf.isCritical}, ${shelf.reason},
      ${shelf.startAt}, ${shelf.endAt}, ${window?.timeZone ?? null}, ${window?.startLocal ?? null},
      ${window?.endLocal ?? null}, ${window?.repeat ?? null}, ${actor.userId}, ${actor.loginName},
      ${decidedIn(actor.userId)}, ${approvedBy?.userId ?? null}, ${approvedBy?.name ?? null},
      ${approvedBy === null ? null : decidedIn(approvedBy.userId)}, ${shelf.pairCount}, ${shelf.reachedIds}::int[])
    RETURNING id`.execute(trx)
  const [row] = rows
  if (!row) throw new Error('an insert returns its row')
  await sql`
    INSERT INTO alarm_shelf_target (shelf_id, device_id, semaphore_code, episode_id)
    SELECT ${row.id}, m.device_id, m.code, m.episode_id
    FROM unnest(
      ${targets.map(({ deviceId }) => deviceId)}::int[], ${targets.map(({ code }) => code)}::text[],
      ${targets.map(({ episodeId }) => episodeId)}::bigint[]
    ) AS m (device_id, code, episode_id)
    ORDER BY m.device_id`.execute(trx)
  return row.id
}

export interface Shelved {
  byFilter: number
  named: number
  pairs: number
}

const countsOf = (which: RawBuilder<SqlBool>) => sql`jsonb_build_object(
  'byFilter', count(*) FILTER (WHERE ${which} AND is_condition),
  'named', count(*) FILTER (WHERE ${which} AND NOT is_condition),
  'pairs', coalesce(sum(pairs) FILTER (WHERE ${which} AND NOT is_condition), 0))`

/**
 * The shelves that are not over, by organization, and those of the person who asks; whoever makes one next waits for this
 * transaction. One of more pairs than are looked up counts as one by filter, since it is a condition like these.
 */
export async function countOpen(
  trx: Trx,
  actor: Actor,
): Promise<{ organizationId: number; ofAll: Shelved; ofUser: Shelved }[]> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('alarm_shelf made', 0))`.execute(trx)
  const { rows } = await sql<{ organizationId: number; ofAll: Shelved; ofUser: Shelved }>`
    SELECT organization_id AS "organizationId", ${countsOf(sql`true`)} AS "ofAll", ${countsOf(sql`is_own`)} AS "ofUser"
    FROM (
      SELECT a.organization_id, a.decided_by IN (${idsOfPerson(actor)}) AS is_own,
        a.filter IS NOT NULL OR a.pair_count > ${pairsAtMost} AS is_condition,
        CASE WHEN a.filter IS NULL THEN greatest(
          a.pair_count, (SELECT count(*) FROM alarm_shelf_target g WHERE g.shelf_id = a.id)) END AS pairs
      FROM alarm_shelf a WHERE a.ended_at IS NULL AND (a.end_at IS NULL OR a.end_at > now())
    ) AS open GROUP BY organization_id`.execute(trx)
  return rows
}

/**
 * Whether the user has a shelf that is not over of the same kind and the same alarms of the same named devices, and, of a
 * window, at the same times.
 */
export async function hasSame(
  trx: Trx,
  actor: Actor,
  { kind, codes, levels, compartment, isOneShot, window }: NewShelf,
  targets: readonly Pick<FoundTarget, 'deviceId' | 'code' | 'episodeId'>[],
): Promise<boolean> {
  const { rows } = await sql`
    WITH asked AS (
      SELECT * FROM unnest(
        ${targets.map(({ deviceId }) => deviceId)}::int[], ${targets.map(({ code }) => code)}::text[],
        ${targets.map(({ episodeId }) => episodeId)}::bigint[]
      ) AS m (device_id, code, episode_id)
    )
    SELECT FROM alarm_shelf a
    WHERE a.decided_by = ${actor.userId} AND NOT ${isOver} AND a.filter IS NULL AND a.kind = ${kind}
      AND a.is_one_shot = ${isOneShot} AND a.compartment IS NOT DISTINCT FROM ${compartment}::smallint
      AND ARRAY(SELECT unnest(a.semaphore_codes) ORDER BY 1) = ARRAY(SELECT unnest(${codes}::text[]) ORDER BY 1)
      AND ARRAY(SELECT unnest(a.alarm_levels) ORDER BY 1) = ARRAY(SELECT unnest(${levels}::int[]) ORDER BY 1)
      AND (a.time_zone, a.start_local, a.end_local, a.repeat) IS NOT DISTINCT FROM
        (${window?.timeZone ?? null}::text, ${window?.startLocal ?? null}::text, ${window?.endLocal ?? null}::text,
          ${window?.repeat ?? null}::text)
      AND (SELECT count(*) FROM alarm_shelf_target g WHERE g.shelf_id = a.id) = ${targets.length}
      AND NOT EXISTS (
        SELECT FROM alarm_shelf_target g WHERE g.shelf_id = a.id AND NOT EXISTS (
          SELECT FROM asked m WHERE m.device_id = g.device_id AND m.code IS NOT DISTINCT FROM g.semaphore_code
            AND m.episode_id IS NOT DISTINCT FROM g.episode_id))
    LIMIT 1`.execute(trx)
  return rows.length > 0
}

export interface ShelfRow extends DecidedShelf {
  id: number
  organizationId: number
  deviceCodes: string[] | null
  deviceCount: number
  organizationName: string | null
  operatorName: string | null
  equipTypeName: string | null
  equipModelName: string | null
  regionName: string | null
  semaphoreNames: string[] | null
  alarmLevels: (1 | 2 | 3 | 4)[] | null
  compartment: number | null
  isOneShot: boolean
  reason: string
  timeZone: string | null
  startLocal: string | null
  endLocal: string | null
  repeat: string | null
  createTime: Date
  endBy: string | null
  endedAt: Date | null
  matchedCount: number
  lastMatchedTime: Date | null
  isIdle: boolean
  mayEnd: boolean
  mayChange: boolean
  version: number
}

export interface ShelfListFilter {
  kind?: ShelfKind | undefined
  /** Null: any. */
  isOver: boolean | null
  ids?: readonly number[] | undefined
  exceptIds?: readonly number[] | undefined
  isIdle?: boolean | undefined
  codes?: readonly string[] | undefined
  alarmId?: string | undefined
}

/** Devices of a list that are named. */
const codesNamed = 20

const hasTarget = (condition: RawBuilder<unknown>) => sql<SqlBool>`EXISTS (
  SELECT FROM alarm_shelf_target g JOIN device d ON d.id = g.device_id WHERE g.shelf_id = a.id AND ${condition})`

/** Shelves `a` that the actor may know of: own ones, and the organization's as far as a device of them is seen. */
const seenBy = (actor: Actor, scope: DataScope) => sql<SqlBool>`(a.decided_by = ${actor.userId}
  OR (${inOwnTree(actor, sql.ref('a.organization_id'))}
    AND (a.filter IS NOT NULL OR ${hasTarget(sql`${deviceWithinScope(scope)}`)})))`

/**
 * Those that are about nothing beyond what the actor sees. One by filter is about all of the organization in which it was
 * decided last, be it another one than when it was made: that of a SYSTEM user is about all of them.
 */
const seenWholeBy = (actor: Actor, scope: DataScope) =>
  actor.isSystem
    ? sql<SqlBool>`true`
    : sql<SqlBool>`(${inOwnTree(actor, sql.ref('a.organization_id'))}
        AND CASE WHEN a.filter IS NULL THEN NOT ${hasTarget(sql`NOT ${deviceWithinScope(scope)}`)}
          ELSE a.decided_in IS NOT NULL AND ${inOwnTree(actor, sql.ref('a.decided_in'))}
            AND NOT ${isNarrowed(actor)} END)`

/** Those that the actor ends: own ones, and those whose end concerns nothing beyond what the actor sees. */
const endedBy = (actor: Actor, scope: DataScope) =>
  sql<SqlBool>`(a.decided_by = ${actor.userId} OR ${seenWholeBy(actor, scope)})`

/**
 * Windows that the actor changes: own ones, and those with named devices that the actor sees. One by filter reaches what
 * its maker sees: of another it would be about other devices.
 */
const changedBy = (actor: Actor, scope: DataScope) =>
  sql<SqlBool>`(a.kind = 'maintenance' AND (a.decided_by = ${actor.userId}
    OR (a.filter IS NULL AND ${seenWholeBy(actor, scope)})))`

const isOver = sql<SqlBool>`(a.ended_at IS NOT NULL OR coalesce(a.end_at <= now(), false))`

/** A window is a plan for a time, whatever happens then. */
const isIdle = (idleDays: number) => sql<SqlBool>`(NOT ${isOver} AND a.kind <> 'maintenance'
  AND coalesce(a.last_matched_at, a.start_at) < now() - ${idleDays} * interval '1 day')`

function matching(
  actor: Actor,
  scope: DataScope,
  filter: ShelfListFilter,
  idleDays: number,
): RawBuilder<SqlBool> {
  const { kind, ids, exceptIds, codes, alarmId } = filter
  const parts: RawBuilder<SqlBool>[] =
    alarmId === undefined
      ? [seenBy(actor, scope)]
      : [
          sql<SqlBool>`EXISTS (
            SELECT FROM alarm_shelf_cover c JOIN device d ON d.id = c.device_id
            WHERE c.episode_id = ${alarmId}::bigint AND c.shelf_id = a.id AND ${deviceWithinScope(scope)})`,
        ]
  if (kind !== undefined) parts.push(sql`a.kind = ${kind}`)
  if (filter.isOver !== null) parts.push(filter.isOver ? isOver : sql`NOT ${isOver}`)
  if (ids) parts.push(sql`a.id = ANY(${ids}::int[])`)
  if (exceptIds) parts.push(sql`a.id <> ALL(${exceptIds}::int[])`)
  if (filter.isIdle) parts.push(isIdle(idleDays))
  if (codes) parts.push(hasTarget(sql`d.id = ANY(${deviceIdsByCode(scope, codes)})`))
  return sql.join(parts, sql` AND `)
}

/** Newest first. */
export async function listShelves(
  db: Db,
  actor: Actor,
  scope: DataScope,
  filter: ShelfListFilter,
  idleDays: number,
  { limit, offset }: Page,
): Promise<ShelfRow[]> {
  const ofFilter = (name: string) => sql`(a.filter ->> ${sql.lit(name)})`
  const ownDevices = sql`FROM alarm_shelf_target g JOIN device d ON d.id = g.device_id
    WHERE g.shelf_id = a.id AND ${deviceWithinScope(scope)}`
  // As long as the history is kept, like the lists that it stands for.
  const ownMet = sql`FROM alarm_shelf_cover c JOIN device d ON d.id = c.device_id
    WHERE c.shelf_id = a.id AND ${deviceWithinScope(scope)}`
  const { rows } = await sql<ShelfRow>`
    SELECT a.id, a.organization_id AS "organizationId", a.kind, CASE WHEN a.filter IS NULL THEN ARRAY(
        SELECT DISTINCT d.code ${ownDevices} ORDER BY d.code LIMIT ${codesNamed}
      ) END AS "deviceCodes",
      (SELECT count(DISTINCT g.device_id)::int ${ownDevices}) AS "deviceCount",
      CASE WHEN ${seesOrganizationOf(actor, sql.ref('a.filter'))} THEN o.name
        WHEN ${ofFilter('organizationId')} IS NOT NULL THEN ${unseenName} END AS "organizationName",
      CASE WHEN ${seesOperatorOf(scope, sql.ref('a.filter'))} THEN p.name
        WHEN ${ofFilter('operatorId')} IS NOT NULL THEN ${unseenName} END AS "operatorName", t.name AS "equipTypeName", m.name AS "equipModelName",
      r.full_name AS "regionName", (
        SELECT array_agg(coalesce(e.name, n.code) ORDER BY n.code) FROM (
          SELECT unnest(a.semaphore_codes) AS code
          UNION
          SELECT g.semaphore_code ${ownDevices} AND g.semaphore_code IS NOT NULL
          ORDER BY code LIMIT ${codesNamed}
        ) AS n LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = n.code
      ) AS "semaphoreNames",
      a.alarm_levels AS "alarmLevels", a.compartment, a.is_one_shot AS "isOneShot", a.is_critical AS "isCritical",
      a.reason, a.start_at AS "startAt", a.end_at AS "endAt", a.time_zone AS "timeZone",
      a.start_local AS "startLocal", a.end_local AS "endLocal", a.repeat, a.decided_by AS "decidedBy",
      a.decided_by_name AS "decidedByName", a.decided_in AS "decidedIn", a.approved_by AS "approvedBy",
      a.approved_by_name AS "approvedByName", a.approved_in AS "approvedIn", a.created_at AS "createTime",
      a.ended_by_name AS "endBy", a.ended_at AS "endedAt",
      CASE WHEN ${seenWholeBy(actor, scope)} THEN a.matched ELSE (SELECT count(*)::int ${ownMet}) END AS "matchedCount",
      CASE WHEN ${seenWholeBy(actor, scope)} THEN a.last_matched_at
        ELSE (SELECT max(c.since) ${ownMet}) END AS "lastMatchedTime", ${isIdle(idleDays)} AS "isIdle",
      NOT ${isOver} AND ${endedBy(actor, scope)} AS "mayEnd",
      NOT ${isOver} AND ${changedBy(actor, scope)} AS "mayChange", a.version
    FROM (
      SELECT * FROM alarm_shelf a WHERE ${matching(actor, scope, filter, idleDays)}
      ORDER BY a.id DESC LIMIT ${limit} OFFSET ${offset}
    ) AS a
    LEFT JOIN organization o ON o.id = ${ofFilter('organizationId')}::bigint
    LEFT JOIN operator p ON p.id = ${ofFilter('operatorId')}::bigint
    LEFT JOIN equip_type t ON t.id = ${ofFilter('equipTypeId')}::bigint
    LEFT JOIN equip_model m ON m.id = ${ofFilter('equipModelId')}::bigint
    LEFT JOIN region r ON r.code = ${ofFilter('regionCode')}
    ORDER BY a.id DESC`.execute(db)
  return rows
}

export const countShelves = (
  db: Db,
  actor: Actor,
  scope: DataScope,
  filter: ShelfListFilter,
  idleDays: number,
): Promise<number> => countRows(db, sql`FROM alarm_shelf a WHERE ${matching(actor, scope, filter, idleDays)}`)

/** Ends those that are proposed for ending and that the actor may end; returns which. */
export async function endIdle(
  trx: Trx,
  actor: Actor,
  scope: DataScope,
  { idleDays, at }: { idleDays: number; at: Date },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    UPDATE alarm_shelf a SET ended_at = ${at}, ended_by_name = ${actor.loginName}
    WHERE ${isIdle(idleDays)} AND ${seenBy(actor, scope)} AND ${endedBy(actor, scope)}
    RETURNING a.id`.execute(trx)
  const ids = rows.map(({ id }) => id)
  await sql`
    UPDATE alarm_shelf_cover SET until = ${at} WHERE shelf_id = ANY(${ids}::int[]) AND is_open`.execute(trx)
  return ids
}

export interface LockedShelf {
  id: number
  kind: ShelfKind
  reason: string
  isOver: boolean
  endBy: string | null
  endedAt: Date | null
  mayEnd: boolean
  mayChange: boolean
  startAt: Date
  startLocal: string | null
  endLocal: string | null
  repeat: string | null
  timeZone: string | null
  filter: Wanted | null
  /** It takes whole devices out of use. */
  isOfDevices: boolean
  version: number
}

/** The shelf that the actor may know of, locked. */
export async function lockShelf(
  trx: Trx,
  actor: Actor,
  scope: DataScope,
  id: number,
): Promise<LockedShelf | undefined> {
  await sql`SELECT FROM alarm_shelf WHERE id = ${id} FOR UPDATE`.execute(trx)
  // A statement of its own: it reads the row as an earlier writer left it.
  const { rows } = await sql<LockedShelf>`
    SELECT a.id, a.kind, a.reason, ${isOver} AS "isOver", a.ended_by_name AS "endBy", a.ended_at AS "endedAt",
      ${endedBy(actor, scope)} AS "mayEnd", ${changedBy(actor, scope)} AS "mayChange",
      a.start_at AS "startAt", a.start_local AS "startLocal", a.end_local AS "endLocal", a.repeat,
      a.time_zone AS "timeZone", a.filter, num_nonnulls(a.semaphore_codes, a.alarm_levels, a.compartment) = 0 AS "isOfDevices", a.version
    FROM alarm_shelf a WHERE a.id = ${id} AND ${seenBy(actor, scope)}`.execute(trx)
  return rows[0]
}

/** Gives a window other times, as the decision of the actor. */
export async function changeWindow(
  trx: Trx,
  actor: Actor,
  id: number,
  {
    reason,
    startAt,
    endAt,
    window,
    reachedIds,
  }: Pick<NewShelf, 'reason' | 'startAt' | 'endAt' | 'reachedIds'> & { window: WindowTimes },
): Promise<void> {
  await sql`
    UPDATE alarm_shelf SET start_at = ${startAt}, end_at = ${endAt}, time_zone = ${window.timeZone},
      start_local = ${window.startLocal}, end_local = ${window.endLocal}, repeat = ${window.repeat}, reason = ${reason},
      decided_by = ${actor.userId}, decided_by_name = ${actor.loginName}, decided_in = ${decidedIn(actor.userId)},
      reached_ids = ${reachedIds}::int[], reached_version = version + 1, version = version + 1
    WHERE id = ${id}`.execute(trx)
}

export async function endShelf(trx: Trx, id: number, userName: string, at: Date): Promise<void> {
  await sql`UPDATE alarm_shelf SET ended_at = ${at}, ended_by_name = ${userName} WHERE id = ${id}`.execute(
    trx,
  )
  await sql`UPDATE alarm_shelf_cover SET until = ${at} WHERE shelf_id = ${id} AND is_open`.execute(trx)
}

/** One watch at a time: another process's looks at what this one has left. */
export const lockWatch = (trx: Trx) =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended('alarm_shelf watch', 0))`.execute(trx)

/** Shelves that are written down of an alarm: that keep it quiet, of more those that do longest, and that have left it. */
const coversAtMost = { open: 10, left: 20 } as const

/** Writes down which alarms are kept quiet, by which shelf and until when. Returns those that were not known. */
export async function coverMet(trx: Trx, quiet: Quiet): Promise<string[]> {
  const { rows } = await sql<{ id: string | null }>`
    WITH met AS MATERIALIZED (
      SELECT * FROM (
        SELECT episode_id, shelf_id, min(device_id) AS device_id, min(occurred_at) AS occurred_at,
          CASE WHEN bool_and(until IS NOT NULL) THEN max(until) END AS until,
          row_number() OVER (
            PARTITION BY episode_id
            ORDER BY CASE WHEN bool_and(until IS NOT NULL) THEN max(until) END DESC NULLS FIRST, shelf_id
          ) AS place
        FROM (${quietEpisodes(quiet, null)}) AS found GROUP BY episode_id, shelf_id
      ) AS all_met WHERE place <= ${coversAtMost.open}
    ), written AS (
      INSERT INTO alarm_shelf_cover AS c (episode_id, shelf_id, occurred_at, device_id, until)
      SELECT met.episode_id, met.shelf_id, met.occurred_at, met.device_id, met.until
      FROM met JOIN device d ON d.id = met.device_id
      ORDER BY met.episode_id, met.shelf_id
      ON CONFLICT (episode_id, shelf_id) DO UPDATE SET until = excluded.until, is_open = true
        WHERE NOT c.is_open OR c.until IS DISTINCT FROM excluded.until
      RETURNING c.episode_id, c.shelf_id, c.xmax = 0 AS is_new
    ), left_by AS (
      -- Open ones that it does not keep quiet any more, before their time: its people see less, or may not decide.
      UPDATE alarm_shelf_cover c SET until = date_trunc('milliseconds', clock_timestamp())
      WHERE c.is_open AND (c.until IS NULL OR c.until > now())
        AND NOT EXISTS (SELECT FROM met WHERE met.episode_id = c.episode_id AND met.shelf_id = c.shelf_id)
      RETURNING 1
    ), counted AS (
      UPDATE alarm_shelf a SET matched = a.matched + n.added, last_matched_at = now()
      FROM (
        SELECT met.shelf_id, count(w.episode_id) FILTER (WHERE w.is_new) AS added
        FROM met LEFT JOIN written w USING (episode_id, shelf_id) GROUP BY met.shelf_id
      ) AS n
      WHERE a.id = n.shelf_id
        AND (n.added > 0 OR a.last_matched_at IS NULL OR a.last_matched_at < now() - interval '1 hour')
    )
    SELECT DISTINCT episode_id::text AS id FROM written WHERE is_new`.execute(trx)
  const known = rows.flatMap(({ id }) => id ?? [])
  // Of those that are shelved again and again the latest are kept: by them an acknowledgement of before counts no more.
  if (known.length > 0)
    await sql`
      DELETE FROM alarm_shelf_cover c USING (
        SELECT episode_id, shelf_id, row_number() OVER (
          PARTITION BY episode_id ORDER BY until DESC, shelf_id DESC) AS place
        FROM alarm_shelf_cover WHERE NOT is_open AND episode_id = ANY(${known}::bigint[])
      ) AS o
      WHERE c.episode_id = o.episode_id AND c.shelf_id = o.shelf_id AND o.place > ${coversAtMost.left}`.execute(
      trx,
    )
  return known
}

/** Of nothing: every open one is left. */
export async function leaveAll(trx: Trx): Promise<void> {
  await sql`
    UPDATE alarm_shelf_cover SET until = date_trunc('milliseconds', clock_timestamp())
    WHERE is_open AND (until IS NULL OR until > now())`.execute(trx)
}

/** Closes what shelves have left by now; returns the episodes that last on. */
export async function closeLeft(trx: Trx): Promise<string[]> {
  const { rows } = await sql<{ id: string; isActive: boolean }>`
    UPDATE alarm_shelf_cover c SET is_open = false
    WHERE c.is_open AND c.until <= clock_timestamp()
    RETURNING c.episode_id::text AS id, EXISTS (
      SELECT FROM alarm_state s WHERE s.episode_id = c.episode_id AND s.is_active) AS "isActive"`.execute(trx)
  return [...new Set(rows.filter(({ isActive }) => isActive).map(({ id }) => id))]
}

/** Deletes the record of episodes from before a moment, and shelves that were over then; returns how many rows. */
export async function deleteShelves(
  db: Db,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { rows: covers } = await sql`
    DELETE FROM alarm_shelf_cover WHERE (episode_id, shelf_id) IN (
      SELECT episode_id, shelf_id FROM alarm_shelf_cover WHERE occurred_at < ${before} AND NOT is_open LIMIT ${limit}
    ) RETURNING 1`.execute(db)
  const { rows: shelves } = await sql`
    DELETE FROM alarm_shelf WHERE id IN (
      SELECT id FROM alarm_shelf a
      WHERE created_at < ${before} AND coalesce(ended_at, end_at) < ${before} LIMIT ${limit}
    ) RETURNING 1`.execute(db)
  return Math.max(covers.length, shelves.length)
}
