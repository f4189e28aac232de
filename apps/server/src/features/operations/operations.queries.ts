// SQL of the operation log.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { isNamed, isSpelledSo } from '../../domain/access/accounts/login-names.ts'
import { isSystemUser } from '../../domain/access/granted.ts'
import { organizationsUnder } from '../../domain/access/organization-tree.ts'
import type { Client } from '../../platform/calls/actor.ts'
import type { Db } from '../../platform/database/database.ts'
import { likeLiteral } from '../../platform/database/like.ts'

/** A call that is recorded outside a transaction of its own: one that was refused, or an export. */
export interface RecordedCall {
  userId: number | null
  organizationId: number | null
  /** In a failed sign-in, the name that was tried. */
  loginName: string | null
  client: Client
  target: string | null
  code: number
  message: string | null
}

export async function insertCall(db: Db, operation: RecordedCall): Promise<void> {
  const { userId, organizationId, loginName, client, target, code, message } = operation
  await db
    .insertInto('operation_log')
    .values({
      user_id: userId,
      organization_id: organizationId,
      login_name: loginName,
      address: client.address,
      request_id: client.requestId,
      call: client.call,
      summary: client.summary,
      target,
      result_code: code,
      result_message: message,
    })
    .execute()
}

/** The user who signs in with this name. */
export async function findUser(db: Db, loginName: string) {
  return db
    .selectFrom('app_user')
    .select(['id as userId', 'organization_id as organizationId'])
    .select(isSystemUser(sql.ref<number>('app_user.id')).$castTo<boolean>().as('isSystem'))
    .where(isNamed(loginName))
    .orderBy(isSpelledSo(loginName), 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** The users of an organization and of those under it. */
export async function listUsersWithin(db: Db, organizationId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM app_user WHERE organization_id IN (${organizationsUnder(organizationId)})`.execute(db)
  return rows.map(({ id }) => id)
}

/** Whose entries a reader sees. */
export interface SeenBy {
  userIds: readonly number[]
  /** Of the entries, with those under it. */
  organizationId: number
  /** Of some of these users: their entries from before that time are not seen. */
  hiddenBefore: ReadonlyMap<number, Date>
}

export interface OperationFilter {
  /** Null means everyone's. */
  seenBy: SeenBy | null
  from: Date
  to: Date
  user?: string | undefined
  call?: string | undefined
  target?: string | undefined
  isOk?: 0 | 1 | undefined
  address?: string | undefined
}

/** The entries `h` that the caller sees. */
export const entriesSeenBy = (seenBy: OperationFilter['seenBy']): RawBuilder<SqlBool> =>
  seenBy === null
    ? sql<SqlBool>`true`
    : sql<SqlBool>`(${sql.join(
        [
          sql`h.user_id = ANY(${seenBy.userIds}::int[])`,
          sql`h.organization_id IN (${organizationsUnder(seenBy.organizationId)})`,
          ...notHidden(seenBy, { userId: sql`h.user_id`, at: sql`h.at` }),
        ],
        sql` AND `,
      )})`

/** By columns of the index of users. Nothing where no time is to be compared, as for most readers. */
function notHidden(
  { hiddenBefore }: SeenBy,
  { userId, at }: { userId: RawBuilder<unknown>; at: RawBuilder<unknown> },
): RawBuilder<unknown>[] {
  if (hiddenBefore.size === 0) return []
  const times = [...hiddenBefore.values()].map((time) => time.toISOString())
  return [
    sql`NOT EXISTS (
      SELECT FROM unnest(${[...hiddenBefore.keys()]}::int[], ${times}::timestamptz[]) AS hidden (user_id, until)
      WHERE hidden.user_id = ${userId} AND hidden.until > ${at})`,
  ]
}

/**
 * The entries `o` that a filter asks for. Words for a user or a call are first looked up as user ids and calls, which
 * are few: their entries are then found and counted in an index alone.
 */
export async function operationsMatching(db: Db, filter: OperationFilter): Promise<RawBuilder<SqlBool>> {
  const { seenBy, from, to, user, call, target, isOk, address } = filter
  const parts: RawBuilder<unknown>[] = [sql`o.at >= ${from} AND o.at < ${to}`]
  if (seenBy) {
    parts.push(sql`o.user_id = ANY(${seenBy.userIds}::int[])`)
    parts.push(sql`o.organization_id IN (${organizationsUnder(seenBy.organizationId)})`)
    parts.push(...notHidden(seenBy, { userId: sql`o.user_id`, at: sql`o.at` }))
  }
  if (user !== undefined) {
    const ids = await listUsersNamed(db, user)
    // Entries of a deleted user are found by the whole login name.
    parts.push(sql`(o.user_id = ANY(${ids}::int[]) OR o.login_name = ${user})`)
  }
  if (call !== undefined) parts.push(sql`o.call = ANY(${await listCallsNamed(db, call)}::text[])`)
  if (target !== undefined) {
    // By the index; a single character has no pair.
    if ([...target].length > 1) parts.push(sql`text_bigrams(o.target) @> text_bigrams(${target})`)
    parts.push(sql`o.target ILIKE ${`%${likeLiteral(target)}%`}`)
  }
  if (isOk !== undefined) parts.push(isOk === 1 ? sql`o.result_code = 200` : sql`o.result_code <> 200`)
  if (address !== undefined) parts.push(sql`o.address LIKE ${`${likeLiteral(address)}%`}`)
  return sql<SqlBool>`(${sql.join(parts, sql` AND `)})`
}

async function listUsersNamed(db: Db, words: string): Promise<number[]> {
  const pattern = `%${likeLiteral(words)}%`
  const rows = await db
    .selectFrom('app_user')
    .select('id')
    .where((eb) => eb.or([eb('login_name', 'ilike', pattern), eb('user_name', 'ilike', pattern)]))
    .execute()
  return rows.map(({ id }) => id)
}

/** Jumps from one call to the next in the index: there are a hundred calls in millions of rows. */
async function listCallsNamed(db: Db, words: string): Promise<string[]> {
  const pattern = `%${likeLiteral(words)}%`
  const { rows } = await sql<{ call: string }>`
    WITH RECURSIVE known AS (
      (SELECT call FROM operation_log ORDER BY call LIMIT 1)
      UNION ALL
      SELECT (SELECT o.call FROM operation_log o WHERE o.call > known.call ORDER BY o.call LIMIT 1)
      FROM known WHERE known.call IS NOT NULL
    )
    SELECT known.call FROM known
    CROSS JOIN LATERAL (
      SELECT o.summary FROM operation_log o WHERE o.call = known.call ORDER BY o.at DESC LIMIT 1
    ) newest
    WHERE known.call ILIKE ${pattern} OR newest.summary ILIKE ${pattern}`.execute(db)
  return rows.map(({ call }) => call)
}

export interface OperationRecord {
  id: string
  time: Date
  userId: number | null
  userName: string | null
  loginName: string | null
  address: string
  call: string
  summary: string
  target: string | null
  code: number
  message: string | null
  changes: Changes | null
  requestId: string
}
interface Changes {
  before?: Record<string, unknown>
  after?: Record<string, unknown>
}

/** A page of them, newest or oldest first. The rows before the page are skipped in the index. */
export async function listOperations(
  db: Db,
  matching: RawBuilder<SqlBool>,
  { limit, offset, isOldestFirst }: { limit: number; offset: number; isOldestFirst: boolean },
): Promise<OperationRecord[]> {
  const part = sql`OFFSET ${offset} LIMIT ${limit}`
  const { rows } = await readRows(db, matching, part, { isOldestFirst })
  return rows
}

/** All of them, newest first, some at a time: each batch begins where the one before ended. */
export async function* walkOperations(
  db: Db,
  matching: RawBuilder<SqlBool>,
  batchSize: number,
): AsyncGenerator<OperationRecord[]> {
  for (let last: (OperationRecord & { at: string }) | undefined; ; ) {
    const rest: RawBuilder<SqlBool> =
      last === undefined
        ? matching
        : sql<SqlBool>`${matching} AND (o.at, o.id) < (${last.at}::timestamptz, ${last.id}::bigint)`
    const { rows } = await readRows(db, rest, sql`LIMIT ${batchSize}`)
    if (rows.length > 0) yield rows
    if (rows.length < batchSize) return
    last = rows.at(-1)
  }
}

async function readRows(
  db: Db,
  matching: RawBuilder<SqlBool>,
  part: RawBuilder<unknown>,
  { isOldestFirst = false } = {},
) {
  const order = isOldestFirst ? sql`ORDER BY o.at, o.id` : sql`ORDER BY o.at DESC, o.id DESC`
  // `at` as text as well: a Date has no microseconds, and the next batch begins just below it.
  return sql<OperationRecord & { at: string }>`
    WITH page AS MATERIALIZED (
      SELECT o.at, o.id FROM operation_log o WHERE ${matching} ${order} ${part}
    )
    SELECT o.id, o.at AS time, o.at::text AS at, o.user_id AS "userId", u.user_name AS "userName",
      coalesce(o.login_name, u.login_name) AS "loginName", o.address, o.call, o.summary, o.target,
      o.result_code AS code, o.result_message AS message, o.changes, o.request_id AS "requestId"
    FROM page
    JOIN operation_log o ON o.at = page.at AND o.id = page.id
    LEFT JOIN app_user u ON u.id = o.user_id
    ${order}`.execute(db)
}

export async function countOperations(db: Db, matching: RawBuilder<SqlBool>): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    SELECT count(*) AS count FROM operation_log o WHERE ${matching}`.execute(db)
  return Number(rows[0]?.count ?? 0)
}
