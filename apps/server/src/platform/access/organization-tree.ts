import { type Expression, type SqlBool, sql } from 'kysely'
import type { Db, Trx } from '../database/database.ts'
import type { Actor } from './actor.ts'

type Member = Pick<Actor, 'isSystem' | 'organizationId'>

/** A subquery of the organization's id and all under it; of nothing where there is no such organization. */
export const organizationsUnder = (organizationId: number | string) => sql<number>`
  WITH RECURSIVE tree AS (
    SELECT id FROM organization WHERE id = ${organizationId}::bigint
    UNION
    SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
  ) SELECT id FROM tree`

/** The condition that an organization is the caller's own or lies under it; SYSTEM has them all. */
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

/** Locked against deletion until the transaction ends, for what is about to refer to it. */
export async function holdOrganization(trx: Trx, id: number) {
  return trx
    .selectFrom('organization')
    .select(['id', 'name'])
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst()
}
