// The places that a kept filter names: which of them somebody may name, and is told of.
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Actor } from '../../platform/calls/actor.ts'
import type { Db } from '../../platform/database/database.ts'
import type { DataScope } from './data-scope.ts'
import { inOwnTree } from './organization-tree.ts'
import type { PlaceFilters } from './reaches.ts'

/** In place of a name that its reader does not see. */
export const unseenName = '***'

/** Whether the reader sees the organization, or the operator, that a filter names; null where it names none. */
export const seesOrganizationOf = (reader: Actor, filter: Expression<unknown>): RawBuilder<SqlBool> =>
  reader.isSystem
    ? sql<SqlBool>`(${filter} ->> 'organizationId' IS NOT NULL)`
    : sql<SqlBool>`${inOwnTree(reader, sql<number>`(${filter} ->> 'organizationId')::bigint`)}`
export const seesOperatorOf = (scope: DataScope, filter: Expression<unknown>): RawBuilder<SqlBool> =>
  scope.operatorIds === null
    ? sql<SqlBool>`(${filter} ->> 'operatorId' IS NOT NULL)`
    : sql<SqlBool>`((${filter} ->> 'operatorId')::bigint = ANY(${scope.operatorIds}::int[]))`

/** Whether both are seen that the filter names. */
export const seesPlacesOf = (
  reader: Actor,
  scope: DataScope,
  filter: Expression<unknown>,
): RawBuilder<SqlBool> =>
  sql<SqlBool>`(
    (${filter} ->> 'organizationId' IS NULL OR ${seesOrganizationOf(reader, filter)})
    AND (${filter} ->> 'operatorId' IS NULL OR ${seesOperatorOf(scope, filter)}))`

/** What of a filter is not there, or is beyond the user: the first of it, in words. A region above the own ones is not. */
export async function findUnseen(
  db: Db,
  actor: Actor,
  scope: DataScope,
  { organizationId, operatorId, equipTypeId, equipModelId, regionCode }: PlaceFilters,
): Promise<string | null> {
  const within = (ids: readonly number[] | null, id: string) =>
    ids === null ? sql`true` : sql`${sql.ref(id)} = ANY(${ids}::int[])`
  const checks: [string | undefined, RawBuilder<unknown>, string][] = [
    [
      organizationId,
      sql`organization o WHERE o.id = ${organizationId}::bigint AND ${inOwnTree(actor, sql.ref('o.id'))}`,
      '组织不存在',
    ],
    [
      operatorId,
      sql`operator p WHERE p.id = ${operatorId}::bigint AND ${within(scope.operatorIds, 'p.id')}`,
      '运营商不存在',
    ],
    [
      equipTypeId,
      sql`equip_type t WHERE t.id = ${equipTypeId}::bigint AND ${within(scope.equipTypeIds, 't.id')}`,
      '设备类型不存在',
    ],
    [
      equipModelId,
      sql`equip_model m WHERE m.id = ${equipModelId}::bigint AND ${within(scope.equipTypeIds, 'm.equip_type_id')}`,
      '设备型号不存在',
    ],
    [
      regionCode,
      sql`region r WHERE r.code = ${regionCode} AND EXISTS (
        SELECT FROM region g WHERE ${within(scope.regionIds, 'g.id')} AND g.path LIKE r.path || '%')`,
      '区域不存在',
    ],
  ]
  for (const [asked, from, message] of checks) {
    if (asked === undefined) continue
    const { rows } = await sql`SELECT FROM ${from}`.execute(db)
    if (rows.length === 0) return message
  }
  return null
}
