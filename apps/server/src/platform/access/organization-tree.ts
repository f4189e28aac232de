import { sql } from 'kysely'

/** A subquery of the organization's id and all under it; of nothing where there is no such organization. */
export const organizationsUnder = (organizationId: number | string) => sql<number>`
  WITH RECURSIVE tree AS (
    SELECT id FROM organization WHERE id = ${organizationId}::bigint
    UNION
    SELECT o.id FROM organization o JOIN tree ON o.parent_id = tree.id
  ) SELECT id FROM tree`
