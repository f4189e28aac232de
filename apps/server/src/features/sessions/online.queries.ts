import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { inOwnTree, organizationsUnder } from '../../domain/access/organization-tree.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { likeLiteral } from '../../platform/database/like.ts'
import { countRows } from '../../platform/database/paging.ts'

export interface OnlineFilter {
  /** Part of the user's name or of the login name. */
  name?: string | undefined
  /** The beginning of it. */
  address?: string | undefined
  organizationId?: number | undefined
}

export interface OnlineSession {
  id: string
  userId: number
  userName: string
  loginName: string
  organizationId: number
  organizationName: string
  address: string
  userAgent: string | null
  createTime: Date
  seenTime: Date
  expireTime: Date
  isCurrent: boolean
}

/** The public name of a session: a hash of the token's hash. */
const sessionId = sql<string>`left(encode(sha256(s.token_hash), 'hex'), 32)`

const alive = sql<SqlBool>`s.ended_at IS NULL AND s.signed_out_at IS NULL AND s.expires_at > now() AND u.is_enabled`

/** The sessions `s` in use, of users `u` of the caller's organizations, that a filter asks for. */
export function onlineMatching(
  actor: Pick<Actor, 'isSystem' | 'organizationId'>,
  { name, address, organizationId }: OnlineFilter,
): RawBuilder<SqlBool> {
  const parts = [alive, sql`${inOwnTree(actor, sql.ref('u.organization_id'))}`]
  if (name) {
    const part = `%${likeLiteral(name)}%`
    parts.push(sql`(u.user_name ILIKE ${part} OR u.login_name ILIKE ${part})`)
  }
  if (address) parts.push(sql`s.address LIKE ${`${likeLiteral(address)}%`}`)
  if (organizationId !== undefined) {
    parts.push(sql`u.organization_id IN (${organizationsUnder(organizationId)})`)
  }
  return sql<SqlBool>`(${sql.join(parts, sql` AND `)})`
}

/** A page of them, the latest used first. */
export async function listOnline(
  db: Db,
  matching: RawBuilder<SqlBool>,
  ownTokenHash: Buffer,
  { limit, offset }: { limit: number; offset: number },
): Promise<OnlineSession[]> {
  const { rows } = await sql<OnlineSession>`
    SELECT ${sessionId} AS id, u.id AS "userId", u.user_name AS "userName", u.login_name AS "loginName",
      o.id AS "organizationId", o.name AS "organizationName", s.address, s.user_agent AS "userAgent",
      s.created_at AS "createTime", s.seen_at AS "seenTime", s.expires_at AS "expireTime",
      s.token_hash = ${ownTokenHash} AS "isCurrent"
    FROM user_session s JOIN app_user u ON u.id = s.user_id JOIN organization o ON o.id = u.organization_id
    WHERE ${matching}
    ORDER BY s.seen_at DESC, s.token_hash LIMIT ${limit} OFFSET ${offset}`.execute(db)
  return rows
}

export async function countOnline(db: Db, matching: RawBuilder<SqlBool>): Promise<number> {
  return countRows(
    db,
    sql`FROM user_session s JOIN app_user u ON u.id = s.user_id
    WHERE ${matching}`,
  )
}

/** The session with its user; undefined where it has ended or does not exist. */
export async function findOnline(trx: Trx, id: string) {
  const { rows } = await sql<{ tokenHash: Buffer; userId: number; loginName: string; address: string }>`
    SELECT s.token_hash AS "tokenHash", u.id AS "userId", u.login_name AS "loginName", s.address
    FROM user_session s JOIN app_user u ON u.id = s.user_id
    WHERE ${sessionId} = ${id} AND ${alive}`.execute(trx)
  return rows[0]
}

/** False where the session has ended in between. */
export async function endOne(trx: Trx, tokenHash: Buffer): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('user_session')
    .set({ ended_at: sql`now()` })
    .where('token_hash', '=', tokenHash)
    .where('ended_at', 'is', null)
    .where('signed_out_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
