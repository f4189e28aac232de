// SQL of saved filters.
import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/database/database.ts'
import { countRows } from '../../platform/database/paging.ts'

interface Owner {
  userId: number
  organizationId: number
}

export interface SavedFilterRow {
  id: number
  name: string
  values: Record<string, string>
  isShared: boolean
  isOwn: boolean
  ownerName: string
  version: number
}

/** A user's own ones, then those that others of the same organization share, each by name. */
export async function listSavedFilters(
  db: Db,
  { userId, organizationId }: Owner,
  list: string,
): Promise<SavedFilterRow[]> {
  const { rows } = await sql<SavedFilterRow>`
    SELECT f.id, f.name, f.filter_values AS values, f.is_shared AS "isShared", f.user_id = ${userId} AS "isOwn",
      u.user_name AS "ownerName", f.version
    FROM saved_filter f JOIN app_user u ON u.id = f.user_id
    WHERE f.list = ${list}
      AND (f.user_id = ${userId} OR f.is_shared AND u.organization_id = ${organizationId})
    ORDER BY "isOwn" DESC, f.name, f.id
    LIMIT 500`.execute(db)
  return rows
}

/** How many a user has of a list; none is added meanwhile, since the user's row is locked. */
export async function lockCount(trx: Trx, userId: number, list: string): Promise<number> {
  await sql`SELECT id FROM app_user WHERE id = ${userId} FOR NO KEY UPDATE`.execute(trx)
  return countRows(trx, sql`FROM saved_filter WHERE user_id = ${userId} AND list = ${list}`)
}

/** Returns the new id. */
export async function insertSavedFilter(
  trx: Trx,
  userId: number,
  filter: { list: string; name: string; values: Record<string, string>; isShared: boolean },
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    INSERT INTO saved_filter (user_id, list, name, filter_values, is_shared)
    VALUES (${userId}, ${filter.list}, ${filter.name}, ${JSON.stringify(filter.values)}::jsonb, ${filter.isShared})
    RETURNING id`.execute(trx)
  return rows[0]?.id as number
}

export interface OwnFilter {
  id: number
  list: string
  name: string
  isShared: boolean
  version: number
}

export async function lockOwn(trx: Trx, userId: number, id: number): Promise<OwnFilter | undefined> {
  return trx
    .selectFrom('saved_filter')
    .select(['id', 'list', 'name', 'is_shared as isShared', 'version'])
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst()
}

export async function updateSavedFilter(
  trx: Trx,
  id: number,
  { name, isShared: is_shared }: { name: string; isShared: boolean },
): Promise<void> {
  await trx
    .updateTable('saved_filter')
    .set(({ eb }) => ({ name, is_shared, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

export async function deleteSavedFilter(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('saved_filter').where('id', '=', id).execute()
}
