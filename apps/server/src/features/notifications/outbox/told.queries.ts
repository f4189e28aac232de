// SQL of who was told of one alarm.
import type { ChannelKind, NotifyEvent, NotifyState } from '@voltkeep/contract'
import { sql } from 'kysely'
import { inOwnTree } from '../../../domain/access/organization-tree.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import type { Db } from '../../../platform/database/database.ts'

export interface ToldRow {
  event: NotifyEvent
  kind: ChannelKind | null
  channelName: string | null
  userName: string | null
  state: NotifyState | 'queued'
  attempts: number
  providerCode: string | null
  providerMessage: string | null
  createTime: Date
  sentTime: Date | null
  nextTime: Date | null
  isPassedOn: boolean
  isFallback: boolean
}

/**
 * What was told of an episode, or waits to be, oldest first. Whoever sees the device knows that somebody was told and
 * what came of it; names of channels and people are shown within the reader's own organizations.
 */
export async function listTold(db: Db, actor: Actor, episodeId: string, limit: number): Promise<ToldRow[]> {
  const isOwn = inOwnTree(actor, sql.ref('i.organization_id'))
  const { rows } = await sql<ToldRow>`
    SELECT i.event, coalesce(y.kind, i.kind) AS kind,
      CASE WHEN ${isOwn} THEN coalesce(y.channel_name, i.name) END AS "channelName",
      CASE WHEN ${isOwn} THEN i.user_name END AS "userName",
      coalesce(y.state, 'queued') AS state, coalesce(y.attempts, 0) AS attempts,
      y.provider_code AS "providerCode", y.provider_message AS "providerMessage", i.created_at AS "createTime",
      y.sent_at AS "sentTime", coalesce(y.retry_at, CASE WHEN y.id IS NULL THEN i.due_at END) AS "nextTime",
      coalesce(y.passed_to <> '{}', false) AS "isPassedOn", i.is_fallback AS "isFallback"
    FROM (
      SELECT i.*, c.kind, c.name, c.organization_id FROM notify_item i
      LEFT JOIN notify_channel c ON c.id = i.channel_id
      WHERE i.subject_id = ${episodeId}::int8 AND i.subject_kind = 'alarm'
    ) i
    LEFT JOIN notify_delivery y ON y.id = i.delivery_id
    ORDER BY i.id LIMIT ${limit}`.execute(db)
  return rows
}
