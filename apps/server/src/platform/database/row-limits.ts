// Rows that cost others something and that one user could make without end: so many of a user, of an organization, in all.
import type { RefusalName } from '@voltkeep/contract'
import { sql } from 'kysely'
import type { Actor } from '../calls/actor.ts'
import { refuse } from '../calls/refusal.ts'
import type { Trx } from './database.ts'
import type { Database } from './tables.ts'

/** One organization has at most half of what the others leave of `inAll`. */
export interface RowsAtMost {
  ofUser?: number
  ofOrganization: number
  inAll?: number
}

/**
 * Refuses one more row than may be; whoever makes one next waits for this transaction, so that calls at the same time are
 * counted one after another. `by`: the column of who made the row, or decided about it last. Of an API key its maker's rows and
 * those of all of its keys count.
 */
export async function refuseMoreRows(
  trx: Trx,
  { userId, makerId, organizationId }: Pick<Actor, 'userId' | 'makerId' | 'organizationId'>,
  { table, by, hours }: { table: keyof Database; by?: string; hours?: number },
  atMost: RowsAtMost,
  refusal: RefusalName,
): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${table} made`}, 0))`.execute(trx)
  const person = makerId ?? userId
  const { rows } = await sql<{ ofUser: number; ofOrganization: number; inAll: number }>`
    SELECT count(*)::int AS "inAll",
      count(*) FILTER (WHERE organization_id = ${organizationId})::int AS "ofOrganization",
      ${
        by === undefined
          ? sql`0`
          : sql`count(*) FILTER (WHERE ${sql.ref(by)} IN (
              SELECT id FROM app_user WHERE id = ${person} OR maker_id = ${person}))::int`
      } AS "ofUser"
    FROM ${sql.table(table)}
    WHERE ${hours === undefined ? sql`true` : sql`created_at > now() - ${hours} * interval '1 hour'`}`.execute(
    trx,
  )
  const { ofUser, ofOrganization, inAll } = rows[0] ?? { ofUser: 0, ofOrganization: 0, inAll: 0 }
  const isFull =
    (atMost.ofUser !== undefined && ofUser >= atMost.ofUser) ||
    ofOrganization >= atMost.ofOrganization ||
    (atMost.inAll !== undefined && ofOrganization + 1 > (atMost.inAll - (inAll - ofOrganization)) / 2)
  if (isFull) refuse(refusal)
}
