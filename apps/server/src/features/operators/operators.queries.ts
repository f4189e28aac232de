// SQL of operators.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope, isNarrowed } from '../../domain/access/data-scope.ts'
import { organizationsUnder } from '../../domain/access/organization-tree.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { likeLiteral } from '../../platform/database/like.ts'
import { countRows } from '../../platform/database/paging.ts'
import { plainQueries } from '../../platform/database/plain-queries.ts'

const inScope = (scope: DataScope) =>
  scope.operatorIds ? sql<SqlBool>`p.id = ANY(${scope.operatorIds}::int[])` : sql<SqlBool>`true`

/** Operators of the scope, of one organization and those under it where one is given. */
export async function listOperators(
  db: Db,
  scope: DataScope,
  organizationId: number | null,
): Promise<{ id: number; name: string; organizationId: number }[]> {
  const { rows } = await sql<{ id: number; name: string; organizationId: number }>`
    SELECT p.id, p.name, p.organization_id AS "organizationId" FROM operator p
    WHERE ${inScope(scope)}
      ${organizationId === null ? sql`` : sql`AND p.organization_id IN (${organizationsUnder(organizationId)})`}
    ORDER BY p.organization_id, p.id`.execute(db)
  return rows
}

export interface OperatorFilter {
  name?: string | undefined
  code?: string | undefined
  organizationId: number | null
  ids?: readonly number[] | undefined
}

/** The operators `p` of the scope that a filter asks for. */
function operatorsMatching(scope: DataScope, { name, code, organizationId, ids }: OperatorFilter) {
  const parts: RawBuilder<SqlBool>[] = [inScope(scope)]
  if (name) parts.push(sql`p.name ILIKE ${`%${likeLiteral(name)}%`}`)
  if (code) parts.push(sql`p.code ILIKE ${`%${likeLiteral(code)}%`}`)
  if (organizationId !== null) parts.push(sql`p.organization_id IN (${organizationsUnder(organizationId)})`)
  if (ids) parts.push(sql`p.id = ANY(${ids}::int[])`)
  return sql.join(parts, sql` AND `)
}

export interface OperatorRow {
  id: number
  name: string
  code: string
  organizationId: number
  organizationName: string
  deviceCount: number
  createTime: Date
  version: number
}

/** A page of them, newest first. Devices are counted for the rows of the page alone, by index. */
export async function searchOperators(
  db: Db,
  scope: DataScope,
  filter: OperatorFilter,
  page: { limit: number; offset: number },
): Promise<OperatorRow[]> {
  const visible = deviceWithinScope(scope)
  const { rows } = await sql<OperatorRow>`
    WITH page AS MATERIALIZED (
      SELECT p.* FROM operator p WHERE ${operatorsMatching(scope, filter)}
      ORDER BY p.id DESC LIMIT ${page.limit} OFFSET ${page.offset}
    )
    SELECT p.id, p.name, p.code, o.id AS "organizationId", o.name AS "organizationName",
      (SELECT count(*)::int FROM device d WHERE d.operator_id = p.id AND ${visible}) AS "deviceCount",
      p.created_at AS "createTime", p.version
    FROM page p JOIN organization o ON o.id = p.organization_id
    ORDER BY p.id DESC`.execute(db)
  return rows
}

export async function countOperators(db: Db, scope: DataScope, filter: OperatorFilter): Promise<number> {
  return countRows(db, sql`FROM operator p WHERE ${operatorsMatching(scope, filter)}`)
}

export interface OperatorEntry {
  id: number
  name: string
  code: string
  organizationId: number
  organizationName: string
  version: number
}

/** Locked against changes and new references until the transaction ends: a deletion finds every reference. */
export async function lockOperator(
  trx: Trx,
  scope: DataScope,
  id: number,
): Promise<OperatorEntry | undefined> {
  return trx
    .selectFrom('operator as p')
    .innerJoin('organization as o', 'o.id', 'p.organization_id')
    .select([
      'p.id',
      'p.name',
      'p.code',
      'p.organization_id as organizationId',
      'o.name as organizationName',
      'p.version',
    ])
    .where('p.id', '=', id)
    .where(inScope(scope))
    .forUpdate('p')
    .executeTakeFirst()
}

/** Whether data permissions limit the operators that the user sees. */
export async function isLimitedToOperators(
  db: Db,
  user: Pick<Actor, 'userId' | 'makerId'>,
): Promise<boolean> {
  const { rows } = await sql`SELECT WHERE ${isNarrowed(user, 'O')}`.execute(db)
  return rows.length > 0
}

export interface OperatorValues {
  name: string
  code: string
  organizationId: number
}

const operators = plainQueries('operator')

/** Returns the new id. */
export const insertOperator = (trx: Trx, values: OperatorValues) => operators.insert(trx, columnsOf(values))

export const updateOperator = (trx: Trx, id: number, values: OperatorValues) =>
  operators.update(trx, id, columnsOf(values))

export const deleteOperator = operators.delete

/** The rows that refer to an operator. A data permission names it in a text column, without a foreign key. */
export async function usesOf(trx: Trx, id: number) {
  const { rows } = await sql<{ hasDevices: boolean; isInPermissions: boolean }>`
    SELECT
      EXISTS (SELECT FROM device WHERE operator_id = ${id}) AS "hasDevices",
      EXISTS (SELECT FROM user_authority WHERE authority_type = 'O' AND value = ${String(id)})
        AS "isInPermissions"`.execute(trx)
  const [uses] = rows
  if (!uses) throw new Error('a query without FROM always answers one row')
  return uses
}

const columnsOf = ({ name, code, organizationId }: OperatorValues) => ({
  name,
  code,
  organization_id: organizationId,
})
