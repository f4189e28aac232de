// All SQL on devices: lists, counts and single devices within a data scope, and writes.
import type { ThrottleReason } from '@voltkeep/contract/devices'
import type { DeviceProtocol } from '@voltkeep/contract/protocols'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../domain/access/data-scope.ts'
import { deviceFoundBy } from '../../domain/access/device-search.ts'
import type { Db } from '../../platform/database/database.ts'
import { deletingOld } from '../../platform/database/jobs/retention.ts'
import { likeLiteral } from '../../platform/database/like.ts'
import { countRows } from '../../platform/database/paging.ts'

/** What one device may have; more is refused. */
export const mostParts = 1_000
export const mostParameters = 2_000

export interface DeviceRow {
  id: number
  code: string
  name: string | null
  isOnline: 0 | 1
  onlineChangedTime: Date | null
  organizationId: number
  organizationName: string
  operatorId: number
  operatorName: string
  equipTypeId: number
  equipTypeName: string
  equipClassify: string
  equipModelId: number
  equipModelName: string
  regionCode: string
  regionName: string
  address: string | null
  businessStatus: 1 | 2 | 3
  protocol: DeviceProtocol
  throttledSince: Date | null
  throttleReason: ThrottleReason | null
  alarmCount: number
  worstAlarmLevel: number | null
  shelvedCount: number
  fullCount: number | null
  usableCount: number | null
  updateTime: Date | null
  createTime: Date
  version: number
}

/** Which devices come first. */
export type DeviceOrder = 'newest' | 'codeUp' | 'codeDown'

/** Both orders have an index on device_listing, and so the page of a wide filter is a walk along one. */
const orders: Record<DeviceOrder, RawBuilder<unknown>> = {
  newest: sql`ORDER BY d.id DESC`,
  codeUp: sql`ORDER BY d.code`,
  codeDown: sql`ORDER BY d.code DESC`,
}

interface DevicePage {
  limit: number
  offset: number
  order?: DeviceOrder
}

/** A page of those whose row `d` in device_listing matches. */
export const listDevices = (
  db: Db,
  matching: RawBuilder<SqlBool>,
  { limit, offset, order = 'newest' }: DevicePage,
  isQuiet: RawBuilder<SqlBool>,
): Promise<DeviceRow[]> =>
  readRows(
    db,
    sql`SELECT d.id FROM device_listing d WHERE ${matching}
      ${orders[order]} LIMIT ${limit} OFFSET ${offset}`,
    isQuiet,
    order,
  )

/**
 * The same with the number of all that match, in one pass over the devices: for conditions that cost more than keeping
 * the ids of the devices that pass.
 */
export async function listAndCountDevices(
  db: Db,
  matching: RawBuilder<SqlBool>,
  { limit, offset, order = 'newest' }: DevicePage,
  isQuiet: RawBuilder<SqlBool>,
): Promise<{ rows: DeviceRow[]; total: number }> {
  const { rows } = await sql<{ total: number; ids: number[] }>`
    WITH found AS MATERIALIZED (SELECT d.id${order === 'newest' ? sql`` : sql`, d.code`} FROM device_listing d WHERE ${matching})
    SELECT (SELECT count(*)::int FROM found) AS total,
      ARRAY(SELECT d.id FROM found d ${orders[order]} LIMIT ${limit} OFFSET ${offset}) AS ids`.execute(db)
  const { total = 0, ids = [] } = rows[0] ?? {}
  return { rows: await readRows(db, sql`SELECT id FROM unnest(${ids}::int[]) AS id`, isQuiet, order), total }
}

/**
 * The rows of the devices of a relation (id). Alarms are counted for these alone, and apart where `isQuiet`, a condition
 * on `alarm_state`, says that they are kept quiet.
 */
async function readRows(
  db: Db,
  ids: RawBuilder<unknown>,
  isQuiet: RawBuilder<SqlBool>,
  order: DeviceOrder = 'newest',
): Promise<DeviceRow[]> {
  const { rows } = await sql<DeviceRow>`
    WITH page AS MATERIALIZED (${ids})
    SELECT
      d.id, d.code, d.name,
      coalesce(s.is_online, false)::int AS "isOnline", s.online_changed_at AS "onlineChangedTime",
      o.id AS "organizationId", o.name AS "organizationName",
      p.id AS "operatorId", p.name AS "operatorName",
      t.id AS "equipTypeId", t.name AS "equipTypeName", t.classify AS "equipClassify",
      m.id AS "equipModelId", m.name AS "equipModelName",
      r.code AS "regionCode", r.full_name AS "regionName",
      d.address, d.business_status AS "businessStatus", d.protocol,
      s.throttled_since AS "throttledSince", s.throttle_reason AS "throttleReason",
      alarms.count AS "alarmCount", alarms.worst AS "worstAlarmLevel", alarms.shelved AS "shelvedCount",
      k.full_count AS "fullCount",
      k.full_count + k.charging_count + k.idle_count + k.empty_count AS "usableCount",
      s.last_report_at AS "updateTime", d.created_at AS "createTime", d.version
    FROM page
    JOIN device d ON d.id = page.id
    JOIN operator p ON p.id = d.operator_id
    JOIN organization o ON o.id = p.organization_id
    JOIN equip_model m ON m.id = d.model_id
    JOIN equip_type t ON t.id = m.equip_type_id
    JOIN region r ON r.id = d.region_id
    LEFT JOIN device_state s ON s.device_id = d.id
    LEFT JOIN device_stock k ON k.device_id = d.id
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE NOT a.is_quiet)::int AS count, count(*) FILTER (WHERE a.is_quiet)::int AS shelved,
        min(e.alarm_level) FILTER (WHERE NOT a.is_quiet) AS worst
      FROM (
        SELECT semaphore_code, ${isQuiet} AS is_quiet FROM alarm_state WHERE device_id = d.id AND is_active
      ) a
      LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = a.semaphore_code
    ) alarms
    ${orders[order]}`.execute(db)
  return rows
}

/** All of them in the same order, some at a time: each batch begins where the one before ended. */
export async function* walkDevices(
  db: Db,
  matching: RawBuilder<SqlBool>,
  batchSize: number,
  isQuiet: RawBuilder<SqlBool>,
): AsyncGenerator<DeviceRow[]> {
  for (let last: number | undefined; ; ) {
    const rest = last === undefined ? matching : sql<SqlBool>`${matching} AND d.id < ${last}`
    const rows = await listDevices(db, rest, { limit: batchSize, offset: 0 }, isQuiet)
    if (rows.length > 0) yield rows
    if (rows.length < batchSize) return
    last = rows.at(-1)?.id
  }
}

/** How many listed devices match. */
export async function countDevices(db: Db, matching: RawBuilder<SqlBool>): Promise<number> {
  return countRows(db, sql`FROM device_listing d WHERE ${matching}`)
}

/** How many devices a condition on `device d` means, as other features have it. */
export async function countChosen(db: Db, chosen: RawBuilder<SqlBool>): Promise<number> {
  return countRows(db, sql`FROM device d WHERE ${chosen}`)
}

/** One device of the scope as the list shows it; undefined where there is none. */
export async function readDevice(
  db: Db,
  scope: DataScope,
  id: number,
  isQuiet: RawBuilder<SqlBool>,
): Promise<DeviceRow | undefined> {
  const matching = sql<SqlBool>`d.id = ${id} AND ${deviceWithinScope(scope)}`
  const [device] = await listDevices(db, matching, { limit: 1, offset: 0 }, isQuiet)
  return device
}

export interface FoundDevice {
  id: number
  code: string
  name: string | null
  operatorName: string
  regionName: string
  address: string | null
  /** Null: never connected. */
  isOnline: 0 | 1 | null
}

/**
 * The devices of the scope that a text finds: first the one with this code, then codes that end with it (people read
 * the last digits out), begin with it, contain it; then by name and address. Newest first among equals.
 */
export async function findDevices(
  db: Db,
  scope: DataScope,
  keyword: string,
  limit: number,
): Promise<FoundDevice[]> {
  const part = sql`lower(${likeLiteral(keyword.trim())}::text)`
  const { rows } = await sql<FoundDevice>`
    WITH found AS MATERIALIZED (
      SELECT d.id, CASE
        WHEN d.code = ${part} THEN 0
        WHEN d.code LIKE '%' || ${part} THEN 1
        WHEN d.code LIKE ${part} || '%' THEN 2
        WHEN d.code LIKE '%' || ${part} || '%' THEN 3
        ELSE 4 END AS rank
      FROM device_listing d WHERE ${deviceWithinScope(scope)} AND ${deviceFoundBy(keyword)}
      ORDER BY rank, length(d.code), d.id DESC LIMIT ${limit}
    )
    SELECT d.id, d.code, d.name, p.name AS "operatorName", r.full_name AS "regionName", d.address,
      nullif(l.connection, 2) AS "isOnline"
    FROM found f
    JOIN device d ON d.id = f.id
    JOIN device_listing l ON l.id = f.id
    JOIN operator p ON p.id = d.operator_id
    JOIN region r ON r.id = d.region_id
    ORDER BY f.rank, length(d.code), d.id DESC`.execute(db)
  return rows
}

export async function findCode(db: Db, scope: DataScope, id: number): Promise<string | undefined> {
  const { rows } = await sql<{ code: string }>`
    SELECT d.code FROM device d WHERE d.id = ${id} AND ${deviceWithinScope(scope)}`.execute(db)
  return rows[0]?.code
}

/** Deletes connections and disconnections from before the moment, no more than `limit`; returns how many. */
export const deleteConnections = deletingOld(({ db, before, limit }) =>
  sql`
    DELETE FROM device_connection WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM device_connection WHERE at < ${before} LIMIT ${limit}))`.execute(db),
)

/** The newest connection and status that a device reported. */
export async function readState(db: Db, deviceId: number) {
  return db
    .selectFrom('device_state')
    .select([
      'connected_from as connectedFrom',
      'clock_offset_ms as clockOffsetMs',
      'status',
      'status_at as statusTime',
    ])
    .where('device_id', '=', deviceId)
    .executeTakeFirst()
}

/** Versions by part, the parts in the order of their list and numbered ones in the order of numbers. */
export async function listVersions(db: Db, deviceId: number) {
  return db
    .selectFrom((eb) =>
      eb
        .selectFrom('device_version')
        .selectAll()
        .where('device_id', '=', deviceId)
        .orderBy('part_type')
        .orderBy('addr_id')
        .limit(mostParts)
        .as('v'),
    )
    .leftJoin('part_type as p', 'p.code', 'v.part_type')
    .select((eb) => [
      'v.part_type as partType',
      eb.fn.coalesce('p.name', 'v.part_type').as('partTypeName'),
      'v.addr_id as addrId',
      'v.version',
      'v.hw_version as hwVersion',
      'v.pcb_code as pcbCode',
      'v.reported_at as reportTime',
    ])
    .orderBy('p.order_num', (order) => order.asc().nullsLast())
    .orderBy('v.part_type')
    .orderBy(sql`length(v.addr_id)`)
    .orderBy('v.addr_id')
    .execute()
}

export async function listParameters(db: Db, deviceId: number) {
  return db
    .selectFrom('device_parameter as v')
    .leftJoin('dictionary_entry as e', (join) =>
      join.onRef('e.code', '=', 'v.parameter_id').on('e.type', '=', 'PARAM'),
    )
    .select((eb) => [
      'v.parameter_id as id',
      eb.fn.coalesce('e.name', 'v.parameter_id').as('name'),
      'v.value',
      'v.reported_at as reportTime',
    ])
    .where('v.device_id', '=', deviceId)
    .orderBy('v.parameter_id')
    .limit(mostParameters)
    .execute()
}

/** Those of the devices that are online, in no order. */
export async function listOnlineOf(db: Db, deviceIds: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ deviceId: number }>`
    SELECT s.device_id AS "deviceId" FROM device_state s JOIN device d ON d.id = s.device_id
    WHERE s.device_id = ANY(${deviceIds}::int4[]) AND s.is_online AND d.protocol = 'mqtt'`.execute(db)
  return rows.map(({ deviceId }) => deviceId)
}
