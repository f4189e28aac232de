// SQL of the tree of organizations.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope, withinScope } from '../../domain/access/data-scope.ts'
import type { Db, Trx } from '../../platform/database/database.ts'

export interface OrganizationRow {
  id: number
  parentId: number | null
  name: string
  code: string
  orderNum: number
  version: number
}

/** The organization given and all under it, in the order shown; every one where none is given. */
export async function listOrganizations(db: Db, rootId: number | null): Promise<OrganizationRow[]> {
  const { rows } = await sql<OrganizationRow>`
    WITH RECURSIVE own AS (
      SELECT * FROM organization
      WHERE CASE WHEN ${rootId}::int IS NULL THEN parent_id IS NULL ELSE id = ${rootId} END
      UNION
      SELECT o.* FROM organization o JOIN own ON o.parent_id = own.id
    )
    SELECT id, parent_id AS "parentId", name, code, order_num AS "orderNum", version
    FROM own ORDER BY order_num, id`.execute(db)
  return rows
}

export interface OrganizationTally {
  id: number
  operators: number
  users: number
  devices: number
  online: number
  alarms: number
  shelved: number
}

/**
 * What belongs to the organizations themselves: operators and devices of the scope, users,
 * active alarms, and apart those of them that are kept quiet (`isQuiet`, a condition on `alarm_state`).
 */
export async function countOrganizations(
  db: Db,
  scope: DataScope,
  rootId: number | null,
  isQuiet: RawBuilder<SqlBool>,
): Promise<OrganizationTally[]> {
  const ofAlarm = {
    operatorId: sql.ref<number>('s.operator_id'),
    modelId: sql.ref<number>('s.model_id'),
    regionId: sql.ref<number>('s.region_id'),
  }
  const { rows } = await sql<OrganizationTally>`
    WITH RECURSIVE own AS (
      SELECT id FROM organization
      WHERE CASE WHEN ${rootId}::int IS NULL THEN parent_id IS NULL ELSE id = ${rootId} END
      UNION
      SELECT o.id FROM organization o JOIN own ON o.parent_id = own.id
    ), owner AS (
      SELECT p.id, p.organization_id FROM operator p JOIN own ON own.id = p.organization_id
      ${scope.operatorIds ? sql`WHERE p.id = ANY(${scope.operatorIds}::int[])` : sql``}
    ), device_tally AS (
      SELECT d.operator_id, count(*)::int AS devices, count(*) FILTER (WHERE d.connection = 1)::int AS online
      FROM device_listing d WHERE ${deviceWithinScope(scope)} GROUP BY d.operator_id
    ), alarm_tally AS (
      SELECT s.operator_id, count(*) FILTER (WHERE NOT s.is_quiet)::int AS alarms,
        count(*) FILTER (WHERE s.is_quiet)::int AS shelved
      FROM (
        SELECT operator_id, model_id, region_id, ${isQuiet} AS is_quiet FROM alarm_state WHERE is_active
      ) s
      WHERE ${withinScope(scope, ofAlarm)} GROUP BY s.operator_id
    ), owned AS (
      SELECT p.organization_id, count(*)::int AS operators, sum(d.devices)::int AS devices,
        sum(d.online)::int AS online, sum(a.alarms)::int AS alarms, sum(a.shelved)::int AS shelved
      FROM owner p
      LEFT JOIN device_tally d ON d.operator_id = p.id
      LEFT JOIN alarm_tally a ON a.operator_id = p.id
      GROUP BY p.organization_id
    ), user_tally AS (
      SELECT u.organization_id, count(*)::int AS users FROM app_user u WHERE u.maker_id IS NULL GROUP BY u.organization_id
    )
    SELECT own.id, coalesce(w.operators, 0) AS operators, coalesce(t.users, 0) AS users,
      coalesce(w.devices, 0) AS devices, coalesce(w.online, 0) AS online, coalesce(w.alarms, 0) AS alarms,
      coalesce(w.shelved, 0) AS shelved
    FROM own
    LEFT JOIN owned w ON w.organization_id = own.id
    LEFT JOIN user_tally t ON t.organization_id = own.id
    ORDER BY own.id`.execute(db)
  return rows
}

/** Whether an organization is the root given or under it. */
export async function isWithin(db: Db, rootId: number, id: number): Promise<boolean> {
  const { rows } = await sql`
    WITH RECURSIVE above AS (
      SELECT id, parent_id FROM organization WHERE id = ${id}
      UNION
      SELECT o.id, o.parent_id FROM organization o JOIN above ON o.id = above.parent_id
    )
    SELECT FROM above WHERE id = ${rootId}`.execute(db)
  return rows.length > 0
}

/** Levels from the top down to the organization, itself included. */
export async function countLevelsAbove(db: Db, id: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    WITH RECURSIVE above AS (
      SELECT id, parent_id FROM organization WHERE id = ${id}
      UNION
      SELECT o.id, o.parent_id FROM organization o JOIN above ON o.id = above.parent_id
    )
    SELECT count(*)::int AS count FROM above`.execute(db)
  return rows[0]?.count ?? 0
}

/** Levels from the organization down to the deepest under it, itself included. */
export async function countLevelsUnder(db: Db, id: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    WITH RECURSIVE below AS (
      SELECT id, 1 AS level FROM organization WHERE id = ${id}
      UNION
      SELECT o.id, below.level + 1 FROM organization o JOIN below ON o.parent_id = below.id
    )
    SELECT max(level) AS count FROM below`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * Locks the tree against other writers: two valid moves at the same time could put an organization under its own
 * descendant. Readers, and rows that refer to organizations, do not wait.
 */
export async function lockTree(trx: Trx): Promise<void> {
  await sql`LOCK TABLE organization IN SHARE ROW EXCLUSIVE MODE`.execute(trx)
}

/** Locked against changes and new references until the transaction ends: a deletion finds every reference. */
export async function lockOrganization(trx: Trx, id: number): Promise<OrganizationRow | undefined> {
  return trx
    .selectFrom('organization')
    .select(['id', 'parent_id as parentId', 'name', 'code', 'order_num as orderNum', 'version'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

export async function nameOf(db: Db, id: number | null): Promise<string | null> {
  if (id === null) return null
  const row = await db.selectFrom('organization').select('name').where('id', '=', id).executeTakeFirst()
  return row?.name ?? null
}

export type OrganizationValues = Pick<OrganizationRow, 'parentId' | 'name' | 'code' | 'orderNum'>

/** Returns the new id. */
export async function insertOrganization(trx: Trx, values: OrganizationValues): Promise<number> {
  const { id } = await trx
    .insertInto('organization')
    .values(columnsOf(values))
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function updateOrganization(trx: Trx, id: number, values: OrganizationValues): Promise<void> {
  await trx
    .updateTable('organization')
    .set((eb) => ({ ...columnsOf(values), version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

export async function deleteOrganization(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('organization').where('id', '=', id).execute()
}

/** What else belongs to an organization, by the table. */
export const ownedTables = [
  'notify_channel',
  'notify_rule',
  'duty',
  'report_subscription',
  'advertisement',
  'upgrade_task',
  'parameter_batch',
  'handover',
] as const
export type OwnedTable = (typeof ownedTables)[number]

/** The rows that refer to an organization. */
export async function usesOf(trx: Trx, id: number) {
  const owned = ownedTables.map(
    (table) =>
      sql`${sql.lit(table)}::text, EXISTS (SELECT FROM ${sql.table(table)} WHERE organization_id = ${id})`,
  )
  const { rows } = await sql<{
    hasChildren: boolean
    hasOperators: boolean
    hasUsers: boolean
    owned: Record<OwnedTable, boolean>
  }>`
    SELECT
      EXISTS (SELECT FROM organization WHERE parent_id = ${id}) AS "hasChildren",
      EXISTS (SELECT FROM operator WHERE organization_id = ${id}) AS "hasOperators",
      EXISTS (SELECT FROM app_user WHERE organization_id = ${id}) AS "hasUsers",
      json_build_object(${sql.join(owned)}) AS owned`.execute(trx)
  const [uses] = rows
  if (!uses) throw new Error('a query without FROM always answers one row')
  return uses
}

/** The operators of an organization and of those under it. */
export async function operatorIdsUnder(db: Db, id: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    WITH RECURSIVE below AS (
      SELECT id FROM organization WHERE id = ${id}
      UNION
      SELECT o.id FROM organization o JOIN below ON o.parent_id = below.id
    )
    SELECT id FROM operator WHERE organization_id IN (SELECT id FROM below)`.execute(db)
  return rows.map((row) => row.id)
}

const columnsOf = ({ parentId, name, code, orderNum }: OrganizationValues) => ({
  parent_id: parentId,
  name,
  code,
  order_num: orderNum,
})
