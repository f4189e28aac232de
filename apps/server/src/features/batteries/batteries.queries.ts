// SQL of batteries as users see them: the list, one battery, its way. A battery is seen by whoever sees the device of its
// stay; where several compartments claim it, of any of them. What is said of it is what the devices of the scope have said.
import { type BatteryFilter, type BatteryState, conflictToleranceMs } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope, everything } from '../../domain/access/data-scope.ts'
import { resolvePlaces } from '../../domain/history/index.ts'
import type { Db } from '../../platform/database/database.ts'
import { likeLiteral } from '../../platform/database/like.ts'
import { countRows, type Page } from '../../platform/database/paging.ts'

export interface BatteryQuery {
  /** A part of it. */
  code?: string | undefined
  codes?: readonly string[] | undefined
  ids?: readonly string[] | undefined
  state?: BatteryFilter | undefined
  organizationId?: string | undefined
  operatorId?: string | undefined
  regionCode?: string | undefined
}

/**
 * When the battery of a stay `s` was last seen there: an unchanged report is not written to the stay, but stands in the
 * state `ds` of its device.
 */
const seenAt = (s: string, ds: string): RawBuilder<Date> => {
  const stay = (column: string) => sql.ref(`${s}.${column}`)
  const state = (column: string) => sql.ref(`${ds}.${column}`)
  return sql`CASE
    WHEN ${stay('ended_at')} IS NULL AND ${state('compartments')} @> jsonb_build_array(
      jsonb_build_object('no', ${stay('compartment')}, 'batteryCode', ${stay('battery_code')}))
    THEN greatest(${stay('seen_at')}, ${state('status_at')}) ELSE ${stay('seen_at')} END`
}

const tolerance = sql`${conflictToleranceMs} * interval '1 millisecond'`

/** Whether the battery of a stay `s` was seen elsewhere at the same time, for longer than clocks differ. */
const isSeenElsewhere = sql<boolean>`EXISTS (
  SELECT FROM battery_stay o
  LEFT JOIN device_state os ON os.device_id = o.device_id
  WHERE o.battery_code = s.battery_code AND o.battery_code <> ''
    AND (o.device_id, o.compartment) <> (s.device_id, s.compartment)
    AND o.started_at < ${seenAt('s', 'ds')} - ${tolerance}
    AND coalesce(o.ended_at, 'infinity') > s.started_at
    AND least(${seenAt('o', 'os')}, ${seenAt('s', 'ds')}) - greatest(o.started_at, s.started_at) > ${tolerance})`

/** Whether several compartments claim a battery `b`, and two of them have gone on with it for longer than that. */
const isClaimedTwice = sql<SqlBool>`(b.claims > 1 AND EXISTS (
  SELECT FROM battery_stay s LEFT JOIN device_state ds ON ds.device_id = s.device_id
  WHERE s.battery_code = b.code AND s.battery_code <> '' AND s.ended_at IS NULL AND ${isSeenElsewhere}))`

/** The compartment of an open stay `s` as the state `ds` of its device has it. */
const cellOf = (code: RawBuilder<unknown>) => sql`
  SELECT c.value FROM jsonb_array_elements(ds.compartments) AS c(value)
  WHERE s.ended_at IS NULL AND c.value @> jsonb_build_object('no', s.compartment, 'batteryCode', ${code})
  LIMIT 1`

/** The condition that a device of a battery `b` is in the scope. */
const isDeviceSeen = (scope: DataScope, column: 'device_id' | 'found_by' | 'soh_by') =>
  scope === everything
    ? sql<SqlBool>`true`
    : sql<SqlBool>`EXISTS (SELECT FROM device d WHERE d.id = ${sql.ref(`b.${column}`)} AND ${deviceWithinScope(scope)})`

/** The same of the device that said the state of health; where that is not known, of all cabinets that it was in. */
const isHealthSeen = (scope: DataScope) =>
  scope === everything
    ? sql<SqlBool>`true`
    : sql<SqlBool>`(${isDeviceSeen(scope, 'soh_by')} OR b.soh_by IS NULL AND NOT EXISTS (
        SELECT FROM battery_stay x JOIN device d ON d.id = x.device_id
        WHERE x.battery_code = b.code AND x.battery_code <> '' AND NOT ${deviceWithinScope(scope)}))`

/** The condition that a battery `b` is in this state, by the stay that the scope has of it. */
function isInState(scope: DataScope, state: BatteryFilter): RawBuilder<SqlBool> {
  // Where several compartments claim it, the chief one may be nobody's whom the scope is.
  const isChiefSeen = sql`(b.claims <= 1 OR ${isDeviceSeen(scope, 'device_id')})`
  if (state === 'away') return sql<SqlBool>`(b.ended_at IS NOT NULL AND ${isChiefSeen})`
  if (state === 'inCabinet') return sql<SqlBool>`(b.ended_at IS NULL OR NOT ${isChiefSeen})`
  return sql<SqlBool>`CASE WHEN ${isChiefSeen} THEN b.ended_at IS NULL AND b.state = ${state}
    ELSE ${state} = (
      SELECT cell.value->>'state' FROM battery_stay s
      JOIN device d ON d.id = s.device_id
      LEFT JOIN device_state ds ON ds.device_id = d.id
      LEFT JOIN LATERAL (${cellOf(sql`s.battery_code`)}) AS cell ON true
      WHERE s.battery_code = b.code AND s.battery_code <> '' AND s.ended_at IS NULL AND ${deviceWithinScope(scope)}
      ORDER BY s.started_at DESC LIMIT 1) END`
}

/** Batteries `b` that are where a device `d` of the places is. */
export async function batteriesMatching(
  db: Db,
  scope: DataScope,
  { code, codes, ids, state, ...wanted }: BatteryQuery,
): Promise<RawBuilder<SqlBool>> {
  const { operatorIds, modelIds, regionIds } = await resolvePlaces(db, scope, wanted)
  const within = sql<SqlBool>`(
    ${operatorIds ? sql`d.operator_id = ANY(${operatorIds}::int[])` : sql`true`}
    AND ${modelIds ? sql`d.model_id = ANY(${modelIds}::int[])` : sql`true`}
    AND ${regionIds ? sql`d.region_id = ANY(${regionIds}::int[])` : sql`true`})`
  const parts: RawBuilder<unknown>[] = [sql`b.device_id IS NOT NULL`]
  if (codes) parts.push(sql`b.code = ANY(${codes}::text[])`)
  if (ids) parts.push(sql`b.code = ANY(${ids}::text[])`)
  if (state === 'conflict') parts.push(sql`b.claims > 1`)
  else if (state) parts.push(isInState(scope, state))
  if (code !== undefined) parts.push(sql`b.search_code LIKE '%' || lower(${likeLiteral(code)}::text) || '%'`)
  if (operatorIds || modelIds || regionIds) {
    parts.push(sql`(b.device_id IN (SELECT d.id FROM device d WHERE ${within})
      OR b.claims > 1 AND EXISTS (
        SELECT FROM battery_stay s JOIN device d ON d.id = s.device_id
        WHERE s.battery_code = b.code AND s.battery_code <> '' AND s.ended_at IS NULL AND ${within}))`)
  }
  // The most expensive condition comes last.
  if (state === 'conflict') parts.push(isClaimedTwice)
  return sql<SqlBool>`(${sql.join(parts, sql` AND `)})`
}

export interface BatteryRecord {
  id: string
  code: string
  state: BatteryState
  soc: number | null
  soh: number | null
  temperature: number | null
  deviceId: number
  deviceCode: string
  deviceName: string | null
  isOnline: 0 | 1
  compartment: number
  operatorName: string
  regionName: string
  startTime: Date
  endTime: Date | null
  seenTime: Date
  isConflict: boolean
  foundTime: Date
}

/** A page by code, of the batteries `b` that match, each with its stay within the scope. */
export async function listBatteries(
  db: Db,
  scope: DataScope,
  matching: RawBuilder<SqlBool>,
  { limit, offset }: Page,
): Promise<BatteryRecord[]> {
  const { rows } = await sql<BatteryRecord>`
    WITH page AS MATERIALIZED (
      SELECT b.code FROM battery b WHERE ${matching} ORDER BY b.code LIMIT ${limit} OFFSET ${offset}
    )
    SELECT b.code AS id, b.code,
      CASE WHEN s.ended_at IS NOT NULL THEN 'away'
        ELSE coalesce(CASE WHEN s.is_chief THEN b.state ELSE cell.value->>'state' END, 'present') END AS state,
      coalesce((cell.value->>'soc')::float8, s.soc_out) AS soc,
      coalesce((cell.value->>'soh')::float8, CASE WHEN ${isHealthSeen(scope)} THEN b.soh END) AS soh,
      (cell.value->>'temperature')::float8 AS temperature,
      d.id AS "deviceId", d.code AS "deviceCode", d.name AS "deviceName",
      coalesce(ds.is_online, false)::int AS "isOnline", s.compartment,
      p.name AS "operatorName", r.full_name AS "regionName",
      s.started_at AS "startTime", s.ended_at AS "endTime", ${seenAt('s', 'ds')} AS "seenTime",
      ${isClaimedTwice} AS "isConflict", CASE WHEN ${isDeviceSeen(scope, 'found_by')} THEN b.found_at ELSE (
        SELECT min(x.started_at) FROM battery_stay x JOIN device d ON d.id = x.device_id
        WHERE x.battery_code = b.code AND x.battery_code <> '' AND ${deviceWithinScope(scope)}
      ) END AS "foundTime"
    FROM page JOIN battery b ON b.code = page.code
    CROSS JOIN LATERAL (
      SELECT s.*, (s.device_id, s.compartment, s.started_at) = (b.device_id, b.compartment, b.started_at) AS is_chief
      FROM battery_stay s JOIN device d ON d.id = s.device_id
      WHERE s.battery_code = b.code AND s.battery_code <> '' AND ${deviceWithinScope(scope)}
        AND ((s.device_id, s.compartment, s.started_at) = (b.device_id, b.compartment, b.started_at)
          OR b.claims > 1 AND s.ended_at IS NULL)
      ORDER BY (s.device_id, s.compartment, s.started_at) = (b.device_id, b.compartment, b.started_at) DESC,
        s.started_at DESC LIMIT 1
    ) AS s
    JOIN device d ON d.id = s.device_id
    JOIN operator p ON p.id = d.operator_id
    JOIN region r ON r.id = d.region_id
    LEFT JOIN device_state ds ON ds.device_id = d.id
    LEFT JOIN LATERAL (${cellOf(sql`b.code`)}) AS cell ON true
    ORDER BY b.code`.execute(db)
  return rows
}

export const countBatteries = (db: Db, matching: RawBuilder<SqlBool>): Promise<number> =>
  countRows(db, sql`FROM battery b WHERE ${matching}`)

/** All of them by code, some at a time: each batch begins where the one before ended. */
export async function* walkBatteries(
  db: Db,
  scope: DataScope,
  matching: RawBuilder<SqlBool>,
  batchSize: number,
): AsyncGenerator<BatteryRecord[]> {
  for (let last = ''; ; ) {
    const rest = sql<SqlBool>`${matching} AND b.code > ${last}`
    const rows = await listBatteries(db, scope, rest, { limit: batchSize, offset: 0 })
    if (rows.length > 0) yield rows
    if (rows.length < batchSize) return
    last = rows.at(-1)?.code ?? last
  }
}

export interface StayRecord {
  id: string
  deviceId: number
  deviceCode: string
  deviceName: string | null
  regionName: string
  compartment: number
  startTime: Date
  endTime: Date | null
  seenTime: Date
  socIn: number | null
  socOut: number | null
  isConflict: boolean
}

/** The stays of a battery in devices of the scope, as a `FROM … WHERE …`; those that reach into the range. */
const staysOf = (
  scope: DataScope,
  { code, from, to }: { code: string; from: Date | null; to: Date | null },
) => sql`
  FROM battery_stay s
  JOIN device d ON d.id = s.device_id
  LEFT JOIN device_state ds ON ds.device_id = d.id
  WHERE s.battery_code = ${code} AND s.battery_code <> '' AND ${deviceWithinScope(scope)}
    AND (${to}::timestamptz IS NULL OR s.started_at < ${to})
    AND (${from}::timestamptz IS NULL OR coalesce(s.ended_at, 'infinity') >= ${from})`

/** The newest first. `isOpen`: those that go on alone. */
export async function listStays(
  db: Db,
  scope: DataScope,
  wanted: { code: string; from: Date | null; to: Date | null },
  { limit, offset }: Page,
  { isOpen = false } = {},
): Promise<StayRecord[]> {
  const { rows } = await sql<StayRecord>`
    SELECT d.id || '-' || s.compartment || '-' || extract(epoch FROM s.started_at) AS id,
      d.id AS "deviceId", d.code AS "deviceCode", d.name AS "deviceName",
      (SELECT r.full_name FROM region r WHERE r.id = d.region_id) AS "regionName",
      s.compartment, s.started_at AS "startTime", s.ended_at AS "endTime", ${seenAt('s', 'ds')} AS "seenTime",
      s.soc_in AS "socIn", CASE WHEN s.ended_at IS NOT NULL THEN s.soc_out END AS "socOut", ${isSeenElsewhere} AS "isConflict"
    ${staysOf(scope, wanted)} ${isOpen ? sql`AND s.ended_at IS NULL` : sql``}
    ORDER BY s.started_at DESC, s.device_id, s.compartment LIMIT ${limit} OFFSET ${offset}`.execute(db)
  return rows
}

export const countStays = (
  db: Db,
  scope: DataScope,
  wanted: { code: string; from: Date | null; to: Date | null },
): Promise<number> => countRows(db, staysOf(scope, wanted))

/** Where batteries are, for the live stream. */
export async function readPlacesOfBatteries(db: Db, codes: readonly string[]) {
  const { rows } = await sql<{ id: string; operatorId: number; equipTypeId: number; regionId: number }>`
    SELECT b.code AS id, d.operator_id AS "operatorId", m.equip_type_id AS "equipTypeId", d.region_id AS "regionId"
    FROM battery b JOIN device d ON d.id = b.device_id JOIN equip_model m ON m.id = d.model_id
    WHERE b.code = ANY(${codes}::text[])`.execute(db)
  return rows
}

export interface FoundBattery {
  code: string
  deviceCode: string
  deviceName: string | null
  compartment: number
  isAway: boolean
}

/** At most `limit` batteries of the scope with this in their code: first the code itself, then codes that end with it. */
export async function findBatteries(
  db: Db,
  scope: DataScope,
  keyword: string,
  limit: number,
): Promise<FoundBattery[]> {
  const part = sql`lower(${likeLiteral(keyword.trim())}::text)`
  const { rows } = await sql<FoundBattery>`
    SELECT b.code, d.code AS "deviceCode", d.name AS "deviceName", coalesce(b.compartment, 0) AS compartment,
      b.ended_at IS NOT NULL AS "isAway"
    FROM battery b JOIN device d ON d.id = b.device_id
    WHERE b.search_code LIKE '%' || ${part} || '%' AND ${deviceWithinScope(scope)}
    ORDER BY b.search_code = ${part} DESC, b.search_code LIKE '%' || ${part} DESC, length(b.code), b.code
    LIMIT ${limit}`.execute(db)
  return rows
}
