import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, withinScope } from '../../platform/access/data-scope.ts'
import type { Db } from '../../platform/database/database.ts'

/** As the wire asks, ids as numbers. */
export interface DeviceFilter {
  /** Covers the organizations under it. */
  organizationId?: number | undefined
  operatorId?: number | undefined
  equipTypeId?: number | undefined
  equipModelId?: number | undefined
  equipClassify?: string | undefined
  /** Covers all below it. */
  regionCode?: string | undefined
  statuses?: readonly number[] | undefined
  isOnline?: 0 | 1 | undefined
  /** One alone also finds codes that begin with it; several are exact. */
  codes?: readonly string[] | undefined
  /** Part of it. */
  address?: string | undefined
  hasAlarm?: 0 | 1 | undefined
}

/**
 * The devices `d` that a filter asks for, within the scope. What a filter names at a distance
 * (organization, type, region) is looked up first and given as lists: joined instead, its size is
 * unknown to the planner, which then reads all devices in the order of their ids.
 */
export async function devicesMatching(
  db: Db,
  scope: DataScope,
  filter: DeviceFilter,
): Promise<RawBuilder<SqlBool>> {
  const { operatorIds, modelIds, regionIds } = await placesOf(db, filter)
  const { statuses, isOnline, codes, address, hasAlarm } = filter
  const parts: RawBuilder<unknown>[] = [
    sql`${withinScope(scope, {
      operatorId: sql.ref('d.operator_id'),
      modelId: sql.ref('d.model_id'),
      regionId: sql.ref('d.region_id'),
    })}`,
  ]
  if (operatorIds) parts.push(sql`d.operator_id = ANY(${operatorIds}::int[])`)
  if (modelIds) parts.push(sql`d.model_id = ANY(${modelIds}::int[])`)
  if (regionIds) parts.push(sql`d.region_id = ANY(${regionIds}::int[])`)
  if (statuses?.length) parts.push(sql`d.business_status = ANY(${statuses}::int[])`)
  if (codes?.length === 1) parts.push(sql`d.code LIKE ${`${likeLiteral(codes[0] ?? '')}%`}`)
  else if (codes?.length) parts.push(sql`d.code = ANY(${codes}::text[])`)
  if (address) parts.push(sql`d.address LIKE ${`%${likeLiteral(address)}%`}`)
  if (isOnline !== undefined) {
    const online = sql`EXISTS (SELECT FROM device_state s WHERE s.device_id = d.id AND s.is_online)`
    parts.push(isOnline === 1 ? online : sql`NOT ${online}`)
  }
  if (hasAlarm !== undefined) {
    const alarmed = sql`EXISTS (SELECT FROM alarm_state a WHERE a.device_id = d.id AND a.is_active)`
    parts.push(hasAlarm === 1 ? alarmed : sql`NOT ${alarmed}`)
  }
  return sql<SqlBool>`(${sql.join(parts, sql` AND `)})`
}

/** null where the filter does not say; an empty list where it names what does not exist. */
interface Places {
  operatorIds: number[] | null
  modelIds: number[] | null
  regionIds: number[] | null
}

async function placesOf(db: Db, filter: DeviceFilter): Promise<Places> {
  const { organizationId, operatorId, equipTypeId, equipModelId, equipClassify, regionCode } = filter
  const saysOwner = organizationId !== undefined || operatorId !== undefined
  const saysKind = equipTypeId !== undefined || equipModelId !== undefined || equipClassify !== undefined
  const saysPlace = regionCode !== undefined
  if (!saysOwner && !saysKind && !saysPlace) return { operatorIds: null, modelIds: null, regionIds: null }
  const { rows } = await sql<Places>`
    WITH RECURSIVE below AS (
      SELECT id FROM organization WHERE id = ${organizationId ?? null}::int
      UNION
      SELECT o.id FROM organization o JOIN below ON o.parent_id = below.id
    )
    SELECT
      CASE WHEN ${saysOwner} THEN ARRAY(
        SELECT id FROM operator
        WHERE (${operatorId ?? null}::int IS NULL OR id = ${operatorId ?? null})
          AND (${organizationId ?? null}::int IS NULL OR organization_id IN (SELECT id FROM below))
      ) END AS "operatorIds",
      CASE WHEN ${saysKind} THEN ARRAY(
        SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
        WHERE (${equipModelId ?? null}::int IS NULL OR m.id = ${equipModelId ?? null})
          AND (${equipTypeId ?? null}::int IS NULL OR t.id = ${equipTypeId ?? null})
          AND (${equipClassify ?? null}::text IS NULL OR t.classify = ${equipClassify ?? null})
      ) END AS "modelIds",
      CASE WHEN ${saysPlace} THEN ARRAY(
        SELECT r.id FROM region g JOIN region r ON r.path LIKE g.path || '%'
        WHERE g.code = ${regionCode ?? null}
      ) END AS "regionIds"`.execute(db)
  return rows[0] as Places
}

/** The text itself where LIKE would read a pattern. */
const likeLiteral = (text: string) => text.replace(/[\\%_]/g, '\\$&')

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
  alarmCount: number
  worstAlarmLevel: number | null
  updateTime: Date | null
  createTime: Date
}

/** A page of them, newest first. Alarms are counted for the rows of the page alone. */
export async function listDevices(
  db: Db,
  matching: RawBuilder<SqlBool>,
  page: { limit: number; offset: number },
): Promise<DeviceRow[]> {
  const { rows } = await sql<DeviceRow>`
    WITH page AS MATERIALIZED (
      SELECT d.id FROM device d WHERE ${matching} ORDER BY d.id DESC LIMIT ${page.limit} OFFSET ${page.offset}
    )
    SELECT
      d.id, d.code, d.name,
      coalesce(s.is_online, false)::int AS "isOnline", s.online_changed_at AS "onlineChangedTime",
      o.id AS "organizationId", o.name AS "organizationName",
      p.id AS "operatorId", p.name AS "operatorName",
      t.id AS "equipTypeId", t.name AS "equipTypeName", t.classify AS "equipClassify",
      m.id AS "equipModelId", m.name AS "equipModelName",
      r.code AS "regionCode", r.full_name AS "regionName",
      d.address, d.business_status AS "businessStatus",
      alarms.count AS "alarmCount", alarms.worst AS "worstAlarmLevel",
      s.last_report_at AS "updateTime", d.created_at AS "createTime"
    FROM page
    JOIN device d ON d.id = page.id
    JOIN operator p ON p.id = d.operator_id
    JOIN organization o ON o.id = p.organization_id
    JOIN equip_model m ON m.id = d.model_id
    JOIN equip_type t ON t.id = m.equip_type_id
    JOIN region r ON r.id = d.region_id
    LEFT JOIN device_state s ON s.device_id = d.id
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS count, min(e.alarm_level) AS worst
      FROM alarm_state a
      LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = a.semaphore_code
      WHERE a.device_id = d.id AND a.is_active
    ) alarms
    ORDER BY d.id DESC`.execute(db)
  return rows
}

export async function countDevices(db: Db, matching: RawBuilder<SqlBool>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM device d WHERE ${matching}`.execute(db)
  return rows[0]?.count ?? 0
}

/** One device of the scope as the list shows it; undefined where there is none. */
export async function readDevice(db: Db, scope: DataScope, id: number): Promise<DeviceRow | undefined> {
  const inScope = await devicesMatching(db, scope, {})
  const rows = await listDevices(db, sql<SqlBool>`d.id = ${id} AND ${inScope}`, { limit: 1, offset: 0 })
  return rows[0]
}

/** What a device last said of its connection and its running. */
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
    .selectFrom('device_version as v')
    .leftJoin('part_type as p', 'p.code', 'v.part_type')
    .select((eb) => [
      'v.part_type as partType',
      eb.fn.coalesce('p.name', 'v.part_type').as('partTypeName'),
      'v.addr_id as addrId',
      'v.version',
      'v.hw_version as hwVersion',
      'v.reported_at as reportTime',
    ])
    .where('v.device_id', '=', deviceId)
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
    .execute()
}
