// Which devices a filter asks for, as a condition for queries of this feature and of others.
import type { DeviceProtocol } from '@voltkeep/contract/protocols'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { DataScope } from '../../domain/access/data-scope.ts'
import { deviceAddressHas, deviceFoundBy, deviceIdsByCode } from '../../domain/access/device-search.ts'
import { resolvePlaces } from '../../domain/history/index.ts'
import type { Db } from '../../platform/database/database.ts'
import { isNotQuiet, readQuiet } from '../alarms/index.ts'

/** As the wire asks. */
export interface DeviceFilter {
  /** Covers the organizations under it. */
  organizationId?: string | undefined
  operatorId?: string | undefined
  equipTypeId?: string | undefined
  equipModelId?: string | undefined
  equipClassify?: string | undefined
  /** Covers all below it. */
  regionCode?: string | undefined
  statuses?: readonly number[] | undefined
  /** 2: never connected. */
  isOnline?: 0 | 1 | 2 | undefined
  /** Offline for longer than this. */
  offlineHours?: number | undefined
  hasConnected?: 0 | 1 | undefined
  /** Codes or parts of them. */
  code?: readonly string[] | undefined
  /** Parts of code, name and address. */
  keyword?: string | undefined
  /** Part of it. */
  address?: string | undefined
  hasAlarm?: 0 | 1 | undefined
  /** Of full batteries. */
  fullFewerThan?: number | undefined
  protocol?: DeviceProtocol | undefined
  ids?: readonly string[] | undefined
}

/**
 * The devices `d` that a filter asks for, within the scope. Filters on other tables (organization, type, region, the
 * scope itself) are looked up first and given as lists: joined instead, their size is unknown to the planner, which
 * then reads all devices in the order of their ids.
 */
export async function devicesMatching(
  db: Db,
  scope: DataScope,
  filter: DeviceFilter,
): Promise<RawBuilder<SqlBool>> {
  const { placed, listed, known } = await conditionsOf(db, scope, filter)
  // The places stand inside as well: a search reads the rows of the scope, and not everybody's. IS TRUE keeps this from
  // becoming a join: with a wrong estimate of the number of rows, the planner compared each device with each of them
  // (0.4 s). So they are a set to look into.
  const found =
    listed.length === 0
      ? []
      : [sql`(d.id IN (SELECT d.id FROM device_listing d WHERE ${allOf([...placed, ...listed])})) IS TRUE`]
  return allOf([...placed, ...found, ...known])
}

/** The same as a condition on `device_listing d`, which the lists of devices read. */
export async function listingMatching(
  db: Db,
  scope: DataScope,
  filter: DeviceFilter,
): Promise<RawBuilder<SqlBool>> {
  const { placed, listed, known } = await conditionsOf(db, scope, filter)
  return allOf([...placed, ...listed, ...known])
}

const allOf = (conditions: readonly RawBuilder<unknown>[]) =>
  sql<SqlBool>`(${sql.join([sql`true`, ...conditions], sql` AND `)})`

/**
 * What a filter asks for: `placed` of a device's row and of the one in device_listing alike, `listed` of the latter
 * alone, `known` of other tables. The most expensive conditions of each come last: a row is checked in this order.
 */
async function conditionsOf(db: Db, scope: DataScope, filter: DeviceFilter) {
  const {
    code,
    keyword,
    address,
    statuses,
    isOnline,
    offlineHours,
    hasConnected,
    hasAlarm,
    fullFewerThan,
    protocol,
    equipClassify,
    ids,
    ...places
  } = filter
  const { operatorIds, modelIds, regionIds } = await resolvePlaces(db, scope, places)
  const placed: RawBuilder<unknown>[] = []
  if (operatorIds) placed.push(sql`d.operator_id = ANY(${operatorIds}::int[])`)
  if (modelIds) placed.push(sql`d.model_id = ANY(${modelIds}::int[])`)
  if (regionIds) placed.push(sql`d.region_id = ANY(${regionIds}::int[])`)
  if (ids) placed.push(sql`d.id = ANY(${ids}::bigint[])`)
  if (equipClassify) {
    placed.push(sql`d.model_id IN (
      SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
      WHERE t.classify = ${equipClassify})`)
  }
  if (statuses?.length) placed.push(sql`d.business_status = ANY(${statuses}::int[])`)
  const known: RawBuilder<unknown>[] = []
  // Few are not at the broker: the others are those that are not among them. Those that poll are known by their index.
  if (protocol !== undefined) {
    const speaks = sql`d.id IN (SELECT id FROM device WHERE protocol <> 'mqtt' AND protocol = ${protocol})`
    const isElsewhere = sql`d.id IN (SELECT id FROM device WHERE protocol <> 'mqtt')`
    known.push(protocol === 'mqtt' ? sql`(${isElsewhere}) IS NOT TRUE` : sql`(${speaks}) IS TRUE`)
  }
  if (code) known.push(sql`d.id = ANY(${deviceIdsByCode(scope, code)})`)
  if (hasAlarm !== undefined) {
    const standing = isNotQuiet(await readQuiet(db))
    const alarmed = sql`d.id IN (SELECT device_id FROM alarm_state WHERE is_active AND ${standing})`
    known.push(hasAlarm === 1 ? sql`(${alarmed}) IS TRUE` : sql`(${alarmed}) IS NOT TRUE`)
  }
  if (fullFewerThan !== undefined) {
    known.push(
      sql`(d.id IN (SELECT k.device_id FROM device_stock k WHERE k.full_count < ${fullFewerThan}::int)) IS TRUE`,
    )
  }
  const listed: RawBuilder<unknown>[] = []
  if (isOnline !== undefined) listed.push(sql`d.connection = ${isOnline}::int`)
  if (hasConnected !== undefined)
    listed.push(hasConnected === 1 ? sql`d.connection <> 2` : sql`d.connection = 2`)
  if (offlineHours !== undefined) {
    listed.push(sql`d.offline_since < now() - ${offlineHours} * interval '1 hour'`)
  }
  if (keyword !== undefined) listed.push(deviceFoundBy(keyword))
  if (address !== undefined) listed.push(deviceAddressHas(address))
  return { placed, listed, known }
}

/** Whether a filter needs more of each device than its row in device_listing shows directly. */
export const isCostly = ({ keyword, address, code, hasAlarm, fullFewerThan, protocol }: DeviceFilter) =>
  keyword !== undefined ||
  address !== undefined ||
  hasAlarm !== undefined ||
  fullFewerThan !== undefined ||
  protocol !== undefined ||
  code !== undefined
