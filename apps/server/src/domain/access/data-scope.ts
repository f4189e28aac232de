// The data scope: which devices a user may see, as a condition of every query on devices, their alarms, events or
// exports.
import { authorityTypes } from '@voltkeep/contract'
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Actor } from '../../platform/calls/actor.ts'
import type { Db } from '../../platform/database/database.ts'
import { isSystemUser } from './granted.ts'
import { organizationsUnder } from './organization-tree.ts'

/**
 * `null` in a part: not limited; an empty list: nothing passes.
 *
 * Organizations need no part of their own: a device has an operator, an operator an organization.
 */
export interface DataScope {
  operatorIds: readonly number[] | null
  equipTypeIds: readonly number[] | null
  /** Every region at or below the granted ones. */
  regionIds: readonly number[] | null
}

/** Whose scope it is. */
export type ScopedUser = Pick<Actor, 'userId' | 'organizationId' | 'isSystem' | 'makerId'>

/** No device. */
export const nothing: DataScope = { operatorIds: [], equipTypeIds: [], regionIds: [] }

/** SYSTEM users, and the server's own work. */
export const everything: DataScope = { operatorIds: null, equipTypeIds: null, regionIds: null }

/** Entries of a user's data permissions by kind: ids of operators and equipment types, codes of regions. */
export type Authorities = Record<(typeof authorityTypes)[number], readonly string[]>

/**
 * The user's scope as of now: devices of the user's organization and of those under it, narrowed by entries of type
 * O, ET and R (OR within a type, AND across types; a region covers all below it). Of an API key: what is in its maker's
 * scope as well.
 */
export async function scopeOf(db: Db, user: ScopedUser): Promise<DataScope> {
  if (user.isSystem) return everything
  const saved = sql`SELECT authority_type, value FROM user_authority WHERE user_id = ${user.userId}`
  const own = await readScope(db, user.organizationId, saved)
  if (user.makerId === null) return own
  const maker = await readMaker(db, user.makerId)
  return maker ? intersectScopes([own, await scopeOf(db, maker)]) : nothing
}

async function readMaker(db: Db, id: number): Promise<ScopedUser | undefined> {
  const { rows } = await sql<ScopedUser>`
    SELECT u.id AS "userId", u.organization_id AS "organizationId", u.maker_id AS "makerId",
      ${isSystemUser(sql.ref<number>('u.id'))} AS "isSystem"
    FROM app_user u WHERE u.id = ${id}`.execute(db)
  return rows[0]
}

/**
 * The condition that entries narrow the user to some of the organization's devices: the user's own or, of an API key, its
 * maker's. `type`: entries of this kind.
 */
export const isNarrowed = (
  { userId, makerId }: Pick<ScopedUser, 'userId' | 'makerId'>,
  type: (typeof authorityTypes)[number] | null = null,
): RawBuilder<SqlBool> => sql<SqlBool>`EXISTS (
  SELECT FROM user_authority WHERE user_id = ANY(${makerId === null ? [userId] : [userId, makerId]}::int[])
    AND (${type}::text IS NULL OR authority_type = ${type}))`

/** What lies in all of the scopes. Of none, and where none limits anything, `everything` itself. */
export function intersectScopes(scopes: readonly DataScope[]): DataScope {
  const both = scopes.reduce(
    (wide, narrow) => ({
      operatorIds: common(wide.operatorIds, narrow.operatorIds),
      equipTypeIds: common(wide.equipTypeIds, narrow.equipTypeIds),
      regionIds: common(wide.regionIds, narrow.regionIds),
    }),
    everything,
  )
  return Object.values(both).every((part) => part === null) ? everything : both
}

function common(one: readonly number[] | null, other: readonly number[] | null): readonly number[] | null {
  if (one === null) return other
  if (other === null) return one
  const held = new Set(other)
  return one.filter((id) => held.has(id))
}

/** The scope that a user of this organization has, or would have, by these entries. */
export async function scopeBy(db: Db, organizationId: number, authorities: Authorities): Promise<DataScope> {
  const types = authorityTypes.flatMap((type) => authorities[type].map(() => type))
  const values = authorityTypes.flatMap((type) => authorities[type])
  return readScope(
    db,
    organizationId,
    sql`SELECT authority_type, value FROM unnest(${types}::text[], ${values}::text[]) AS e(authority_type, value)`,
  )
}

async function readScope(db: Db, organizationId: number, entries: RawBuilder<unknown>): Promise<DataScope> {
  const { rows } = await sql<{
    operator_ids: number[]
    equip_type_ids: number[] | null
    region_ids: number[] | null
  }>`
    WITH entry AS (${entries})
    SELECT
      ARRAY(
        SELECT p.id FROM operator p
        WHERE p.organization_id IN (${organizationsUnder(organizationId)})
          AND (NOT EXISTS (SELECT FROM entry WHERE authority_type = 'O')
               OR p.id::text IN (SELECT value FROM entry WHERE authority_type = 'O'))
        ORDER BY p.id
      ) AS operator_ids,
      CASE WHEN EXISTS (SELECT FROM entry WHERE authority_type = 'ET') THEN ARRAY(
        SELECT t.id FROM equip_type t
        WHERE t.id::text IN (SELECT value FROM entry WHERE authority_type = 'ET') ORDER BY t.id
      ) END AS equip_type_ids,
      CASE WHEN EXISTS (SELECT FROM entry WHERE authority_type = 'R') THEN ARRAY(
        SELECT DISTINCT r.id
        FROM entry e
        JOIN region g ON g.code = e.value
        JOIN region r ON r.path LIKE g.path || '%'
        WHERE e.authority_type = 'R' ORDER BY r.id
      ) END AS region_ids
  `.execute(db)
  const row = rows[0]
  if (!row) throw new Error('the scope query always answers one row')
  return { operatorIds: row.operator_ids, equipTypeIds: row.equip_type_ids, regionIds: row.region_ids }
}

/** Where a query keeps a device's owner, model and place. */
interface ScopedColumns {
  operatorId: Expression<number>
  modelId: Expression<number>
  regionId: Expression<number>
}

/** The scope as a condition. Lists of any length travel as one array parameter each. */
export function withinScope(scope: DataScope, columns: ScopedColumns): Expression<SqlBool> {
  const parts: Expression<SqlBool>[] = []
  if (scope.operatorIds) parts.push(sql<SqlBool>`${columns.operatorId} = ANY(${scope.operatorIds}::int[])`)
  if (scope.equipTypeIds) {
    parts.push(
      sql<SqlBool>`${columns.modelId} IN (SELECT id FROM equip_model WHERE equip_type_id = ANY(${scope.equipTypeIds}::int[]))`,
    )
  }
  if (scope.regionIds) parts.push(sql<SqlBool>`${columns.regionId} = ANY(${scope.regionIds}::int[])`)
  return parts.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`(${sql.join(parts, sql` AND `)})`
}

const ofDevice: ScopedColumns = {
  operatorId: sql.ref('d.operator_id'),
  modelId: sql.ref('d.model_id'),
  regionId: sql.ref('d.region_id'),
}

/** The scope over the table of devices, which a query names `d`. */
export const deviceWithinScope = (scope: DataScope) => withinScope(scope, ofDevice)

interface PlacedRow {
  operatorId: number
  equipTypeId: number
  regionId: number
}
type ScopeList = 'operatorIds' | 'equipTypeIds' | 'regionIds'

const isHeld = (holds: (list: ScopeList, id: number) => boolean, row: PlacedRow): boolean =>
  holds('operatorIds', row.operatorId) &&
  holds('equipTypeIds', row.equipTypeId) &&
  holds('regionIds', row.regionId)

/** The scope over a row already read, for what is pushed rather than queried. */
export const isWithinScope = (scope: DataScope, row: PlacedRow): boolean =>
  isHeld((list, id) => scope[list]?.includes(id) ?? true, row)

/** The same for many rows. */
export function placesWithin(scope: DataScope): (row: PlacedRow) => boolean {
  const setOf = (list: ScopeList) => scope[list] && new Set(scope[list])
  const sets = {
    operatorIds: setOf('operatorIds'),
    equipTypeIds: setOf('equipTypeIds'),
    regionIds: setOf('regionIds'),
  }
  return (row) => isHeld((list, id) => sets[list]?.has(id) ?? true, row)
}
