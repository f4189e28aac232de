// Advertisements and their deliveries as pages show them.
import type { AdvertisementStatus, DeliveryCounts, DeliveryState, DeviceChoice } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../domain/access/data-scope.ts'
import { deviceIdsByCode } from '../../domain/access/device-search.ts'
import { decidedIn } from '../../domain/access/granted.ts'
import { inOwnTree } from '../../domain/access/organization-tree.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { likeLiteral } from '../../platform/database/like.ts'
import { countRows } from '../../platform/database/paging.ts'
import { statementsOf } from '../../platform/database/statements.ts'
import { wake } from '../../platform/database/work/lease-queue.ts'
import { sharedNow, sharedNowMs } from '../../platform/process/clocks/shared-clock.ts'

type Viewer = Pick<Actor, 'isSystem' | 'organizationId'>

export interface AdvertisementRecord {
  id: number
  adName: string
  fileId: string
  fileMame: string
  adStartTime: Date
  adEndTime: Date
  fgDelete: 0 | 1
  createTime: Date
  createBy: string
  createdBy: number
  status: AdvertisementStatus
  contentType: string
  sizeBytes: number
  replacedAdId: number | null
  replacedAdName: string | null
}

export interface AdvertisementFilter {
  adName?: string | undefined
  ids?: readonly number[] | undefined
  fgDelete?: 0 | 1 | undefined
}

/** The advertisements `a` of the viewer's organizations that a filter asks for. */
function matching(viewer: Viewer, { adName, ids, fgDelete = 0 }: AdvertisementFilter) {
  const parts: RawBuilder<SqlBool>[] = [
    sql`${inOwnTree(viewer, sql.ref('a.organization_id'))}`,
    fgDelete === 1 ? sql`a.deleted_at IS NOT NULL` : sql`a.deleted_at IS NULL`,
  ]
  if (adName) parts.push(sql`a.name ILIKE ${`%${likeLiteral(adName)}%`}`)
  if (ids) parts.push(sql`a.id = ANY(${ids}::int[])`)
  return sql.join(parts, sql` AND `)
}

const columns = sql`
  a.id, a.name AS "adName", a.file_id AS "fileId", a.file_name AS "fileMame",
  a.starts_at AS "adStartTime", a.ends_at AS "adEndTime",
  (a.deleted_at IS NOT NULL)::int AS "fgDelete", a.created_at AS "createTime", a.created_by_name AS "createBy",
  a.created_by AS "createdBy",
  CASE WHEN a.deleted_at IS NOT NULL THEN 'deleted' WHEN now() < a.starts_at THEN 'planned'
       WHEN now() < a.ends_at THEN 'running' ELSE 'over' END AS status,
  f.content_type AS "contentType", f.size_bytes::float8 AS "sizeBytes",
  a.replaced_id AS "replacedAdId", r.name AS "replacedAdName"`
const joins = sql`JOIN stored_file f ON f.id = a.file_id LEFT JOIN advertisement r ON r.id = a.replaced_id`

/** A page, newest first. */
export async function listAdvertisements(
  db: Db,
  viewer: Viewer,
  filter: AdvertisementFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<AdvertisementRecord[]> {
  const { rows } = await sql<AdvertisementRecord>`
    SELECT ${columns} FROM advertisement a ${joins} WHERE ${matching(viewer, filter)}
    ORDER BY a.id DESC LIMIT ${limit} OFFSET ${offset}`.execute(db)
  return rows
}

export async function countAdvertisements(
  db: Db,
  viewer: Viewer,
  filter: AdvertisementFilter,
): Promise<number> {
  return countRows(db, sql`FROM advertisement a WHERE ${matching(viewer, filter)}`)
}

export async function findAdvertisement(
  db: Db,
  viewer: Viewer,
  id: number,
): Promise<AdvertisementRecord | undefined> {
  const { rows } = await sql<AdvertisementRecord>`
    SELECT ${columns} FROM advertisement a ${joins}
    WHERE a.id = ${id} AND ${inOwnTree(viewer, sql.ref('a.organization_id'))}`.execute(db)
  return rows[0]
}

/** The picture of an advertisement that was not deleted, whoever asks. */
export async function findPicture(db: Db, id: number): Promise<{ name: string; fileId: string } | undefined> {
  return db
    .selectFrom('advertisement')
    .select(['name', 'file_id as fileId'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

/** Cabinets by state of each advertisement, as far as the scope reaches. */
export async function countDeliveries(
  db: Db,
  scope: DataScope,
  advertisementIds: readonly number[],
): Promise<Map<number, DeliveryCounts>> {
  const { rows } = await sql<{ id: number; state: DeliveryState; count: number }>`
    SELECT v.advertisement_id AS id, v.state, count(*)::int AS count
    FROM advertisement_delivery v JOIN device d ON d.id = v.device_id
    WHERE v.advertisement_id = ANY(${advertisementIds}::int[]) AND ${deviceWithinScope(scope)}
    GROUP BY 1, 2`.execute(db)
  const counts = new Map(advertisementIds.map((id) => [id, { ...noDeliveries }]))
  for (const { id, state, count } of rows) {
    const ofOne = counts.get(id)
    if (!ofOne) continue
    ofOne[state] += count
    ofOne.total += count
  }
  return counts
}

export const noDeliveries: DeliveryCounts = {
  total: 0,
  waiting: 0,
  sent: 0,
  stored: 0,
  shown: 0,
  failed: 0,
  refused: 0,
  removing: 0,
  removed: 0,
  ended: 0,
}

export interface DeliveryRecord {
  id: string
  equipId: number
  code: string
  operatorName: string
  regionName: string
  isOnline: 0 | 1 | null
  state: DeliveryState
  reason: string | null
  attempts: number
  nextTime: Date | null
  storedTime: Date | null
  shownTime: Date | null
  changeTime: Date
}

export interface DeliveryFilter {
  advertisementId: number
  states?: readonly DeliveryState[] | undefined
  reason?: string | undefined
  /** Codes or parts of them. */
  code?: readonly string[] | undefined
  ids?: readonly string[] | undefined
}

/** The deliveries `v` of devices `d` that a filter asks for, within the scope. */
function deliveriesMatching(scope: DataScope, filter: DeliveryFilter): RawBuilder<SqlBool> {
  const { advertisementId, states, reason, code, ids } = filter
  const parts: RawBuilder<SqlBool>[] = [
    sql`v.advertisement_id = ${advertisementId}`,
    sql`${deviceWithinScope(scope)}`,
  ]
  if (states) parts.push(sql`v.state = ANY(${states}::text[])`)
  if (reason !== undefined) parts.push(sql`v.reason = ${reason}`)
  if (code) parts.push(sql`d.id = ANY(${deviceIdsByCode(scope, code)})`)
  if (ids) parts.push(sql`v.id = ANY(${ids}::int8[])`)
  return sql<SqlBool>`(${sql.join(parts, sql` AND `)})`
}

const from = sql`FROM advertisement_delivery v JOIN device d ON d.id = v.device_id`

/** A page, in the order in which the cabinets were added. */
export async function listDeliveries(
  db: Db,
  scope: DataScope,
  filter: DeliveryFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<DeliveryRecord[]> {
  const { rows } = await sql<DeliveryRecord>`
    WITH page AS MATERIALIZED (
      SELECT v.id ${from} WHERE ${deliveriesMatching(scope, filter)}
      ORDER BY v.id LIMIT ${limit} OFFSET ${offset}
    )
    SELECT v.id, d.id AS "equipId", d.code, p.name AS "operatorName", r.full_name AS "regionName",
      CASE WHEN s.online_changed_at IS NOT NULL THEN s.is_online::int END AS "isOnline",
      v.state, v.reason, v.attempts, v.next_at AS "nextTime", v.stored_at AS "storedTime",
      v.shown_at AS "shownTime", v.changed_at AS "changeTime"
    FROM page
    JOIN advertisement_delivery v ON v.id = page.id
    JOIN device d ON d.id = v.device_id
    JOIN operator p ON p.id = d.operator_id
    JOIN region r ON r.id = d.region_id
    LEFT JOIN device_state s ON s.device_id = d.id
    ORDER BY v.id`.execute(db)
  return rows
}

export async function countMatchingDeliveries(
  db: Db,
  scope: DataScope,
  filter: DeliveryFilter,
): Promise<number> {
  return countRows(db, sql`${from} WHERE ${deliveriesMatching(scope, filter)}`)
}

/** The most frequent reasons of failures and refusals. */
export async function listFailureReasons(db: Db, scope: DataScope, advertisementId: number) {
  const { rows } = await sql<{ reason: string; state: DeliveryState; count: number }>`
    SELECT v.reason, v.state, count(*)::int AS count ${from}
    WHERE ${deliveriesMatching(scope, { advertisementId, states: ['failed', 'refused'] })}
      AND v.reason IS NOT NULL
    GROUP BY 1, 2 ORDER BY 3 DESC, 1 LIMIT 20`.execute(db)
  return rows
}

/** Is the advertisement for cabinets that the scope does not cover? Cabinets that it was withdrawn from do not count. */
export async function reachesBeyond(trx: Trx, scope: DataScope, advertisementId: number): Promise<boolean> {
  const { rows } = await sql`
    SELECT ${from} WHERE v.advertisement_id = ${advertisementId} AND v.withdrawal IS NULL
      AND NOT ${deviceWithinScope(scope)}
    LIMIT 1`.execute(trx)
  return rows.length > 0
}

/** Was it withdrawn from cabinets that the scope does not cover, since they left the creator's reach? They get it back with that. */
export async function hasLeftBeyond(trx: Trx, scope: DataScope, advertisementId: number): Promise<boolean> {
  const { rows } = await sql`
    SELECT ${from} WHERE v.advertisement_id = ${advertisementId} AND v.withdrawal = 'leftScope'
      AND NOT ${deviceWithinScope(scope)}
    LIMIT 1`.execute(trx)
  return rows.length > 0
}

export interface AdvertisementValues {
  name: string
  fileId: string
  fileName: string
  startsAt: Date
  endsAt: Date
  cabinets: DeviceChoice
  createdBy: number
  createdByName: string
  organizationId: number
  replacedId: number | null
}

/** Returns the new id. */
export async function insertAdvertisement(trx: Trx, values: AdvertisementValues): Promise<number> {
  const { id } = await trx
    .insertInto('advertisement')
    .values({
      name: values.name,
      file_id: values.fileId,
      file_name: values.fileName,
      starts_at: values.startsAt,
      ends_at: values.endsAt,
      cabinets: JSON.stringify(values.cabinets),
      created_by: values.createdBy,
      created_by_name: values.createdByName,
      organization_id: values.organizationId,
      decided_in: decidedIn(values.createdBy),
      replaced_id: values.replacedId,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export interface LockedAdvertisement {
  id: number
  name: string
  isDeleted: boolean
  endsAt: Date
  createdBy: number
  createdByName: string
  /** The organization in which the creator's decision stays; null: in none. */
  decidedIn: number | null
  cabinets: DeviceChoice
}

const lockedColumns = sql`
  a.id, a.name, a.deleted_at IS NOT NULL AS "isDeleted", a.ends_at AS "endsAt", a.created_by AS "createdBy",
  a.created_by_name AS "createdByName", a.decided_in AS "decidedIn", a.cabinets`

/** For a user: one of the viewer's organizations. */
export async function lockAdvertisement(
  trx: Trx,
  viewer: Viewer,
  id: number,
): Promise<LockedAdvertisement | undefined> {
  const { rows } = await sql<LockedAdvertisement>`
    SELECT ${lockedColumns} FROM advertisement a
    WHERE a.id = ${id} AND ${inOwnTree(viewer, sql.ref('a.organization_id'))}
    FOR NO KEY UPDATE`.execute(trx)
  return rows[0]
}

/** Whether it was running: the period of another one is not changed. */
export async function endNow(trx: Trx, id: number): Promise<boolean> {
  const now = sharedNow()
  const { numUpdatedRows } = await trx
    .updateTable('advertisement')
    .set({ ends_at: now })
    .where('id', '=', id)
    .where('starts_at', '<', now)
    .where('ends_at', '>', now)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function markDeleted(trx: Trx, id: number): Promise<void> {
  await sql`UPDATE advertisement SET deleted_at = now() WHERE id = ${id}`.execute(trx)
}

export const advertisementTable = 'advertisement'

/** When the work queue handles it again; null for never. */
export async function setDue(trx: Trx, id: number, dueAt: Date | null): Promise<void> {
  await sql`UPDATE advertisement SET next_at = ${dueAt} WHERE id = ${id}`.execute(trx)
  // The queue sleeps until the earliest time that it knows, or for good where it knows of none.
  if (dueAt) await statementsOf(trx).query(wake(advertisementTable, dueAt.getTime() - sharedNowMs()))
}

export async function isFileUsed(trx: Trx, fileId: string): Promise<boolean> {
  // Calls that use one file at once follow each other.
  await sql`SELECT FROM stored_file WHERE id = ${fileId} FOR NO KEY UPDATE`.execute(trx)
  const { rows } = await sql`SELECT FROM advertisement WHERE file_id = ${fileId} LIMIT 1`.execute(trx)
  return rows.length > 0
}

/** For the work queue. */
export async function lockForWork(trx: Trx, id: number): Promise<LockedAdvertisement | undefined> {
  const { rows } = await sql<LockedAdvertisement>`
    SELECT ${lockedColumns} FROM advertisement a WHERE a.id = ${id} FOR NO KEY UPDATE`.execute(trx)
  return rows[0]
}
