// SQL of API keys: whose a secret is, the list, and the rows of a key.
import type { ApiKeyState } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { functionCodesOf, organizationOfKey } from '../../domain/access/granted.ts'
import { inOwnTree } from '../../domain/access/organization-tree.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { likeLiteral } from '../../platform/database/like.ts'
import { countRows, type Page } from '../../platform/database/paging.ts'

export interface FoundKey {
  userId: number
  loginName: string
  /** Null: the maker went to another organization. */
  organizationId: number | null
  makerId: number
  functionCodes: string[]
  networks: string[]
  /** The maker may sign in. */
  isEnabled: boolean
  isExpired: boolean
  isReplaced: boolean
  /** It is a minute or longer since the last use was written. */
  isUseDue: boolean
}

const useDue = sql<boolean>`(k.used_at IS NULL OR k.used_at < now() - interval '1 minute')`

/** The key of a secret with what it may do, in one statement, which runs again for every call. */
export async function findKey(db: Db, hash: Buffer): Promise<FoundKey | undefined> {
  const { rows } = await sql<FoundKey>`
    SELECT k.user_id AS "userId", u.login_name AS "loginName", ${organizationOfKey} AS "organizationId",
      u.maker_id AS "makerId", ${functionCodesOf(sql.ref<number>('u.id'))} AS "functionCodes", k.networks,
      m.is_enabled AS "isEnabled", k.expires_at <= now() AS "isExpired",
      coalesce(s.ends_at <= now(), false) AS "isReplaced", ${useDue} AS "isUseDue"
    FROM api_key_secret s
    JOIN api_key k ON k.user_id = s.key_id
    JOIN app_user u ON u.id = k.user_id
    JOIN app_user m ON m.id = u.maker_id
    WHERE s.hash = ${hash}`.execute(db)
  return rows[0]
}

/** Writes the last use where it is due; whether it was. */
export async function writeUse(db: Db, userId: number, address: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE api_key k SET used_at = now(), used_from = ${address}
    WHERE k.user_id = ${userId} AND ${useDue}`.execute(db)
  return numAffectedRows === 1n
}

export interface KeyRecord {
  id: number
  makerId: number
  name: string
  state: ApiKeyState
  makerName: string
  organizationName: string
  functionCodes: string[]
  networks: string[]
  secrets: { hint: string; createTime: Date; endTime: Date | null }[]
  createTime: Date
  expireTime: Date
  lastUsedTime: Date | null
  lastUsedAddress: string | null
}

const state = sql<ApiKeyState>`(CASE WHEN k.expires_at <= now() THEN 'expired'
  WHEN NOT m.is_enabled OR ${organizationOfKey} IS NULL THEN 'stopped' ELSE 'active' END)`

/** Keys whose makers are in the caller's organizations. */
export function keysMatching(
  actor: Pick<Actor, 'isSystem' | 'organizationId'>,
  filter: { name?: string | undefined; state?: ApiKeyState | undefined },
): RawBuilder<SqlBool> {
  const parts = [sql`${inOwnTree(actor, sql.ref('m.organization_id'))}`]
  if (filter.name) {
    const part = `%${likeLiteral(filter.name)}%`
    parts.push(sql`(k.name ILIKE ${part} OR m.user_name ILIKE ${part} OR m.login_name ILIKE ${part})`)
  }
  if (filter.state) parts.push(sql`${state} = ${filter.state}`)
  return sql<SqlBool>`(${sql.join(parts, sql` AND `)})`
}

const from = sql`
  FROM api_key k
  JOIN app_user u ON u.id = k.user_id
  JOIN app_user m ON m.id = u.maker_id
  JOIN organization o ON o.id = u.organization_id`

/** A page of them, the newest first. */
export async function listKeys(
  db: Db,
  matching: RawBuilder<SqlBool>,
  { limit, offset }: Page,
): Promise<KeyRecord[]> {
  const { rows } = await sql<Omit<KeyRecord, 'secrets'>>`
    SELECT u.id, m.id AS "makerId", k.name, ${state} AS state, m.user_name AS "makerName", o.name AS "organizationName",
      k.function_codes AS "functionCodes", k.networks, u.created_at AS "createTime", k.expires_at AS "expireTime",
      k.used_at AS "lastUsedTime", k.used_from AS "lastUsedAddress"
    ${from} WHERE ${matching} ORDER BY u.id DESC LIMIT ${limit} OFFSET ${offset}`.execute(db)
  const { rows: secrets } = await sql<KeyRecord['secrets'][number] & { keyId: number }>`
    SELECT key_id AS "keyId", hint, created_at AS "createTime", ends_at AS "endTime" FROM api_key_secret
    WHERE key_id = ANY(${rows.map(({ id }) => id)}::int[]) AND coalesce(ends_at > now(), true)
    ORDER BY key_id, created_at DESC, ends_at DESC NULLS FIRST`.execute(db)
  return rows.map((row) => ({ ...row, secrets: secrets.filter(({ keyId }) => keyId === row.id) }))
}

export const countKeys = (db: Db, matching: RawBuilder<SqlBool>): Promise<number> =>
  countRows(db, sql`${from} WHERE ${matching}`)

/** The key, locked until the transaction ends; undefined where the caller may not know of it. */
export async function lockKey(trx: Trx, actor: Actor, id: number) {
  await sql`SELECT FROM app_user WHERE id = ${id} FOR NO KEY UPDATE`.execute(trx)
  const { rows } = await sql<{ id: number; makerId: number; name: string; loginName: string }>`
    SELECT u.id, m.id AS "makerId", k.name, u.login_name AS "loginName" ${from}
    WHERE u.id = ${id} AND ${inOwnTree(actor, sql.ref('m.organization_id'))}`.execute(trx)
  return rows[0]
}

export async function countKeysOf(trx: Trx, makerId: number): Promise<number> {
  return countRows(trx, sql`FROM app_user WHERE maker_id = ${makerId}`)
}

export interface NewKey {
  makerId: number
  organizationId: number
  name: string
  loginName: string
  functionCodes: readonly string[]
  networks: readonly string[]
  validDays: number
}

/** The key's user and its row; undefined where the maker has one of this name. */
export async function insertKey(
  trx: Trx,
  key: NewKey,
): Promise<{ id: number; expireTime: Date } | undefined> {
  const user = await trx
    .insertInto('app_user')
    .values({
      login_name: key.loginName,
      user_name: key.name,
      organization_id: key.organizationId,
      maker_id: key.makerId,
      // No password has this hash.
      password_hash: '',
      is_spelled_exactly: true,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!user) return undefined
  const { rows } = await sql<{ expireTime: Date }>`
    INSERT INTO api_key (user_id, name, function_codes, networks, expires_at)
    VALUES (${user.id}, ${key.name}, ${key.functionCodes}::text[], ${key.networks}::text[],
      now() + ${key.validDays} * interval '1 day')
    RETURNING expires_at AS "expireTime"`.execute(trx)
  return { id: user.id, expireTime: rows[0]?.expireTime ?? new Date() }
}

export async function insertSecret(trx: Trx, keyId: number, hash: Buffer, hint: string): Promise<void> {
  await trx.insertInto('api_key_secret').values({ hash, key_id: keyId, hint }).execute()
}

/** The secret of now ends in so many hours, and one that was to end already ends. */
export async function endSecrets(trx: Trx, keyId: number, overlapHours: number): Promise<void> {
  await sql`DELETE FROM api_key_secret WHERE key_id = ${keyId} AND ends_at IS NOT NULL`.execute(trx)
  await sql`
    UPDATE api_key_secret SET ends_at = now() + ${overlapHours} * interval '1 hour'
    WHERE key_id = ${keyId}`.execute(trx)
}

/** Moves the expiry, where days are given. Returns it. */
export async function renewKey(trx: Trx, keyId: number, validDays: number | undefined): Promise<Date> {
  const { rows } = await sql<{ expireTime: Date }>`
    UPDATE api_key SET expires_at = coalesce(now() + ${validDays ?? null}::int * interval '1 day', expires_at)
    WHERE user_id = ${keyId} RETURNING expires_at AS "expireTime"`.execute(trx)
  return rows[0]?.expireTime ?? new Date()
}

/** The functions with these codes, by the pages on which they stand. */
export async function listFunctions(db: Db, codes: readonly string[]) {
  const { rows } = await sql<{ code: string; name: string; page: string }>`
    SELECT DISTINCT ON (f.remark) f.remark AS code, f.name, coalesce(p.name, '') AS page,
      coalesce(d.order_num, p.order_num, 0) AS "directoryOrder", coalesce(p.order_num, 0) AS "pageOrder",
      f.order_num AS "order"
    FROM menu f LEFT JOIN menu p ON p.id = f.parent_id LEFT JOIN menu d ON d.id = p.parent_id
    WHERE f.type = 'F' AND f.remark = ANY(${codes}::text[]) ORDER BY f.remark, f.id`.execute(db)
  return rows as {
    code: string
    name: string
    page: string
    directoryOrder: number
    pageOrder: number
    order: number
  }[]
}
