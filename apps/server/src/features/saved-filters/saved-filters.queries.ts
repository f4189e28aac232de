// SQL of saved filters.
import { type RawBuilder, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../domain/access/data-scope.ts'
import { inOwnTree } from '../../domain/access/organization-tree.ts'
import type { Actor } from '../../platform/calls/actor.ts'
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

export type CodeKind = 'battery' | 'batch' | 'operator'

interface Reader {
  actor: Pick<Actor, 'isSystem' | 'organizationId'>
  scope: DataScope
}

/** The codes, in small letters, of those that the reader sees, as the list of these says. */
const codesSeenBy: Record<CodeKind, (reader: Reader) => RawBuilder<{ code: string }>> = {
  battery: ({ scope }) => sql`
    SELECT b.search_code AS code FROM device d JOIN battery b ON b.device_id = d.id WHERE ${deviceWithinScope(scope)}
    UNION
    SELECT b.search_code FROM battery b
    JOIN battery_stay s ON s.battery_code = b.code AND s.battery_code <> '' AND s.ended_at IS NULL
    JOIN device d ON d.id = s.device_id
    WHERE b.claims > 1 AND ${deviceWithinScope(scope)}`,
  batch: ({ actor }) => sql`
    SELECT lower(b.code) AS code FROM parameter_batch b WHERE ${inOwnTree(actor, sql.ref('b.organization_id'))}`,
  operator: ({ actor, scope }) => sql`
    SELECT lower(p.code) AS code FROM operator p WHERE ${inOwnTree(actor, sql.ref('p.organization_id'))}
      AND (${scope.operatorIds}::int[] IS NULL OR p.id = ANY(${scope.operatorIds}::int[]))`,
}

/**
 * Of these parts of codes, those of one that the reader sees. Whole codes are looked up; each other part goes through
 * all that the reader sees, so only the first `searched` of these are asked about, and the others are not seen.
 */
export async function listPartsSeen(
  db: Db,
  reader: Reader,
  kind: CodeKind,
  parts: readonly string[],
  searched = 200,
): Promise<ReadonlySet<string>> {
  if (parts.length === 0) return new Set()
  const { rows } = await sql<{ part: string }>`
    WITH seen AS MATERIALIZED (${codesSeenBy[kind](reader)}), asked AS MATERIALIZED (
      SELECT part, n, lower(part) IN (SELECT code FROM seen) AS is_whole
      FROM unnest(${[...new Set(parts)]}::text[]) WITH ORDINALITY AS asked(part, n)
    )
    SELECT part FROM asked WHERE is_whole
    UNION ALL
    SELECT part FROM (SELECT part FROM asked WHERE NOT is_whole ORDER BY n LIMIT ${searched}) AS other
    WHERE EXISTS (SELECT FROM seen WHERE strpos(seen.code, lower(other.part)) > 0)`.execute(db)
  return new Set(rows.map(({ part }) => part))
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
