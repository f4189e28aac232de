import { type Expression, type SqlBool, sql } from 'kysely'
import type { Actor } from '../../platform/calls/actor.ts'
import type { Db, Trx } from '../../platform/database/database.ts'

type Member = Pick<Actor, 'isSystem' | 'organizationId'>

/** A subquery of the ids of an organization and all under it; empty where the organization does not exist. */
export const organizationsUnder = (organizationId: number | string) => sql<number>`
  WITH RECURSIVE tree AS (
    SELECT id FROM organization WHERE id = ${organizationId}::bigint
    UNION
    SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
  ) SELECT id FROM tree`

/** The same under an organization of a row. */
export const organizationsUnderRow = (organization: Expression<number>) => sql<number>`
  WITH RECURSIVE tree AS (
    SELECT id FROM organization WHERE id = ${organization}
    UNION
    SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
  ) SELECT id FROM tree`

/** The condition that an organization is the caller's own or under it; for SYSTEM always true. */
export function inOwnTree(
  { isSystem, organizationId }: Member,
  organization: Expression<number>,
): Expression<SqlBool> {
  return isSystem
    ? sql<SqlBool>`true`
    : sql<SqlBool>`${organization} IN (${organizationsUnder(organizationId)})`
}

/** Is it the caller's own organization or one under it? For SYSTEM: does it exist? */
export async function isInOwnTree(db: Db, caller: Member, organizationId: number): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM organization o WHERE o.id = ${organizationId} AND ${inOwnTree(caller, sql.ref('o.id'))}`.execute(
    db,
  )
  return rows.length > 0
}

/** Reads an organization that a row will refer to; locked against deletion until the transaction ends. */
export async function lockOrganizationShared(trx: Trx, id: number) {
  return trx
    .selectFrom('organization')
    .select(['id', 'name'])
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst()
}

/**
 * The groups that each organization is in: those that it lies in, the top one first, and itself. Where all lie in one
 * organization, that one is no branch: it is in the list of itself alone. Within an organization that has others in it, what
 * is its own is a group beside them, of the number below zero: it would else have all of its branch.
 */
export async function readBranches(db: Db): Promise<(organizationId: number) => number[]> {
  const { rows } = await sql<{ id: number; parentId: number | null }>`
    SELECT id, parent_id AS "parentId" FROM organization`.execute(db)
  const parents = new Map(rows.map(({ id, parentId }) => [id, parentId]))
  const tops = rows.filter(({ parentId }) => parentId === null)
  const only = tops.length === 1 ? tops[0]?.id : undefined
  const haveOthers = new Set(parents.values())
  const known = new Map<number, number[]>()
  const branchOf = (id: number): number[] => {
    const parentId = parents.get(id) ?? null
    const branch =
      known.get(id) ?? (parentId !== null && parentId !== only ? [...branchOf(parentId), id] : [id])
    known.set(id, branch)
    return branch
  }
  return (id) => (id !== only && haveOthers.has(id) ? [...branchOf(id), -id] : branchOf(id))
}
