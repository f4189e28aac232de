// SQL of approvals. Who may see one: who asked for it, and whoever holds its function in the organization of who asked
// or above it; of an action, with the device in the data scope.
import type { ApprovalCause, ApprovalKind, ApprovalState } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../domain/access/data-scope.ts'
import { decidedIn } from '../../domain/access/granted.ts'
import { organizationsUnder } from '../../domain/access/organization-tree.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { deletingOld } from '../../platform/database/jobs/retention.ts'
import { countRows, type Page } from '../../platform/database/paging.ts'
import type { AskedDeed, Asking, DeedDetail, LastAsked } from './deeds.ts'

export interface ApprovalRecord {
  id: string
  kind: ApprovalKind
  state: ApprovalState
  functionCode: string
  payload: unknown
  subject: string
  details: DeedDetail[]
  causes: ApprovalCause[]
  equipId: number | null
  equipCode: string | null
  deviceCount: number
  /** That of who asked, at that time. */
  organizationId: number
  /** The organization in which what was asked for stays; null: in none. */
  askedIn: number | null
  createdBy: number
  /** Of who asked, where that is an API key: its maker, which is one person with it. */
  madeBy: number | null
  createBy: string
  address: string
  createTime: Date
  expireTime: Date
  decideBy: string | null
  decideTime: Date | null
  note: string | null
  resultId: string | null
}

const columns = sql`
  a.id, a.kind, a.state, a.function_code AS "functionCode", a.payload, a.subject, a.details, a.causes,
  a.device_id AS "equipId", d.code AS "equipCode", a.device_count AS "deviceCount", a.organization_id AS "organizationId",
  a.asked_in AS "askedIn", a.created_by AS "createdBy",
  (SELECT u.maker_id FROM app_user u WHERE u.id = a.created_by) AS "madeBy", a.created_by_name AS "createBy", a.address, a.created_at AS "createTime", a.expires_at AS "expireTime",
  a.decided_by_name AS "decideBy", a.decided_at AS "decideTime", a.note, a.result_id AS "resultId"`

/** Of approvals `a` and their devices `d`, those that the actor may know of. */
function seenBy(actor: Actor, scope: DataScope): RawBuilder<SqlBool> {
  const isHeld = actor.isSystem
    ? sql`true`
    : sql`a.function_code = ANY(${[...actor.functionCodes]}::text[])
        AND (a.device_id IS NOT NULL OR a.organization_id IN (${organizationsUnder(actor.organizationId)}))`
  return sql<SqlBool>`(a.created_by = ${actor.userId}
    OR ((a.device_id IS NULL OR ${deviceWithinScope(scope)}) AND ${isHeld}))`
}

export interface ApprovalFilter {
  states?: readonly ApprovalState[] | undefined
  ids?: readonly string[] | undefined
  /** Those that the reader is not who asked for, as a person, and whose asker is still there. */
  isOthers?: boolean
}

const matching = (
  actor: Actor,
  scope: DataScope,
  { states, ids, isOthers = false }: ApprovalFilter,
) => sql<SqlBool>`
  ${seenBy(actor, scope)}
  AND (${states ?? null}::text[] IS NULL OR a.state = ANY(${states ?? null}::text[]))
  AND (${ids ?? null}::int8[] IS NULL OR a.id = ANY(${ids ?? null}::int8[]))
  AND (NOT ${isOthers} OR (NOT ${isOfPerson(actor)} AND EXISTS (SELECT FROM app_user o WHERE o.id = a.created_by)))`

/** Of approvals `a`, those that the user or one of the user's API keys, as which it may be, asked for. */
const isOfPerson = ({ userId, makerId }: Pick<Actor, 'userId' | 'makerId'>) => sql<SqlBool>`a.created_by IN (
  SELECT u.id FROM app_user u WHERE u.id = ${makerId ?? userId} OR u.maker_id = ${makerId ?? userId})`

/**
 * How many wait of the person who asks, and of that organization about a choice of devices. Those of somebody who is no more,
 * such as a revoked key, are void for whoever looks at them, and hold nobody up.
 */
export async function countWaiting(
  trx: Trx,
  { userId, organizationId }: Pick<Asking, 'userId' | 'organizationId'>,
): Promise<{ ofPerson: number; ofOrganization: number }> {
  const { rows } = await sql<{ ofPerson: number; ofOrganization: number }>`
    SELECT count(*) FILTER (WHERE coalesce(o.maker_id, a.created_by) = coalesce(u.maker_id, u.id))::int AS "ofPerson",
      count(*) FILTER (WHERE a.organization_id = ${organizationId} AND a.device_id IS NULL)::int AS "ofOrganization"
    FROM approval a JOIN app_user u ON u.id = ${userId} JOIN app_user o ON o.id = a.created_by
    WHERE a.next_at IS NOT NULL`.execute(trx)
  return rows[0] ?? { ofPerson: 0, ofOrganization: 0 }
}

const from = sql`FROM approval a LEFT JOIN device d ON d.id = a.device_id`

/** A page: those that wait, then the others, each the newest first. */
export async function listApprovals(
  db: Db,
  actor: Actor,
  scope: DataScope,
  filter: ApprovalFilter,
  { limit, offset }: Page,
): Promise<ApprovalRecord[]> {
  const { rows } = await sql<ApprovalRecord>`
    SELECT ${columns} ${from} WHERE ${matching(actor, scope, filter)}
    ORDER BY (a.state = 'waiting') DESC, a.id DESC LIMIT ${limit} OFFSET ${offset}`.execute(db)
  return rows
}

export const countApprovals = (db: Db, actor: Actor, scope: DataScope, filter: ApprovalFilter) =>
  countRows(db, sql`${from} WHERE ${matching(actor, scope, filter)}`)

/** Those that the user asked for and that wait or ended since then, the newest first. */
export async function listAskedBy(
  db: Db,
  userId: number,
  endedSince: Date,
  limit: number,
): Promise<ApprovalRecord[]> {
  const { rows } = await sql<ApprovalRecord>`
    SELECT ${columns} ${from}
    WHERE a.created_by = ${userId} AND (a.next_at IS NOT NULL OR a.decided_at > ${endedSince})
    ORDER BY a.id DESC LIMIT ${limit}`.execute(db)
  return rows
}

/** The approval that the actor may know of, locked: whoever decides on it next waits for this transaction. */
export async function lockApproval(
  trx: Trx,
  actor: Actor,
  scope: DataScope,
  id: string,
): Promise<ApprovalRecord | undefined> {
  await sql`SELECT FROM approval WHERE id = ${id} FOR UPDATE`.execute(trx)
  // A statement of its own: it reads the row as an earlier writer left it.
  const { rows } = await sql<ApprovalRecord>`
    SELECT ${columns} ${from} WHERE a.id = ${id} AND ${seenBy(actor, scope)}`.execute(trx)
  return rows[0]
}

/** The one of the same deed that waits. */
export async function findSame(
  trx: Trx,
  sameAs: string,
): Promise<{ id: string; createdBy: number } | undefined> {
  const { rows } = await sql<{ id: string; createdBy: number }>`
    SELECT id, created_by AS "createdBy" FROM approval WHERE same_as = ${sameAs} AND state = 'waiting'`.execute(
    trx,
  )
  return rows[0]
}

/** What became of these deeds when they were asked for last, by what they are the same as. */
export async function listLast(db: Db, sameAs: readonly string[]): Promise<Map<string, LastAsked>> {
  const { rows } = await sql<LastAsked & { key: string | null }>`
    SELECT DISTINCT ON (same_as) same_as AS "key", state, created_by_name AS "askedBy", decided_by_name AS "decidedBy"
    FROM approval WHERE same_as = ANY(${sameAs}::text[]) ORDER BY same_as, id DESC`.execute(db)
  return new Map(rows.map(({ key, ...last }) => [key ?? '', last]))
}

/** The one of the deed that waits, locked. */
export async function lockWaiting(trx: Trx, sameAs: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM approval WHERE same_as = ${sameAs} AND state = 'waiting' FOR UPDATE`.execute(trx)
  return rows[0]?.id
}

/** Returns the new id. */
export async function insertApproval(
  trx: Trx,
  actor: Asking,
  deed: AskedDeed,
  waitMinutes: number,
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    INSERT INTO approval (kind, function_code, payload, same_as, subject, details, causes, device_id, device_count,
      organization_id, asked_in, created_by, created_by_name, address, expires_at, next_at)
    SELECT ${deed.kind}, ${deed.functionCode}, ${JSON.stringify(deed.payload)}::jsonb, ${deed.sameAs ?? null},
      ${deed.subject}, ${JSON.stringify(deed.details)}::jsonb, ${deed.causes}::text[], ${deed.deviceId ?? null},
      ${deed.deviceCount}, ${actor.organizationId}, ${decidedIn(actor.userId)}, ${actor.userId}, ${actor.loginName},
      ${actor.client.address}, at, at
    FROM (SELECT now() + ${waitMinutes} * interval '1 minute') AS e (at)
    RETURNING id`.execute(trx)
  const [row] = rows
  if (!row) throw new Error('an insert returns its row')
  return row.id
}

export interface Decision {
  state: ApprovalState
  by: { userId: number; name: string } | null
  note: string | null
  resultId: string | null
}

export async function writeDecision(
  trx: Trx,
  id: string,
  { state, by, note, resultId }: Decision,
): Promise<void> {
  await sql`
    UPDATE approval SET state = ${state}, decided_by = ${by?.userId ?? null}, decided_by_name = ${by?.name ?? null},
      decided_at = now(), note = ${note}, result_id = ${resultId}, next_at = NULL
    WHERE id = ${id}`.execute(trx)
}

/** Deletes approvals that ended before the moment, no more than `limit`; returns how many. */
export const deleteApprovals = deletingOld(({ db, before, limit }) =>
  sql`
    DELETE FROM approval WHERE id IN (
      SELECT id FROM approval WHERE next_at IS NULL AND created_at < ${before} LIMIT ${limit})`.execute(db),
)
