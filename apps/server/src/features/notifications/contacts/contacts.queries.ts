// SQL of how users are reached.
import type { ChannelKind } from '@voltkeep/contract'
import { sql } from 'kysely'
import { inOwnTree } from '../../../domain/access/organization-tree.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'

export interface ContactRow {
  channelId: number
  channelName: string
  kind: ChannelKind
  address: string | null
}

/** The channels of the kinds, with the user's own address through each. */
export async function listContacts(
  db: Db,
  actor: Actor,
  kinds: readonly ChannelKind[],
): Promise<ContactRow[]> {
  const { rows } = await sql<ContactRow>`
    SELECT c.id AS "channelId", c.name AS "channelName", c.kind, k.address
    FROM notify_channel c LEFT JOIN notify_contact k ON k.channel_id = c.id AND k.user_id = ${actor.userId}
    WHERE c.kind = ANY(${kinds}::text[]) AND (k.user_id IS NOT NULL OR ${inOwnTree(actor, sql.ref('c.organization_id'))})
    ORDER BY c.name, c.id LIMIT 200`.execute(db)
  return rows
}

/** The channel of the actor's organizations, kept from being deleted until the transaction ends. */
export async function lockReachable(
  trx: Trx,
  actor: Actor,
  channelId: number,
): Promise<{ kind: ChannelKind; name: string } | undefined> {
  const { rows } = await sql<{ kind: ChannelKind; name: string }>`
    SELECT c.kind, c.name FROM notify_channel c
    WHERE c.id = ${channelId} AND ${inOwnTree(actor, sql.ref('c.organization_id'))} FOR KEY SHARE`.execute(
    trx,
  )
  return rows[0]
}

/** Returns false where the user has `most` others already: a known one can always be changed. */
export async function writeContact(
  trx: Trx,
  userId: number,
  channelId: number,
  address: string,
  most: number,
): Promise<boolean> {
  // Calls at the same time are counted one after another.
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`notify_contact of ${userId}`}, 0))`.execute(trx)
  const { rows } = await sql`
    INSERT INTO notify_contact (user_id, channel_id, address) SELECT ${userId}, ${channelId}, ${address}
    WHERE EXISTS (SELECT FROM notify_contact WHERE user_id = ${userId} AND channel_id = ${channelId})
      OR (SELECT count(*) FROM notify_contact WHERE user_id = ${userId}) < ${most}
    ON CONFLICT (user_id, channel_id) DO UPDATE SET address = excluded.address
    RETURNING 1`.execute(trx)
  return rows.length > 0
}

export async function deleteContact(trx: Trx, userId: number, channelId: number): Promise<boolean> {
  const { rows } = await sql`
    DELETE FROM notify_contact WHERE user_id = ${userId} AND channel_id = ${channelId} RETURNING 1`.execute(
    trx,
  )
  return rows.length > 0
}

/** The addresses of people through a channel; of whom there is none any more, nothing. */
export async function listAddresses(
  db: Db,
  channelId: number,
  userIds: readonly number[],
): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    SELECT k.address FROM notify_contact k JOIN app_user u ON u.id = k.user_id
    WHERE k.channel_id = ${channelId} AND k.user_id = ANY(${userIds}::int[]) AND u.is_enabled
    ORDER BY k.user_id`.execute(db)
  return rows.map(({ address }) => address)
}
