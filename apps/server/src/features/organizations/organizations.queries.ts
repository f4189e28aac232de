import { sql } from 'kysely'
import type { DataScope } from '../../platform/access/data-scope.ts'
import type { Db } from '../../platform/database/database.ts'

export interface OrganizationRow {
  id: number
  parentId: number | null
  name: string
  code: string
}

/** The organization given and all under it, in the order shown; every one where none is given. */
export async function listOrganizations(db: Db, rootId: number | null): Promise<OrganizationRow[]> {
  const { rows } = await sql<OrganizationRow>`
    WITH RECURSIVE own AS (
      SELECT id, parent_id, name, code, order_num FROM organization
      WHERE CASE WHEN ${rootId}::int IS NULL THEN parent_id IS NULL ELSE id = ${rootId} END
      UNION
      SELECT o.id, o.parent_id, o.name, o.code, o.order_num
      FROM organization o JOIN own ON o.parent_id = own.id
    )
    SELECT id, parent_id AS "parentId", name, code FROM own ORDER BY order_num, id`.execute(db)
  return rows
}

/** Operators of the scope, of one organization and those under it where one is given. */
export async function listOperators(
  db: Db,
  scope: DataScope,
  organizationId: number | null,
): Promise<{ id: number; name: string; organizationId: number }[]> {
  const { rows } = await sql<{ id: number; name: string; organizationId: number }>`
    WITH RECURSIVE below AS (
      SELECT id FROM organization WHERE id = ${organizationId}::int
      UNION
      SELECT o.id FROM organization o JOIN below ON o.parent_id = below.id
    )
    SELECT id, name, organization_id AS "organizationId" FROM operator
    WHERE (${scope.operatorIds}::int[] IS NULL OR id = ANY(${scope.operatorIds}::int[]))
      AND (${organizationId}::int IS NULL OR organization_id IN (SELECT id FROM below))
    ORDER BY organization_id, id`.execute(db)
  return rows
}
