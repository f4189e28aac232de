// From the filter of a list, as it came over the wire, to lists of column values within the caller's data scope.

import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Actor } from '../../platform/calls/actor.ts'
import type { Db } from '../../platform/database/database.ts'
import { likeLiteral } from '../../platform/database/like.ts'
import type { TimeRange } from '../../platform/process/clock.ts'
import { type DataScope, scopeOf } from '../access/data-scope.ts'
import { deviceIdsByCode } from '../access/device-search.ts'
import { organizationsUnder } from '../access/organization-tree.ts'

/** The filter of a list as it came over the wire; an absent field does not narrow. */
export interface Wanted {
  organizationId?: string | undefined
  operatorId?: string | undefined
  equipTypeId?: string | undefined
  equipModelId?: string | undefined
  regionCode?: string | undefined
  equipId?: string | undefined
  /** Device codes, or parts of them. */
  code?: readonly string[] | undefined
}

/**
 * The same filter within a data scope, as lists of column values. `null` does not narrow; an empty list matches
 * nothing.
 */
export interface PlaceFilter {
  operatorIds: readonly number[] | null
  modelIds: readonly number[] | null
  /** Every region that matches, including those below. */
  regionIds: readonly number[] | null
  /** The topmost of them: each includes all regions below it. */
  topRegionIds: readonly number[] | null
  /** Devices that match by code; they match all other lists too. */
  deviceIds: readonly number[] | null
}

export interface SemaphoreFilter {
  /** Semaphore codes that match; null does not narrow. */
  codes: readonly string[] | null
  /** Set when the filter has levels only: those levels, whose codes are in `codes`. */
  levels: readonly number[] | null
}

export interface HistoryFilter extends PlaceFilter, SemaphoreFilter {
  range: TimeRange
}

/** True when nothing can match: the answer is empty without a query. */
export function passesNothing(filter: PlaceFilter & { codes?: readonly string[] | null }): boolean {
  return [filter.operatorIds, filter.modelIds, filter.regionIds, filter.deviceIds, filter.codes].some(
    (list) => list?.length === 0,
  )
}

const all = (conditions: RawBuilder<SqlBool>[]) =>
  conditions.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`${sql.join(conditions, sql` AND `)}`

/** The filter of a list within the caller's scope, without its time range. */
export async function resolveFilter(
  db: Db,
  actor: Actor,
  dictionaryType: string,
  asked: Wanted & WantedSemaphores,
): Promise<PlaceFilter & SemaphoreFilter> {
  const [places, semaphores] = await Promise.all([
    scopeOf(db, actor).then((scope) => resolvePlaces(db, scope, asked)),
    resolveSemaphores(db, dictionaryType, asked),
  ])
  return { ...places, ...semaphores }
}

/** Resolves a filter within the scope. A list that contains everything becomes null. */
export async function resolvePlaces(db: Db, scope: DataScope, wanted: Wanted): Promise<PlaceFilter> {
  const operators: RawBuilder<SqlBool>[] = []
  if (scope.operatorIds) operators.push(sql`o.id = ANY(${scope.operatorIds}::int[])`)
  if (wanted.operatorId) operators.push(sql`o.id = ${wanted.operatorId}::bigint`)
  if (wanted.organizationId) {
    operators.push(sql`o.organization_id IN (${organizationsUnder(wanted.organizationId)})`)
  }
  const models: RawBuilder<SqlBool>[] = []
  if (scope.equipTypeIds) models.push(sql`m.equip_type_id = ANY(${scope.equipTypeIds}::int[])`)
  if (wanted.equipTypeId) models.push(sql`m.equip_type_id = ${wanted.equipTypeId}::bigint`)
  if (wanted.equipModelId) models.push(sql`m.id = ${wanted.equipModelId}::bigint`)
  const regions: RawBuilder<SqlBool>[] = []
  if (scope.regionIds) regions.push(sql`r.id = ANY(${scope.regionIds}::int[])`)
  if (wanted.regionCode) {
    // An unknown region code matches nothing.
    regions.push(sql`r.path LIKE (SELECT g.path FROM region g WHERE g.code = ${wanted.regionCode}) || '%'`)
  }

  let found: Lists = { operator_ids: null, model_ids: null, region_ids: null, top_region_ids: null }
  if (operators.length + models.length + regions.length > 0) {
    const { rows } = await sql<Lists>`
      WITH passing_region AS MATERIALIZED (
        SELECT r.id, r.parent_id FROM region r WHERE ${regions.length > 0 ? all(regions) : sql`false`}
      )
      SELECT
        ${operators.length > 0 ? listUnlessAll(sql`operator o WHERE ${all(operators)}`, sql`o.id`, 'operator') : sql`NULL::int[]`} AS operator_ids,
        ${models.length > 0 ? listUnlessAll(sql`equip_model m WHERE ${all(models)}`, sql`m.id`, 'equip_model') : sql`NULL::int[]`} AS model_ids,
        ${regions.length > 0 ? listUnlessAll(sql`passing_region p`, sql`p.id`, 'region') : sql`NULL::int[]`} AS region_ids,
        ARRAY(
          SELECT p.id FROM passing_region p
          WHERE p.parent_id IS NULL OR p.parent_id NOT IN (SELECT id FROM passing_region)
        ) AS top_region_ids
    `.execute(db)
    if (rows[0]) found = rows[0]
  }
  const places: PlaceFilter = {
    operatorIds: found.operator_ids,
    modelIds: found.model_ids,
    regionIds: found.region_ids,
    topRegionIds: found.region_ids && found.top_region_ids,
    deviceIds: null,
  }
  if (wanted.equipId || wanted.code) places.deviceIds = await resolveDevices(db, scope, places, wanted)
  return places
}

interface Lists {
  operator_ids: number[] | null
  model_ids: number[] | null
  region_ids: number[] | null
  top_region_ids: number[] | null
}

function listUnlessAll(from: RawBuilder<unknown>, id: RawBuilder<unknown>, table: string) {
  return sql`(
    SELECT CASE WHEN count(*) = (SELECT count(*) FROM ${sql.table(table)}) AND count(*) > 0 THEN NULL
      ELSE coalesce(array_agg(${id} ORDER BY ${id}), '{}') END
    FROM ${from})`
}

async function resolveDevices(
  db: Db,
  scope: DataScope,
  places: PlaceFilter,
  wanted: Wanted,
): Promise<number[]> {
  const conditions = placeConditions(places)
  if (wanted.equipId) conditions.push(sql`id = ${wanted.equipId}::bigint`)
  if (wanted.code) conditions.push(sql`id = ANY(${deviceIdsByCode(scope, wanted.code)})`)
  const { rows } = await sql<{ id: number }>`SELECT id FROM device WHERE ${all(conditions)}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Conditions on operator_id, model_id and region_id, or on device_id where devices are named. */
function placeConditions(places: PlaceFilter): RawBuilder<SqlBool>[] {
  if (places.deviceIds) return [sql`device_id = ANY(${places.deviceIds}::int[])`]
  const conditions: RawBuilder<SqlBool>[] = []
  if (places.operatorIds) conditions.push(sql`operator_id = ANY(${places.operatorIds}::int[])`)
  if (places.modelIds) conditions.push(sql`model_id = ANY(${places.modelIds}::int[])`)
  if (places.regionIds) conditions.push(sql`region_id = ANY(${places.regionIds}::int[])`)
  return conditions
}

/**
 * The filter, without its time range, as a condition on the columns that history rows, alarm states and deltas
 * share. Each list is one array parameter.
 */
export function passes(filter: PlaceFilter & { codes: readonly string[] | null }): RawBuilder<SqlBool> {
  const conditions = placeConditions(filter)
  if (filter.codes) conditions.push(sql`semaphore_code = ANY(${filter.codes}::text[])`)
  return all(conditions)
}

/** Narrows rows that have a device and no place (`device_id`) to devices that stand within the places now. */
export const deviceWithin = (places: PlaceFilter): RawBuilder<SqlBool> => {
  const conditions = placeConditions(places)
  return places.deviceIds || conditions.length === 0
    ? all(conditions)
    : sql<SqlBool>`device_id IN (SELECT id FROM device WHERE ${all(conditions)})`
}

/** The part of a filter that is about semaphores: a text found in name or code, codes, levels. */
export interface WantedSemaphores {
  semaphoreName?: string | undefined
  semaphoreCode?: readonly string[] | undefined
  alarmLevel?: readonly number[] | undefined
}

/**
 * The semaphore codes that match. Names and levels are in the dictionary (entries of the given type), so a text is
 * looked up among hundreds of names and never in history rows.
 */
export async function resolveSemaphores(
  db: Db,
  dictionaryType: string,
  { semaphoreName, semaphoreCode, alarmLevel }: WantedSemaphores,
): Promise<SemaphoreFilter> {
  if (semaphoreName === undefined && alarmLevel === undefined) {
    return { codes: semaphoreCode ?? null, levels: null }
  }
  const conditions = [sql<SqlBool>`type = ${dictionaryType}`]
  if (alarmLevel) conditions.push(sql`alarm_level = ANY(${alarmLevel}::int[])`)
  if (semaphoreCode) conditions.push(sql`code = ANY(${semaphoreCode}::text[])`)
  if (semaphoreName !== undefined) {
    const pattern = `%${likeLiteral(semaphoreName)}%`
    conditions.push(sql`(name ILIKE ${pattern} OR code ILIKE ${pattern})`)
  }
  const { rows } = await sql<{ code: string }>`
    SELECT code FROM dictionary_entry WHERE ${all(conditions)}`.execute(db)
  const codes = rows.map(({ code }) => code)
  // A code that is not in the dictionary is still found when it is given in full.
  const isCode =
    semaphoreName !== undefined &&
    alarmLevel === undefined &&
    !codes.includes(semaphoreName) &&
    (semaphoreCode === undefined || semaphoreCode.includes(semaphoreName))
  return {
    codes: isCode ? [...codes, semaphoreName] : codes,
    levels: semaphoreName === undefined && semaphoreCode === undefined ? (alarmLevel ?? null) : null,
  }
}
