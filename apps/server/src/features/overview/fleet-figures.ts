// The counts of the fleet that the database keeps for the home page, each with the SQL that counts it afresh.
import { longOfflineHours, lowStock } from '@voltkeep/contract'
import { type RawBuilder, sql } from 'kysely'
import { isNotQuiet, isQuiet, type Quiet } from '../alarms/index.ts'

export interface FleetFigure {
  figure: 'device' | 'away' | 'alarm' | 'level' | 'alarmed' | 'shelved' | 'version' | 'low'
  /** Whether its changes by the hour are kept too. */
  hasChanges: boolean
  /** Counted at single places; otherwise everywhere each time, which is cheap for few rows. */
  isByPlace: boolean
  /**
   * operator_id, model_id, region_id, name, detail and n of every place; with `places` (a relation of the first three)
   * of these alone. `quiet`: the alarms that are kept quiet, which no list of what stands counts.
   */
  fresh(places: RawBuilder<unknown> | null, quiet: Quiet): RawBuilder<unknown>
}

/** States of devices. Only activated ones are online, offline or never connected. */
export const deviceStates = ['online', 'offline', 'never', 'undelivered', 'commissioning'] as const
export type DeviceState = (typeof deviceStates)[number]

const devices = (places: RawBuilder<unknown> | null) =>
  places ? sql`${places} AS place JOIN device d USING (operator_id, model_id, region_id)` : sql`device d`

/** Devices by state. */
export const deviceFigure: FleetFigure = {
  figure: 'device',
  hasChanges: true,
  isByPlace: true,
  fresh: (places) => sql`
    SELECT d.operator_id, d.model_id, d.region_id, '' AS detail, count(*)::int AS n,
      CASE
        WHEN d.business_status = 2 THEN 'undelivered'
        WHEN d.business_status = 3 THEN 'commissioning'
        WHEN s.is_online THEN 'online'
        WHEN s.online_changed_at IS NOT NULL THEN 'offline'
        ELSE 'never'
      END AS name
    FROM ${devices(places)} LEFT JOIN device_state s ON s.device_id = d.id
    GROUP BY 1, 2, 3, 6`,
}

/** An offline device counts as long offline from this time on. */
export const longest = sql`${longOfflineHours} * interval '1 hour'`

/** Activated devices that have been offline for long, in one pass over the narrow rows. */
export const awayFigure: FleetFigure = {
  figure: 'away',
  hasChanges: false,
  isByPlace: false,
  fresh: () => sql`
    SELECT operator_id, model_id, region_id, '' AS name, '' AS detail, count(*)::int AS n
    FROM device_listing WHERE business_status = 1 AND offline_since < now() - ${longest}
    GROUP BY operator_id, model_id, region_id`,
}

/** Active alarms that stand, by code: few beside the states that an index leaves out. */
export const alarmFigure: FleetFigure = {
  figure: 'alarm',
  hasChanges: true,
  isByPlace: false,
  fresh: (_, quiet) => sql`
    SELECT operator_id, model_id, region_id, semaphore_code AS name, '' AS detail, count(*)::int AS n
    FROM alarm_state WHERE is_active AND ${isNotQuiet(quiet)} GROUP BY operator_id, model_id, region_id, semaphore_code`,
}

/** The same by level, for lists of places: a place has four of these, and hundreds of codes. */
export const levelFigure: FleetFigure = {
  figure: 'level',
  hasChanges: false,
  isByPlace: false,
  fresh: (_, quiet) => sql`
    SELECT a.operator_id, a.model_id, a.region_id, coalesce(e.alarm_level, 0)::text AS name, '' AS detail,
      count(*)::int AS n
    FROM (
      SELECT operator_id, model_id, region_id, semaphore_code FROM alarm_state
      WHERE is_active AND ${isNotQuiet(quiet)}
    ) a LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = a.semaphore_code
    GROUP BY 1, 2, 3, 4`,
}

/** Devices with an active alarm that stands. */
export const alarmedFigure: FleetFigure = {
  figure: 'alarmed',
  hasChanges: true,
  isByPlace: false,
  fresh: (_, quiet) => sql`
    SELECT operator_id, model_id, region_id, '' AS name, '' AS detail, count(DISTINCT device_id)::int AS n
    FROM alarm_state WHERE is_active AND ${isNotQuiet(quiet)} GROUP BY operator_id, model_id, region_id`,
}

/** Active alarms that are kept quiet: beside those that stand, and in none of their figures. */
export const shelvedFigure: FleetFigure = {
  figure: 'shelved',
  hasChanges: false,
  isByPlace: false,
  fresh: (_, quiet) => sql`
    SELECT operator_id, model_id, region_id, '' AS name, '' AS detail, count(*)::int AS n
    FROM alarm_state WHERE is_active AND ${isQuiet(quiet)} GROUP BY operator_id, model_id, region_id`,
}

/** Devices by the versions of their parts: one for each version that some part of the kind has. */
export const versionFigure: FleetFigure = {
  figure: 'version',
  hasChanges: false,
  isByPlace: true,
  fresh: (places) => sql`
    SELECT operator_id, model_id, region_id, part_type AS name, version AS detail, count(*)::int AS n
    FROM (
      SELECT d.operator_id, d.model_id, d.region_id, d.id, v.part_type, v.version
      FROM ${devices(places)} JOIN device_version v ON v.device_id = d.id
      GROUP BY d.operator_id, d.model_id, d.region_id, d.id, v.part_type, v.version
    ) AS one
    GROUP BY operator_id, model_id, region_id, part_type, version`,
}

/** Activated devices that are online and about to run out of full batteries. */
export const lowStockFigure: FleetFigure = {
  figure: 'low',
  hasChanges: false,
  isByPlace: true,
  fresh: (places) => sql`
    SELECT d.operator_id, d.model_id, d.region_id, '' AS name, '' AS detail, count(*)::int AS n
    FROM ${devices(places)}
    JOIN device_stock k ON k.device_id = d.id
    JOIN device_state s ON s.device_id = d.id
    WHERE k.full_count < ${lowStock} AND d.business_status = 1 AND s.is_online
    GROUP BY d.operator_id, d.model_id, d.region_id`,
}

export const figures = [
  deviceFigure,
  awayFigure,
  alarmFigure,
  levelFigure,
  alarmedFigure,
  shelvedFigure,
  versionFigure,
  lowStockFigure,
]
