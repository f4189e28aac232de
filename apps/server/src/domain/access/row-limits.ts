// Rows that cost others something and that one user could make without end: so many of a user, of an organization, in all.
import type { RefusalName } from '@voltkeep/contract'
import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../platform/calls/actor.ts'
import { refuse } from '../../platform/calls/refusal.ts'
import { roomBeside } from '../../platform/calls/shares.ts'
import type { Trx } from '../../platform/database/database.ts'
import type { Database } from '../../platform/database/tables.ts'
import { readBranches } from './organization-tree.ts'

/**
 * Of `inAll` no branch of organizations has more than half of what the others leave, nor an organization of what its branch
 * leaves it, the one at the head of a branch among them; and each branch has `ofEachBranch`, whatever the others have.
 */
export interface RowsAtMost {
  ofUser?: number
  ofOrganization: number
  inAll?: number
  ofEachBranch?: number
}

type Maker = Pick<Actor, 'userId' | 'makerId' | 'organizationId'>

/** A subquery of the ids that are the person who asks: of an API key its maker and all keys of that one. */
export const idsOfPerson = ({ userId, makerId }: Maker): RawBuilder<number> => sql<number>`
  SELECT id FROM app_user WHERE id = ${makerId ?? userId} OR maker_id = ${makerId ?? userId}`

interface RowsOf {
  organizationId: number
  count: number
}

/** How many more rows an organization has room for beside those that organizations have; see `readBranches`. */
export function roomOf(
  branchOf: Awaited<ReturnType<typeof readBranches>>,
  organizationId: number,
  rows: readonly RowsOf[],
  { inAll, ofEachBranch = 0 }: { inAll: number; ofEachBranch?: number },
): number {
  const sum = (some: typeof rows) => some.reduce((total, { count }) => total + count, 0)
  const groups = branchOf(organizationId).map((id) =>
    sum(rows.filter((row) => branchOf(row.organizationId).includes(id))),
  )
  return roomBeside(groups, { all: sum(rows), inAll, always: ofEachBranch })
}

/** Whether there is room for `more` of them. */
export async function hasRoom(
  trx: Trx,
  organizationId: number,
  rows: readonly RowsOf[],
  limits: { inAll: number; ofEachBranch?: number },
  more = 1,
): Promise<boolean> {
  return more <= roomOf(await readBranches(trx), organizationId, rows, limits)
}

/**
 * Refuses one more row than may be; whoever makes one next waits for this transaction, so that calls at the same time are
 * counted one after another. `by`: the column of who made the row, or decided about it last. Of an API key its maker's rows and
 * those of all of its keys count.
 */
export async function refuseMoreRows(
  trx: Trx,
  actor: Maker,
  { table, by, hours }: { table: keyof Database; by?: string; hours?: number },
  { ofUser, ofOrganization, inAll, ofEachBranch = 0 }: RowsAtMost,
  refusal: RefusalName,
): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${table} made`}, 0))`.execute(trx)
  const { rows } = await sql<{ organizationId: number; count: number; own: number }>`
    SELECT organization_id AS "organizationId", count(*)::int AS count,
      ${
        by === undefined
          ? sql`0`
          : sql`count(*) FILTER (WHERE ${sql.ref(by)} IN (${idsOfPerson(actor)}))::int`
      } AS own
    FROM ${sql.table(table)}
    WHERE ${hours === undefined ? sql`true` : sql`created_at > now() - ${hours} * interval '1 hour'`}
    GROUP BY organization_id`.execute(trx)
  const { organizationId } = actor
  const ofOwn = rows.find((row) => row.organizationId === organizationId)?.count ?? 0
  const ofPerson = rows.reduce((total, { own }) => total + own, 0)
  if (ofUser !== undefined && ofPerson >= ofUser) refuse(refusal)
  if (ofOwn >= ofOrganization) refuse(refusal)
  if (inAll !== undefined && !(await hasRoom(trx, organizationId, rows, { inAll, ofEachBranch })))
    refuse(refusal)
}
