// SQL of subscriptions to reports.
import type { AlarmGroup, Language, NotifyState, ReportCadence, ReportKind } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { inOwnTree } from '../../../domain/access/organization-tree.ts'
import type { Wanted } from '../../../domain/history/index.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { likeLiteral } from '../../../platform/database/like.ts'
import { countRows, type Page } from '../../../platform/database/paging.ts'
import { plainQueries } from '../../../platform/database/plain-queries.ts'

/** Which devices a report is about, as the wire has it. */
export type PlacesWanted = Pick<
  Wanted,
  'organizationId' | 'operatorId' | 'equipTypeId' | 'equipModelId' | 'regionCode' | 'equipId'
>

export interface Subscription {
  id: number
  name: string
  kind: ReportKind
  groupBy: AlarmGroup
  filter: PlacesWanted
  every: ReportCadence
  hour: number
  timeZone: string
  channelId: number
  isEnabled: boolean
  decidedBy: number
  decidedByName: string
  decidedIn: number | null
  problem: string | null
  version: number
}

export interface SubscriptionRow extends Subscription {
  channelName: string
  organizationName: string
  nextTime: Date | null
  createTime: Date
  lastState: NotifyState | null
  lastTitle: string | null
  lastTime: Date | null
  lastMessage: string | null
}

const columns = sql`
  s.id, s.name, s.kind, s.group_by AS "groupBy", s.filter, s.every, s.hour, s.time_zone AS "timeZone",
  s.channel_id AS "channelId", s.is_enabled AS "isEnabled", s.decided_by AS "decidedBy",
  s.decided_by_name AS "decidedByName", s.decided_in AS "decidedIn", s.problem, s.version`

/** The letters of a subscription are one series. */
export const seriesOf = (id: number) => `report.${id}`

export interface SubscriptionFilter {
  name?: string | undefined
  kind?: ReportKind | undefined
  ids?: readonly number[] | undefined
}

function matching(actor: Actor, { name, kind, ids }: SubscriptionFilter): RawBuilder<SqlBool> {
  const parts: RawBuilder<SqlBool>[] = [sql<SqlBool>`${inOwnTree(actor, sql.ref('s.organization_id'))}`]
  if (name !== undefined) parts.push(sql`s.name ILIKE ${`%${likeLiteral(name)}%`}`)
  if (kind !== undefined) parts.push(sql`s.kind = ${kind}`)
  if (ids) parts.push(sql`s.id = ANY(${ids}::int[])`)
  return sql.join(parts, sql` AND `)
}

/** Newest first, each with its last mail. */
export async function listSubscriptions(
  db: Db,
  actor: Actor,
  filter: SubscriptionFilter,
  { limit, offset }: Page,
): Promise<SubscriptionRow[]> {
  const { rows } = await sql<SubscriptionRow>`
    SELECT ${columns}, c.name AS "channelName", o.name AS "organizationName", s.next_at AS "nextTime",
      s.created_at AS "createTime", y.state AS "lastState", y.title AS "lastTitle",
      coalesce(y.sent_at, y.created_at) AS "lastTime", y.provider_message AS "lastMessage"
    FROM report_subscription s
    JOIN organization o ON o.id = s.organization_id
    JOIN notify_channel c ON c.id = s.channel_id
    LEFT JOIN LATERAL (
      SELECT y.state, y.title, y.sent_at, y.created_at, y.provider_message
      FROM notify_letter l JOIN notify_delivery y ON y.id = l.delivery_id
      WHERE l.series = 'report.' || s.id ORDER BY y.id DESC LIMIT 1
    ) y ON true
    WHERE ${matching(actor, filter)}
    ORDER BY s.id DESC LIMIT ${limit} OFFSET ${offset}`.execute(db)
  return rows
}

export const countSubscriptions = (db: Db, actor: Actor, filter: SubscriptionFilter): Promise<number> =>
  countRows(db, sql`FROM report_subscription s WHERE ${matching(actor, filter)}`)

/** The subscription of the actor's organizations, locked until the transaction ends. */
export async function lockSubscription(
  trx: Trx,
  actor: Actor,
  id: number,
): Promise<Subscription | undefined> {
  const { rows } = await sql<Subscription>`
    SELECT ${columns} FROM report_subscription s
    WHERE s.id = ${id} AND ${inOwnTree(actor, sql.ref('s.organization_id'))} FOR UPDATE`.execute(trx)
  return rows[0]
}

/** Those of which a mail is due, the longest first. */
export async function listDue(db: Db, now: Date, limit: number): Promise<Subscription[]> {
  const { rows } = await sql<Subscription>`
    SELECT ${columns} FROM report_subscription s
    WHERE s.next_at <= ${now} ORDER BY s.next_at, s.id LIMIT ${limit}`.execute(db)
  return rows
}

/** Whether it still is as it was read; then it is locked until the transaction ends. */
export async function lockUnchanged(trx: Trx, { id, version }: Subscription): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM report_subscription s WHERE s.id = ${id} AND s.version = ${version} AND s.is_enabled
    FOR UPDATE`.execute(trx)
  return rows.length > 0
}

/** Not a change of the subscription: its version stays. */
export async function writeOutcome(
  db: Db,
  { id, version }: Subscription,
  { nextAt, problem }: { nextAt: Date; problem: string | null },
): Promise<void> {
  await sql`
    UPDATE report_subscription SET next_at = ${nextAt}, problem = ${problem}
    WHERE id = ${id} AND version = ${version} AND is_enabled`.execute(db)
}

const subscriptions = plainQueries('report_subscription')
export const {
  insert: insertSubscription,
  update: updateSubscription,
  delete: deleteSubscription,
} = subscriptions

/** Of the owner, who reads the reports. */
export async function languageOf(db: Db, userId: number): Promise<Language> {
  const user = await db.selectFrom('app_user').select('language').where('id', '=', userId).executeTakeFirst()
  return user?.language === 'en' ? 'en' : 'zh'
}
