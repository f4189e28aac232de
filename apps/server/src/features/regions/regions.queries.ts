// SQL of the tree of regions.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope, withinScope } from '../../domain/access/data-scope.ts'
import type { Db, Trx } from '../../platform/database/database.ts'

export interface RegionRow {
  id: number
  parentId: number | null
  code: string
  name: string
  orderNum: number
  version: number
}

export async function listRegions(db: Db): Promise<RegionRow[]> {
  return db
    .selectFrom('region')
    .select(['id', 'parent_id as parentId', 'code', 'name', 'order_num as orderNum', 'version'])
    .orderBy('order_num')
    .orderBy('id')
    .execute()
}

export interface RegionTally {
  code: string
  devices: number
  online: number
  alarms: number
  shelved: number
}

/** Devices of the scope and their active alarms, by the region that they stand in; apart what is kept quiet. */
export async function countRegions(
  db: Db,
  scope: DataScope,
  isQuiet: RawBuilder<SqlBool>,
): Promise<RegionTally[]> {
  const ofAlarm = {
    operatorId: sql.ref<number>('s.operator_id'),
    modelId: sql.ref<number>('s.model_id'),
    regionId: sql.ref<number>('s.region_id'),
  }
  const { rows } = await sql<RegionTally>`
    WITH alarm_tally AS (
      SELECT s.region_id, count(*) FILTER (WHERE NOT s.is_quiet)::int AS alarms,
        count(*) FILTER (WHERE s.is_quiet)::int AS shelved
      FROM (
        SELECT operator_id, model_id, region_id, ${isQuiet} AS is_quiet FROM alarm_state WHERE is_active
      ) s
      WHERE ${withinScope(scope, ofAlarm)} GROUP BY s.region_id
    ), device_tally AS (
      SELECT d.region_id, count(*)::int AS devices, count(*) FILTER (WHERE d.connection = 1)::int AS online
      FROM device_listing d WHERE ${deviceWithinScope(scope)} GROUP BY d.region_id
    )
    SELECT r.code, d.devices, d.online, coalesce(a.alarms, 0) AS alarms, coalesce(a.shelved, 0) AS shelved
    FROM device_tally d
    JOIN region r ON r.id = d.region_id
    LEFT JOIN alarm_tally a ON a.region_id = d.region_id
    ORDER BY r.id`.execute(db)
  return rows
}

/** A region with its place in the tree. */
export interface RegionEntry extends RegionRow {
  /** Ids from the root to this one, itself included: /1/20/301/. That of 全部, which covers all, is /. */
  path: string
  fullName: string
}

/**
 * Locks the tree against other writers: two valid moves at the same time could put a region below itself. Readers,
 * and writes of devices, do not wait.
 */
export async function lockTree(trx: Trx): Promise<void> {
  await sql`LOCK TABLE region IN SHARE ROW EXCLUSIVE MODE`.execute(trx)
}

export async function findRegion(trx: Trx, code: string): Promise<RegionEntry | undefined> {
  return regionEntries(trx).where('code', '=', code).executeTakeFirst()
}

export async function readRegion(trx: Trx, id: number): Promise<RegionEntry | undefined> {
  return regionEntries(trx).where('id', '=', id).executeTakeFirst()
}

/** Locked against changes and new references until the transaction ends: a deletion finds every reference. */
export async function lockRegion(trx: Trx, code: string): Promise<RegionEntry | undefined> {
  return regionEntries(trx).where('code', '=', code).forUpdate().executeTakeFirst()
}

/** The region and all below it, parents before their children. */
export async function listSubtree(trx: Trx, path: string): Promise<RegionEntry[]> {
  return regionEntries(trx)
    .where(sql<boolean>`path LIKE ${`${path}%`}`)
    .orderBy(sql`length(path) - length(replace(path, '/', ''))`)
    .execute()
}

const regionEntries = (trx: Trx) =>
  trx
    .selectFrom('region')
    .select([
      'id',
      'parent_id as parentId',
      'code',
      'name',
      'order_num as orderNum',
      'version',
      'path',
      'full_name as fullName',
    ])

export interface RegionValues {
  code: string
  name: string
  fullName: string
  parent: Pick<RegionEntry, 'id' | 'path'> | null
  /** After its siblings where null. */
  orderNum: number | null
}

export async function insertRegion(trx: Trx, values: RegionValues): Promise<void> {
  const { code, name, fullName, parent, orderNum } = values
  const parentId = parent?.id ?? null
  await sql`
    INSERT INTO region (id, code, parent_id, name, path, full_name, order_num)
    SELECT drawn.id, ${code}, ${parentId}::int, ${name}, ${parent?.path ?? '/'} || drawn.id || '/', ${fullName},
      coalesce(${orderNum}::int, (
        SELECT coalesce(max(order_num), 0) + 1 FROM region WHERE parent_id IS NOT DISTINCT FROM ${parentId}::int
      ))
    FROM (SELECT nextval(pg_get_serial_sequence('region', 'id'))::int AS id) AS drawn`.execute(trx)
}

/** Writes the fields of the form; `placeRegions` writes path and full name. */
export async function updateRegion(
  trx: Trx,
  id: number,
  { parentId, name, orderNum }: Pick<RegionRow, 'parentId' | 'name' | 'orderNum'>,
): Promise<void> {
  await trx
    .updateTable('region')
    .set((eb) => ({ parent_id: parentId, name, order_num: orderNum, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

/** Writes paths and full names, where they have changed. */
export async function placeRegions(
  trx: Trx,
  places: readonly Pick<RegionEntry, 'id' | 'path' | 'fullName'>[],
): Promise<void> {
  await sql`
    UPDATE region r SET path = place.path, full_name = place.full_name
    FROM unnest(
      ${places.map(({ id }) => id)}::int[],
      ${places.map(({ path }) => path)}::text[],
      ${places.map(({ fullName }) => fullName)}::text[]
    ) AS place(id, path, full_name)
    WHERE r.id = place.id
      AND (r.path, r.full_name) IS DISTINCT FROM (place.path, place.full_name)`.execute(trx)
}

export async function deleteRegion(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('region').where('id', '=', id).execute()
}

/** What chooses devices by their region, now and later: a region with the same code must not come in its place. */
export type RegionChoice = 'rule' | 'report' | 'shelf' | 'advertisement' | 'upgrade'

/**
 * The rows that refer to a region. Data permissions and choices of devices name it by code, history rows by id, all without
 * a foreign key.
 */
export async function usesOf(trx: Trx, { id, code }: Pick<RegionRow, 'id' | 'code'>) {
  const { rows } = await sql<{
    hasChildren: boolean
    hasDevices: boolean
    isInPermissions: boolean
    choices: Record<RegionChoice, boolean>
    hasHistory: boolean
  }>`
    SELECT
      EXISTS (SELECT FROM region WHERE parent_id = ${id}) AS "hasChildren",
      EXISTS (SELECT FROM device WHERE region_id = ${id}) AS "hasDevices",
      EXISTS (SELECT FROM user_authority WHERE authority_type = 'R' AND value = ${code})
        AS "isInPermissions",
      json_build_object(
        'rule', EXISTS (SELECT FROM notify_rule WHERE filter ->> 'regionCode' = ${code}),
        'report', EXISTS (SELECT FROM report_subscription WHERE filter ->> 'regionCode' = ${code}),
        'shelf', EXISTS (
          SELECT FROM alarm_shelf
          WHERE filter ->> 'regionCode' = ${code} AND ended_at IS NULL AND (end_at IS NULL OR end_at > now())),
        'advertisement', EXISTS (
          SELECT FROM advertisement
          WHERE cabinets #>> '{filters,regionCode}' = ${code} AND deleted_at IS NULL AND ends_at > now()),
        'upgrade', EXISTS (
          SELECT FROM upgrade_task WHERE devices #>> '{filters,regionCode}' = ${code} AND finished_at IS NULL)
      ) AS choices,
      EXISTS (SELECT FROM alarm_history WHERE region_id = ${id})
        OR EXISTS (SELECT FROM event_history WHERE region_id = ${id}) AS "hasHistory"`.execute(trx)
  const [uses] = rows
  if (!uses) throw new Error('a query without FROM always answers one row')
  return uses
}
