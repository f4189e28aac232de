// SQL of channels.
import type { ChannelKind, Language } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { inOwnTree, organizationsUnderRow } from '../../../domain/access/organization-tree.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { likeLiteral } from '../../../platform/database/like.ts'
import { countRows, type Page } from '../../../platform/database/paging.ts'
import { plainQueries } from '../../../platform/database/plain-queries.ts'
import type { Telling } from '../rules/rules.queries.ts'
import type { ChannelSettings } from '../senders/index.ts'

export interface ChannelFilter {
  name?: string | undefined
  kind?: ChannelKind | undefined
  ids?: readonly number[] | undefined
}

export interface ChannelRow {
  id: number
  kind: ChannelKind
  name: string
  addressHint: string
  hasSecret: boolean
  settings: ChannelSettings | null
  language: Language
  isEnabled: boolean
  organizationId: number
  organizationName: string
  createBy: string
  lastDeliveredTime: Date | null
  lastError: string | null
  pausedUntil: Date | null
  waitingCount: number
  version: number
  createTime: Date
}

function matching(actor: Actor, { name, kind, ids }: ChannelFilter): RawBuilder<SqlBool> {
  const parts: RawBuilder<SqlBool>[] = [sql<SqlBool>`${inOwnTree(actor, sql.ref('c.organization_id'))}`]
  if (name !== undefined) parts.push(sql`c.name ILIKE ${`%${likeLiteral(name)}%`}`)
  if (kind !== undefined) parts.push(sql`c.kind = ${kind}`)
  if (ids) parts.push(sql`c.id = ANY(${ids}::int[])`)
  return sql.join(parts, sql` AND `)
}

/** Newest first. */
export async function listChannels(
  db: Db,
  actor: Actor,
  filter: ChannelFilter,
  { limit, offset }: Page,
): Promise<ChannelRow[]> {
  const { rows } = await sql<ChannelRow>`
    SELECT c.id, c.kind, c.name, c.address_hint AS "addressHint", c.secret IS NOT NULL AS "hasSecret", c.settings, c.language,
      c.is_enabled AS "isEnabled", c.organization_id AS "organizationId", o.name AS "organizationName",
      c.decided_by_name AS "createBy", c.last_delivered_at AS "lastDeliveredTime", c.last_error AS "lastError",
      CASE WHEN c.paused_until > now() THEN c.paused_until END AS "pausedUntil",
      (SELECT count(*)::int FROM notify_item i WHERE i.channel_id = c.id AND i.delivery_id IS NULL
        AND i.over_at IS NULL) AS "waitingCount",
      c.version, c.created_at AS "createTime"
    FROM notify_channel c JOIN organization o ON o.id = c.organization_id
    WHERE ${matching(actor, filter)}
    ORDER BY c.id DESC LIMIT ${limit} OFFSET ${offset}`.execute(db)
  return rows
}

export const countChannels = (db: Db, actor: Actor, filter: ChannelFilter): Promise<number> =>
  countRows(db, sql`FROM notify_channel c WHERE ${matching(actor, filter)}`)

/** Those that a rule of the actor may send through, by name. */
export async function nameChannels(
  db: Db,
  actor: Actor,
): Promise<{ id: number; name: string; kind: ChannelKind }[]> {
  const { rows } = await sql<{ id: number; name: string; kind: ChannelKind }>`
    SELECT c.id, c.name, c.kind FROM notify_channel c
    WHERE ${inOwnTree(actor, sql.ref('c.organization_id'))} ORDER BY c.name, c.id`.execute(db)
  return rows
}

export interface ChannelEntry {
  id: number
  kind: ChannelKind
  name: string
  address: string
  addressHint: string
  secret: string | null
  settings: ChannelSettings | null
  rateKey: string | null
  language: Language
  isEnabled: boolean
  /** Who set the address. */
  decidedBy: number
  decidedByName: string
  decidedIn: number | null
  version: number
}

/** The channel of the actor's organizations, locked until the transaction ends. */
export async function lockChannel(trx: Trx, actor: Actor, id: number): Promise<ChannelEntry | undefined> {
  const { rows } = await sql<ChannelEntry>`
    SELECT c.id, c.kind, c.name, c.address, c.address_hint AS "addressHint", c.secret, c.settings,
      c.rate_key AS "rateKey", c.language, c.is_enabled AS "isEnabled", c.decided_by AS "decidedBy",
      c.decided_by_name AS "decidedByName",
      c.decided_in AS "decidedIn", c.version
    FROM notify_channel c WHERE c.id = ${id} AND ${inOwnTree(actor, sql.ref('c.organization_id'))}
    FOR UPDATE`.execute(trx)
  return rows[0]
}

/** Of these channels, those of the actor's organizations; kept from being deleted until the transaction ends. */
export async function lockChannelsShared(
  trx: Trx,
  actor: Actor,
  ids: readonly number[],
): Promise<{ id: number; name: string }[]> {
  const { rows } = await sql<{ id: number; name: string }>`
    SELECT c.id, c.name FROM notify_channel c
    WHERE c.id = ANY(${ids}::int[]) AND ${inOwnTree(actor, sql.ref('c.organization_id'))}
    ORDER BY c.id FOR KEY SHARE`.execute(trx)
  return rows
}

/** Nobody tries the messages of a channel that is deleted, and nothing waits for it. */
export async function giveUpDeliveries(trx: Trx, channelId: number): Promise<void> {
  await sql`DELETE FROM notify_item WHERE channel_id = ${channelId} AND delivery_id IS NULL`.execute(trx)
  await sql`
    UPDATE notify_delivery SET state = 'givenUp', retry_at = NULL, provider_message = '通知渠道已删除',
      provider_code = coalesce(provider_code, 'DELETED')
    WHERE channel_id = ${channelId} AND state IN ('sending', 'retrying')`.execute(trx)
}

const channels = plainQueries('notify_channel')
export const { insert: insertChannel, update: updateChannel, delete: deleteChannel } = channels

/** What is told through a channel, and the person who is told; null: the channel's own receivers. */
export interface ChannelTelling extends Telling {
  personId: number | null
}

/**
 * What is told through the channel: of rules, also of those that name people, roles or rotas and reach somebody by the own
 * address through it, and of reports by mail.
 */
export async function listTelling(trx: Trx, channelId: number): Promise<ChannelTelling[]> {
  const { rows } = await sql<ChannelTelling>`
    SELECT r.decided_by AS "decidedBy", r.decided_by_name AS "decidedByName", r.decided_in AS "decidedIn", r.filter,
      NULL::int AS "personId"
    FROM notify_rule r WHERE r.id IN (SELECT rule_id FROM notify_rule_target WHERE channel_id = ${channelId})
    UNION ALL
    SELECT r.decided_by, r.decided_by_name, r.decided_in, r.filter, u.id
    FROM notify_contact k JOIN app_user u ON u.id = k.user_id
    JOIN notify_rule r ON u.organization_id IN (${organizationsUnderRow(sql.ref<number>('r.organization_id'))})
    WHERE k.channel_id = ${channelId} AND u.is_enabled AND EXISTS (
      SELECT FROM notify_rule_target t WHERE t.rule_id = r.id AND (t.user_id = u.id
        OR t.role_id IN (SELECT role_id FROM user_role WHERE user_id = u.id)
        OR t.duty_id IN (
          SELECT duty_id FROM duty_member WHERE user_id = u.id
          UNION ALL SELECT duty_id FROM duty_exception WHERE user_id = u.id)))
    UNION ALL
    SELECT s.decided_by, s.decided_by_name, s.decided_in, s.filter, NULL
    FROM report_subscription s WHERE s.channel_id = ${channelId}`.execute(trx)
  return rows
}
