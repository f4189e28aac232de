import { type DeviceChoice, protocolsWithout } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { DataScope } from '../../domain/access/data-scope.ts'
import type { Db } from '../../platform/database/database.ts'
import { devicesChosen } from '../devices/index.ts'

/** The family of devices that have a screen. */
const classifyOfCabinets = 'EC'

const isCabinet = sql<SqlBool>`d.model_id IN (
  SELECT m.id FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id
  WHERE t.classify = ${classifyOfCabinets})`
const takesThem = sql<SqlBool>`d.protocol <> ALL(${protocolsWithout('advertise')}::text[])`

/** The cabinets `d` of a choice, within the scope, as far as they take advertisements. */
export async function cabinetsChosen(
  db: Db,
  scope: DataScope,
  choice: DeviceChoice,
): Promise<RawBuilder<SqlBool>> {
  return sql<SqlBool>`(${await devicesChosen(db, scope, choice)} AND ${isCabinet} AND ${takesThem})`
}

export const leftOutTexts = { noCabinet: '不是柜机', noAdvertisements: '不支持广告' }

/** The other devices `d` among those that are chosen: (device_id, part, reason). */
export const leftOutOf = (chosen: RawBuilder<SqlBool>): RawBuilder<unknown> => sql`
  SELECT d.id, NULL::text, CASE WHEN ${isCabinet} THEN 'noAdvertisements' ELSE 'noCabinet' END
  FROM device d WHERE ${chosen} AND NOT (${isCabinet} AND ${takesThem})`

type Filter = keyof NonNullable<DeviceChoice['filters']>

/** Of each filter, whether it goes by a state that changes by itself. */
const changesByItself: Readonly<Record<Filter, boolean>> = {
  organizationId: false,
  operatorId: false,
  equipTypeId: false,
  equipModelId: false,
  equipClassify: false,
  regionCode: false,
  statuses: false,
  keyword: false,
  address: false,
  isOnline: true,
  offlineHours: true,
  hasConnected: true,
  hasAlarm: true,
  fullFewerThan: true,
}
const passing = (Object.keys(changesByItself) as Filter[]).filter((name) => changesByItself[name])

/**
 * Whether the choice goes by such a state (online, ever connected, with an alarm, few full batteries). Then it decides
 * which cabinets get the advertisement when it is made, and nothing about later.
 */
export const isOfTheMoment = ({ filters }: DeviceChoice) =>
  passing.some((name) => filters?.[name] !== undefined)

/** The choice without those filters. */
export function lastingPartOf({ filters, ...others }: DeviceChoice): DeviceChoice {
  const lasting = { ...filters }
  for (const name of passing) delete lasting[name]
  if (Object.keys(lasting).length > 0) return { ...others, filters: lasting }
  return others.codes ? others : { isAll: 1 }
}
