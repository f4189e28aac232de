// SQL of messages as users see them.
import type { ChannelKind, NotifyState } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import {
  type DataScope,
  deviceWithinScope,
  everything,
  isNarrowed,
} from '../../../domain/access/data-scope.ts'
import { organizationsUnder } from '../../../domain/access/organization-tree.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import type { Db } from '../../../platform/database/database.ts'
import { countRows, type Page } from '../../../platform/database/paging.ts'

export interface DeliveryFilter {
  channelId?: number | undefined
  state?: NotifyState | undefined
}

export interface DeliveryRow {
  id: string
  channelId: number | null
  channelName: string
  kind: ChannelKind
  userNames: string[]
  ruleNames: string[]
  state: NotifyState
  /** Null: it is about a device that the reader does not see now. */
  title: string | null
  alarmCount: number
  attempts: number
  providerCode: string | null
  providerMessage: string | null
  createTime: Date
  sentTime: Date | null
  nextTime: Date | null
  passedTo: string[]
  isFallback: boolean
}

/**
 * A message is about alarms that the people of its rules see. So it is read by these people, and by whoever sees
 * everything of the organizations in which they decided: nobody whose data permissions leave some of that out. One of
 * nobody's, which every list contains, is read by SYSTEM users alone.
 */
function seenBy(actor: Actor): RawBuilder<SqlBool> {
  const { isSystem, userId, organizationId } = actor
  if (isSystem) return sql<SqlBool>`true`
  return sql<SqlBool>`(y.decided_by <> '{}' AND y.decided_in <> '{}' AND (
    y.decided_by <@ ARRAY[${userId}]::int[]
    OR (NOT ${isNarrowed(actor)}
      AND y.decided_in <@ ARRAY(${organizationsUnder(organizationId)}))))`
}

function matching(actor: Actor, { channelId, state }: DeliveryFilter): RawBuilder<SqlBool> {
  const parts = [seenBy(actor)]
  if (channelId !== undefined) parts.push(sql`y.channel_id = ${channelId}`)
  if (state !== undefined) parts.push(sql`y.state = ${state}`)
  return sql.join(parts, sql` AND `)
}

/** A message about several devices counts them; one about a single device names it, or says what alarmed there. */
const titleFor = (scope: DataScope) =>
  scope === everything
    ? sql`y.title`
    : sql`CASE WHEN y.alarm_count = 1 AND coalesce(y.message #>> '{entries,0,deviceCode}', '') <> '' AND NOT EXISTS (
        SELECT FROM device d WHERE d.code = y.message #>> '{entries,0,deviceCode}' AND ${deviceWithinScope(scope)}
      ) THEN NULL ELSE y.title END`

/** Newest first. */
export async function listDeliveries(
  db: Db,
  actor: Actor,
  scope: DataScope,
  filter: DeliveryFilter,
  { limit, offset }: Page,
): Promise<DeliveryRow[]> {
  const { rows } = await sql<DeliveryRow>`
    SELECT y.id, y.channel_id AS "channelId", y.channel_name AS "channelName", y.kind, y.user_names AS "userNames",
      y.rule_names AS "ruleNames",
      y.state, ${titleFor(scope)} AS title, y.alarm_count AS "alarmCount", y.attempts, y.provider_code AS "providerCode",
      y.provider_message AS "providerMessage", y.created_at AS "createTime", y.sent_at AS "sentTime",
      y.retry_at AS "nextTime", y.passed_to AS "passedTo",
      EXISTS (SELECT FROM notify_item i WHERE i.delivery_id = y.id AND i.is_fallback) AS "isFallback"
    FROM notify_delivery y WHERE ${matching(actor, filter)}
    ORDER BY y.id DESC LIMIT ${limit} OFFSET ${offset}`.execute(db)
  return rows
}

export const countDeliveries = (db: Db, actor: Actor, filter: DeliveryFilter): Promise<number> =>
  countRows(db, sql`FROM notify_delivery y WHERE ${matching(actor, filter)}`)
