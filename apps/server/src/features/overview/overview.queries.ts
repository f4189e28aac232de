// Reads the kept figures. Each query sums one range of fleet_count's key; see its migration for the meaning of 0.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { PlaceFilter } from '../../domain/history/index.ts'
import type { Db } from '../../platform/database/database.ts'
import type { DeviceState } from './fleet-figures.ts'

/** The sums that add up to these places, grouped by operator or by region where asked. */
function within(places: PlaceFilter, by: { operator?: true; region?: true } = {}): RawBuilder<SqlBool> {
  const hasModel = places.modelIds !== null
  const hasRegion = places.regionIds !== null || by.region === true
  const hasOperator = hasModel || hasRegion || places.operatorIds !== null || by.operator === true
  const column = (name: string, isKept: boolean, ids: readonly number[] | null) => {
    if (!isKept) return sql`${sql.ref(name)} = 0`
    return ids ? sql`${sql.ref(name)} = ANY(${ids}::int[])` : sql`${sql.ref(name)} > 0`
  }
  return sql<SqlBool>`${column('model_id', hasModel, places.modelIds)}
    AND ${column('region_id', hasRegion, places.regionIds)}
    AND ${column('operator_id', hasOperator, places.operatorIds)}`
}

/** Devices by state; states without any are left out. */
export async function countDevices(db: Db, places: PlaceFilter): Promise<Map<DeviceState, number>> {
  const { rows } = await sql<{ state: DeviceState; count: number }>`
    SELECT name AS state, sum(n)::int AS count FROM fleet_count
    WHERE figure = 'device' AND ${within(places)} GROUP BY name`.execute(db)
  return new Map(rows.map(({ state, count }) => [state, count]))
}

async function sumOf(
  figure: 'away' | 'alarmed' | 'shelved' | 'low',
  db: Db,
  places: PlaceFilter,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT coalesce(sum(n), 0)::int AS count FROM fleet_count
    WHERE figure = ${figure} AND ${within(places)}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Activated devices that have been offline for longer than `longOfflineHours`. */
export const countLongOffline = (db: Db, places: PlaceFilter) => sumOf('away', db, places)

export interface SemaphoreCount {
  semaphoreCode: string
  semaphoreName: string
  alarmLevel: number | null
  count: number
}

/** Active alarms by semaphore, the most frequent first. */
export async function countActiveAlarms(db: Db, places: PlaceFilter): Promise<SemaphoreCount[]> {
  const { rows } = await sql<SemaphoreCount>`
    SELECT a.name AS "semaphoreCode", coalesce(e.name, a.name) AS "semaphoreName", e.alarm_level AS "alarmLevel", a.count
    FROM (
      SELECT name, sum(n)::int AS count FROM fleet_count
      WHERE figure = 'alarm' AND ${within(places)} GROUP BY name HAVING sum(n) > 0
    ) AS a
    LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = a.name
    ORDER BY a.count DESC, e.alarm_level, a.name
  `.execute(db)
  return rows
}

/** Active alarms by level, the gravest first; 0 for codes that the dictionary does not know. */
export async function countActiveLevels(
  db: Db,
  places: PlaceFilter,
): Promise<{ level: number; count: number }[]> {
  const { rows } = await sql<{ level: number; count: number }>`
    SELECT name::int AS level, sum(n)::int AS count FROM fleet_count
    WHERE figure = 'level' AND ${within(places)} GROUP BY name HAVING sum(n) > 0
    ORDER BY name = '0', name`.execute(db)
  return rows
}

export const countDevicesWithAlarm = (db: Db, places: PlaceFilter) => sumOf('alarmed', db, places)

/** Active alarms that are kept quiet. */
export const countShelved = (db: Db, places: PlaceFilter) => sumOf('shelved', db, places)

export interface Changes {
  since: Date
  onlineCount: number
  offlineCount: number
  devicesWithAlarm: number
  alarmCount: number
}

/** By how much the figures changed since the hour that began a day ago; null where they are not kept for so long as an hour. */
export async function readChanges(db: Db, places: PlaceFilter): Promise<Changes | null> {
  const { rows } = await sql<Changes>`
    SELECT since.at AS since, c.*
    FROM (
      SELECT greatest(date_trunc('hour', now() - interval '24 hours'), max(begun_at)) AS at
      FROM fleet_figure WHERE figure IN ('device', 'alarm', 'alarmed') HAVING count(*) = 3
    ) AS since
    CROSS JOIN LATERAL (
      SELECT
        coalesce(sum(n) FILTER (WHERE figure = 'device' AND name = 'online'), 0)::int AS "onlineCount",
        coalesce(sum(n) FILTER (WHERE figure = 'device' AND name = 'offline'), 0)::int AS "offlineCount",
        coalesce(sum(n) FILTER (WHERE figure = 'alarmed'), 0)::int AS "devicesWithAlarm",
        coalesce(sum(n) FILTER (WHERE figure = 'alarm'), 0)::int AS "alarmCount"
      FROM fleet_change
      WHERE figure IN ('device', 'alarm', 'alarmed') AND ${within(places)} AND hour >= date_trunc('hour', since.at)
    ) AS c
    WHERE since.at < now() - interval '1 hour'`.execute(db)
  return rows[0] ?? null
}

/** Devices that are about to run out of full batteries. */
export const countLowStock = (db: Db, places: PlaceFilter) => sumOf('low', db, places)

export interface Troubles {
  onlineCount: number
  offlineCount: number
  criticalCount: number
  majorCount: number
  alarmCount: number
  shelvedCount: number
}

const troubles = sql`
  coalesce(sum(n) FILTER (WHERE figure = 'device' AND name = 'online'), 0)::int AS "onlineCount",
  coalesce(sum(n) FILTER (WHERE figure = 'device' AND name = 'offline'), 0)::int AS "offlineCount",
  coalesce(sum(n) FILTER (WHERE figure = 'level' AND name = '1'), 0)::int AS "criticalCount",
  coalesce(sum(n) FILTER (WHERE figure = 'level' AND name = '2'), 0)::int AS "majorCount",
  coalesce(sum(n) FILTER (WHERE figure = 'level'), 0)::int AS "alarmCount",
  coalesce(sum(n) FILTER (WHERE figure = 'shelved'), 0)::int AS "shelvedCount"`

/** Operators with something wrong, the worst first as `troubleOf` weighs it. */
export async function listOperators(
  db: Db,
  places: PlaceFilter,
  limit: number,
): Promise<(Troubles & { id: number; name: string; organizationId: number; total: number })[]> {
  const { rows } = await sql<Troubles & { id: number; name: string; organizationId: number; total: number }>`
    SELECT o.id, o.name, o.organization_id AS "organizationId", t.*, (count(*) OVER ())::int AS total
    FROM (
      SELECT operator_id, ${troubles} FROM fleet_count
      WHERE figure IN ('device', 'level', 'shelved') AND ${within(places, { operator: true })} GROUP BY operator_id
    ) AS t
    JOIN operator o ON o.id = t.operator_id
    WHERE "offlineCount" + "alarmCount" + "shelvedCount" > 0
    ORDER BY (2 * "criticalCount" + "majorCount" + "offlineCount") / sqrt(greatest("onlineCount" + "offlineCount", 1)) DESC,
      "alarmCount" DESC, o.name
    LIMIT ${limit}`.execute(db)
  return rows
}

/** Every region that has devices itself, with its path. */
export async function listRegions(db: Db, places: PlaceFilter): Promise<(Troubles & { path: string })[]> {
  const { rows } = await sql<Troubles & { path: string }>`
    SELECT r.path, t.*
    FROM (
      SELECT region_id, ${troubles} FROM fleet_count
      WHERE figure IN ('device', 'level', 'shelved') AND ${within(places, { region: true })} GROUP BY region_id
      HAVING sum(n) > 0
    ) AS t
    JOIN region r ON r.id = t.region_id`.execute(db)
  return rows
}

export async function nameRegions(
  db: Db,
  ids: readonly number[],
): Promise<{ id: number; code: string; name: string }[]> {
  const { rows } = await sql<{ id: number; code: string; name: string }>`
    SELECT id, code, name FROM region WHERE id = ANY(${ids}::int[])`.execute(db)
  return rows
}

export interface VersionCount {
  partType: string
  partTypeName: string
  version: string
  count: number
}

/** Devices by kind of part and version: kinds in the order of their list, the newest version first. */
export async function countVersions(db: Db, places: PlaceFilter): Promise<VersionCount[]> {
  const { rows } = await sql<VersionCount>`
    SELECT v.name AS "partType", coalesce(p.name, v.name) AS "partTypeName", v.detail AS version, v.count
    FROM (
      SELECT name, detail, sum(n)::int AS count FROM fleet_count
      WHERE figure = 'version' AND ${within(places)} GROUP BY name, detail HAVING sum(n) > 0
    ) AS v
    LEFT JOIN part_type p ON p.code = v.name
    ORDER BY p.order_num NULLS LAST, v.name,
      CASE WHEN v.detail ~ '^[0-9]{1,9}([.][0-9]{1,9})*$' THEN string_to_array(v.detail, '.')::bigint[] END
        DESC NULLS LAST, v.detail`.execute(db)
  return rows
}
