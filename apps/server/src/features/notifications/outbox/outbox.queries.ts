// SQL of what waits on channels and of messages under way.
import type { ChannelKind, Language, NotifyEvent } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../../domain/access/data-scope.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { deletingOld } from '../../../platform/database/jobs/retention.ts'
import type { RuleFilter } from '../rules/rules.queries.ts'
import type { ChannelSettings } from '../senders/index.ts'
import type { SubjectKind } from '../senders/message.ts'
import type { SendResult } from '../senders/sender.ts'
import { fallbackStep } from '../targets/targets.queries.ts'
import type { DueByRule } from './matching.queries.ts'

export interface DueChannel {
  id: number
  organizationId: number
  kind: ChannelKind
  name: string
  address: string
  secret: string | null
  settings: ChannelSettings | null
  language: Language
  isEnabled: boolean
  rateKey: string | null
  busyUntil: Date | null
  pausedUntil: Date | null
  now: Date
}

export async function readDueChannel(trx: Trx, id: number): Promise<DueChannel | undefined> {
  const { rows } = await sql<DueChannel>`
    SELECT c.id, c.organization_id AS "organizationId", c.kind, c.name, c.address, c.secret, c.settings, c.language,
      c.is_enabled AS "isEnabled", c.rate_key AS "rateKey",
      CASE WHEN c.busy_until > now() THEN c.busy_until END AS "busyUntil",
      CASE WHEN c.paused_until > now() THEN c.paused_until END AS "pausedUntil", now() AS now
    FROM notify_channel c WHERE c.id = ${id} FOR UPDATE`.execute(trx)
  return rows[0]
}

export interface OpenDelivery {
  id: string
  message: unknown
  attempts: number
  /** Null: its sender died with it, or there was none yet. */
  retryAt: Date | null
  /** What the last attempt came to. */
  code: string | null
  hasCritical: boolean
  userIds: number[]
}

/** The oldest message of the channel that is not over. */
export async function readOpenDelivery(trx: Trx, channelId: number): Promise<OpenDelivery | undefined> {
  const { rows } = await sql<OpenDelivery>`
    SELECT d.id, d.message, d.attempts, d.retry_at AS "retryAt", d.provider_code AS code, d.user_ids AS "userIds",
      EXISTS (SELECT FROM notify_item i WHERE i.delivery_id = d.id AND i.event <> 'recovered' AND i.level = 1)
        AS "hasCritical"
    FROM notify_delivery d WHERE d.channel_id = ${channelId} AND d.state IN ('sending', 'retrying')
    ORDER BY d.retry_at NULLS FIRST, d.id LIMIT 1`.execute(trx)
  return rows[0]
}

/** What of a kind is told by one rule to one receiver, with everybody whose decision it carries. */
export interface WaitingPair {
  kind: SubjectKind
  ruleId: number
  ruleName: string
  filter: RuleFilter
  ruleBy: number
  ruleByName: string
  ruleIn: number | null
  channelBy: number
  channelByName: string
  channelIn: number | null
  /** The person who is told. */
  userId: number | null
  userName: string | null
  /** Of an escalation: whose rule it was when it began. */
  runBy: number | null
  runByName: string | null
  runIn: number | null
}

/** What waits on a channel and is due; or what a message of it tells. */
export interface Told {
  channelId: number
  /** Null: what waits. */
  deliveryId: string | null
  /** Of what waits, what this person is told; null: what the channel's own receivers are. */
  userId?: number | null
}

/** The items `i` of it. */
const toldBy = ({ channelId, deliveryId, userId }: Told) =>
  deliveryId === null
    ? sql`i.channel_id = ${channelId} AND i.delivery_id IS NULL AND i.over_at IS NULL AND i.due_at <= now()
        ${userId === undefined ? sql`` : sql`AND i.user_id IS NOT DISTINCT FROM ${userId}::int`}`
    : sql`i.delivery_id = ${deliveryId}::int8`

const runOf = sql`x.rule_id = i.rule_id AND x.episode_id = i.subject_id AND i.event = 'escalated'`

/** The rules by which it is told, to whom. */
export async function listRulesOf(trx: Trx, told: Told): Promise<WaitingPair[]> {
  const { rows } = await sql<WaitingPair>`
    SELECT DISTINCT i.subject_kind AS kind, r.id AS "ruleId", r.name AS "ruleName", r.filter, r.decided_by AS "ruleBy",
      r.decided_by_name AS "ruleByName", r.decided_in AS "ruleIn", c.decided_by AS "channelBy",
      c.decided_by_name AS "channelByName", c.decided_in AS "channelIn", i.user_id AS "userId",
      i.user_name AS "userName", x.decided_by AS "runBy", x.decided_by_name AS "runByName", x.decided_in AS "runIn"
    FROM notify_item i
    JOIN notify_rule r ON r.id = i.rule_id
    JOIN notify_channel c ON c.id = ${told.channelId}
    LEFT JOIN notify_escalation x ON ${runOf}
    WHERE ${toldBy(told)}
    ORDER BY r.id`.execute(trx)
  return rows
}

/** The alarms of which it tells that nobody has acknowledged them. */
export async function listEscalated(trx: Trx, told: Told): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT DISTINCT i.subject_id AS id FROM notify_item i
    WHERE ${toldBy(told)} AND i.event = 'escalated'`.execute(trx)
  return rows.map(({ id }) => id)
}

/** Forgets of a message what escalations told that are over by now. */
export async function forgetEnded(trx: Trx, told: Told): Promise<void> {
  await sql`
    DELETE FROM notify_item i WHERE ${toldBy(told)} AND i.event = 'escalated'
      AND NOT EXISTS (SELECT FROM notify_escalation x WHERE ${runOf} AND x.ended_at IS NULL)`.execute(trx)
}

/** Forgets what waits, or would be tried again, of rules that are deleted. */
export async function forgetRuleless(trx: Trx, told: Told): Promise<void> {
  await sql`DELETE FROM notify_item i WHERE ${toldBy(told)} AND i.rule_id IS NULL`.execute(trx)
}

/** An item `i` is about no device of the scope. */
const isBeyond = (scope: DataScope) => sql`NOT CASE i.subject_kind
  WHEN 'upgrade' THEN EXISTS (
    SELECT FROM upgrade_target t JOIN device d ON d.id = t.device_id
    WHERE t.task_id = i.subject_id AND ${deviceWithinScope(scope)})
  WHEN 'batch' THEN EXISTS (
    SELECT FROM parameter_target t JOIN device d ON d.id = t.device_id
    WHERE t.batch_id = i.subject_id AND ${deviceWithinScope(scope)})
  ELSE EXISTS (SELECT FROM device d WHERE d.id = i.device_id AND ${deviceWithinScope(scope)}) END`

/** The items `i` of it that these pairs tell. */
const toldByPairs = (told: Told, pairs: readonly WaitingPair[]) => sql`${toldBy(told)} AND EXISTS (
  SELECT FROM unnest(
    ${pairs.map(({ kind }) => kind)}::text[], ${pairs.map(({ ruleId }) => ruleId)}::int[],
    ${pairs.map(({ userId }) => userId ?? 0)}::int[], ${pairs.map(({ runBy }) => runBy)}::int[],
    ${pairs.map(({ runIn }) => runIn)}::int[]
  ) AS p (kind, rule_id, user_id, run_by, run_in)
  WHERE p.kind = i.subject_kind AND p.rule_id = i.rule_id AND p.user_id = coalesce(i.user_id, 0)
    AND (p.run_by IS NULL OR EXISTS (
      SELECT FROM notify_escalation x
      WHERE ${runOf} AND x.decided_by = p.run_by AND x.decided_in IS NOT DISTINCT FROM p.run_in)))`

/**
 * Forgets what these pairs tell about devices that are out of the scope by now; with no scope, all that they tell.
 */
export async function forgetBeyond(
  trx: Trx,
  told: Told,
  pairs: readonly WaitingPair[],
  scope: DataScope | null,
): Promise<void> {
  const beyond = scope ? isBeyond(scope) : sql`true`
  await sql`DELETE FROM notify_item i WHERE ${toldByPairs(told, pairs)} AND ${beyond}`.execute(trx)
}

/**
 * Has these pairs tell of tasks with the number of devices that `counted` says of each by now; where there is none any
 * more, not at all. What a message under way says otherwise waits for another one.
 */
export async function recountTasks(
  trx: Trx,
  told: Told,
  pairs: readonly WaitingPair[],
  counted: RawBuilder<number>,
): Promise<void> {
  const isOfPairs = toldByPairs(told, pairs)
  await sql`DELETE FROM notify_item i WHERE ${isOfPairs} AND ${counted} = 0`.execute(trx)
  await sql`
    UPDATE notify_item x SET value = n.count, delivery_id = NULL,
      what = regexp_replace(x.what, '^(.*)（' || x.value || ' 台）', '\\1（' || n.count || ' 台）')
    FROM (SELECT i.id, ${counted} AS count FROM notify_item i WHERE ${isOfPairs}) n
    WHERE x.id = n.id AND x.value <> n.count`.execute(trx)
}

/** Forgets alarms that are kept quiet now: when they are not any more, they are found again. */
export async function forgetQuiet(trx: Trx, told: Told, isQuiet: RawBuilder<SqlBool>): Promise<void> {
  await sql`
    DELETE FROM notify_item i WHERE ${toldBy(told)} AND i.event IN ('raised', 'levelRaised', 'returned', 'escalated')
      AND i.subject_id IN (SELECT episode_id FROM alarm_state WHERE is_active AND ${isQuiet})`.execute(trx)
}

/**
 * Gives up a message of which an alarm was forgotten, and has the others wait again. Returns whether it did: a message
 * says the same in every attempt, or is another one.
 */
export async function takeApart(trx: Trx, deliveryId: string, reason: string): Promise<boolean> {
  const { rows } = await sql`
    UPDATE notify_delivery y SET state = 'givenUp', retry_at = NULL, provider_code = 'SCOPE', provider_message = ${reason}
    WHERE y.id = ${deliveryId}
      AND y.alarm_count > (
        SELECT count(DISTINCT (i.subject_kind, i.subject_id)) FROM notify_item i
        WHERE i.delivery_id = y.id AND i.event <> 'repeated')
    RETURNING 1`.execute(trx)
  if (rows.length === 0) return false
  // What came again after it is found again, and told with it.
  await sql`DELETE FROM notify_item WHERE delivery_id = ${deliveryId} AND event = 'repeated'`.execute(trx)
  await sql`UPDATE notify_item SET delivery_id = NULL WHERE delivery_id = ${deliveryId}`.execute(trx)
  return true
}

export interface WaitingItem {
  id: string
  ruleId: number | null
  userId: number | null
  userName: string | null
  kind: SubjectKind
  /** Of alarms the episode. */
  subjectId: string
  repeats: number
  event: NotifyEvent
  level: number | null
  what: string
  deviceCode: string
  deviceName: string | null
  place: string
  at: Date
}

/**
 * What is told, the gravest and newest first; `isCriticalOnly`: of level 1 alone. An alarm that several
 * rules want told is there once for each.
 */
export async function listWaiting(
  trx: Trx,
  told: Told,
  isCriticalOnly: boolean,
  limit: number,
): Promise<WaitingItem[]> {
  const { rows } = await sql<WaitingItem>`
    SELECT i.id, i.rule_id AS "ruleId", i.user_id AS "userId", i.user_name AS "userName", i.subject_kind AS kind, i.subject_id AS "subjectId", i.repeats, i.event, i.level, i.what,
      i.device_code AS "deviceCode", i.device_name AS "deviceName", i.place, i.at
    FROM notify_item i
    WHERE ${toldBy(told)} AND (NOT ${isCriticalOnly} OR (i.event <> 'recovered' AND i.level = 1))
    ORDER BY i.event = 'recovered', i.subject_kind <> 'alarm', i.level NULLS LAST, i.at DESC, i.id DESC LIMIT ${limit}`.execute(
    trx,
  )
  return rows
}

export interface NewDelivery {
  channel: Pick<DueChannel, 'id' | 'name' | 'kind'>
  ruleNames: string[]
  decidedBy: number[]
  decidedIn: number[]
  title: string
  message: unknown
  alarmCount: number
  itemIds: string[]
  /** The people who are told; none where the channel's own receivers are. */
  people: { id: number; name: string }[]
}

/** Writes a message that is about to be sent for the first time; returns its id. */
export async function insertDelivery(trx: Trx, delivery: NewDelivery): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    INSERT INTO notify_delivery (channel_id, channel_name, kind, rule_names, decided_by, decided_in, state, title,
      message, alarm_count, attempts, user_ids, user_names)
    VALUES (${delivery.channel.id}, ${delivery.channel.name}, ${delivery.channel.kind}, ${delivery.ruleNames}::text[],
      ${delivery.decidedBy}::int[], ${delivery.decidedIn}::int[], 'sending', ${delivery.title},
      ${JSON.stringify(delivery.message)}::jsonb, ${delivery.alarmCount}, 1,
      ${delivery.people.map(({ id }) => id)}::int[], ${delivery.people.map(({ name }) => name)}::text[])
    RETURNING id`.execute(trx)
  const [row] = rows
  if (!row) throw new Error('an insert returns its row')
  await sql`UPDATE notify_item SET delivery_id = ${row.id} WHERE id = ANY(${delivery.itemIds}::int8[])`.execute(
    trx,
  )
  return row.id
}

export async function beginAttempt(trx: Trx, deliveryId: string): Promise<void> {
  await sql`
    UPDATE notify_delivery SET state = 'sending', retry_at = NULL, attempts = attempts + 1
    WHERE id = ${deliveryId}`.execute(trx)
}

/** Keeps the channel for one message, from now on and not from when the transaction began. */
export async function occupyChannel(trx: Trx, id: number, leaseMs: number): Promise<void> {
  await sql`
    UPDATE notify_channel SET busy_until = clock_timestamp() + ${leaseMs} * interval '1 ms',
      next_at = clock_timestamp() + ${leaseMs} * interval '1 ms'
    WHERE id = ${id}`.execute(trx)
}

/** Null: nothing waits. */
export async function rescheduleChannel(trx: Trx, id: number, at: Date | null): Promise<void> {
  await sql`UPDATE notify_channel SET next_at = ${at} WHERE id = ${id}`.execute(trx)
}

/** When the channel has something to send again: a retry or an item that is due. */
export async function readNextDue(trx: Trx, id: number): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    SELECT least(
      (SELECT min(coalesce(d.retry_at, now())) FROM notify_delivery d
        WHERE d.channel_id = ${id} AND d.state IN ('sending', 'retrying')),
      (SELECT min(i.due_at) FROM notify_item i
        WHERE i.channel_id = ${id} AND i.delivery_id IS NULL AND i.over_at IS NULL)
    ) AS at`.execute(trx)
  return rows[0]?.at ?? null
}

/** What came of an attempt: of the message, and of the channel, which is free again. */
export async function writeResult(
  trx: Trx,
  { channelId, deliveryId }: { channelId: number; deliveryId: string },
  result: SendResult,
  retryAt: Date | null,
): Promise<void> {
  const isDelivered = result.kind === 'delivered'
  const state = isDelivered ? 'delivered' : retryAt ? 'retrying' : 'givenUp'
  await sql`
    UPDATE notify_delivery SET state = ${state}, retry_at = ${retryAt}, provider_code = ${result.code},
      provider_message = ${result.message}, sent_at = CASE WHEN ${isDelivered} THEN now() END
    WHERE id = ${deliveryId}`.execute(trx)
  await sql`
    UPDATE notify_channel SET busy_until = NULL,
      last_delivered_at = CASE WHEN ${isDelivered} THEN now() ELSE last_delivered_at END,
      last_error = ${isDelivered ? null : result.message},
      paused_until = CASE WHEN ${result.pauseMs ?? 0} > 0 THEN now() + ${result.pauseMs ?? 0} * interval '1 ms' END
    WHERE id = ${channelId}`.execute(trx)
}

export interface Failing {
  isCritical: boolean
  /** Whether another channel may tell it. */
  hasOther: boolean
}

/** The channels that may tell an item `i` instead: of a person the next of the person's own, else that of the rule. */
const othersOf = sql`
  SELECT 1 AS rank, c.id, i.user_id, i.user_name FROM (
    SELECT k.channel_id FROM notify_contact k
    JOIN app_user u ON u.id = k.user_id
    JOIN notify_channel c ON c.id = k.channel_id
    WHERE k.user_id = i.user_id AND u.is_enabled AND c.is_enabled AND NOT EXISTS (
      SELECT FROM notify_item x
      WHERE x.subject_id = i.subject_id AND x.rule_id = i.rule_id AND x.channel_id = k.channel_id
        AND x.event = i.event AND x.turn = i.turn AND x.user_id = i.user_id)
    ORDER BY k.channel_id LIMIT 1
  ) own JOIN notify_channel c ON c.id = own.channel_id
  UNION ALL
  SELECT 2, c.id, NULL, NULL FROM notify_rule_target t JOIN notify_channel c ON c.id = t.channel_id
  WHERE t.rule_id = i.rule_id AND t.step = ${sql.lit(fallbackStep)} AND c.is_enabled AND c.id <> i.channel_id
    AND NOT i.is_fallback`

export async function readFailing(trx: Trx, deliveryId: string): Promise<Failing> {
  const { rows } = await sql<Failing>`
    SELECT coalesce(bool_or(i.event <> 'recovered' AND i.level = 1), false) AS "isCritical",
      coalesce(bool_or(EXISTS (${othersOf})), false) AS "hasOther"
    FROM notify_item i WHERE i.delivery_id = ${deliveryId}`.execute(trx)
  return rows[0] ?? { isCritical: false, hasOther: false }
}

/** The quiet hours of the rules by which a message tells. */
export async function listQuietHours(
  trx: Trx,
  deliveryId: string,
): Promise<{ ruleId: number; from: string | null; to: string | null }[]> {
  const { rows } = await sql<{ ruleId: number; from: string | null; to: string | null }>`
    SELECT DISTINCT r.id AS "ruleId", r.quiet_from AS from, r.quiet_to AS to
    FROM notify_item i JOIN notify_rule r ON r.id = i.rule_id
    WHERE i.delivery_id = ${deliveryId} AND r.is_enabled`.execute(trx)
  return rows
}

/**
 * Has other channels tell what a message could not, once each: alarms that last, and recoveries where the alarm was told
 * by the other channel, too. Returns these channels, whose names the message keeps.
 */
export async function passOn(trx: Trx, deliveryId: string, { ruleIds, dueAt }: DueByRule): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    WITH failed AS MATERIALIZED (
      SELECT i.* FROM notify_item i
      WHERE i.delivery_id = ${deliveryId} AND (i.is_open OR i.event NOT IN ('raised', 'deviceOffline'))
        AND i.event <> 'repeated' AND (i.user_id IS NULL OR NOT EXISTS (
        SELECT FROM notify_item x JOIN notify_delivery y ON y.id = x.delivery_id
        WHERE x.subject_id = i.subject_id AND x.rule_id = i.rule_id AND x.event = i.event AND x.turn = i.turn
          AND x.user_id = i.user_id AND y.state = 'delivered'))
    ), passed AS (
      INSERT INTO notify_item (rule_id, channel_id, user_id, user_name, subject_id, event, turn, unless, level, what,
        device_id, device_code, device_name, place, at, subject_kind, code, value, repeats, due_at, is_open, is_fallback)
      SELECT i.rule_id, o.id, o.user_id, o.user_name, i.subject_id, i.event, i.turn, i.unless, i.level, i.what,
        i.device_id, i.device_code, i.device_name, i.place, i.at, i.subject_kind, i.code, i.value, i.repeats,
        CASE WHEN i.level = 1 AND i.event <> 'recovered' THEN now() ELSE w.due_at END, i.is_open, true
      FROM failed i
      JOIN unnest(${ruleIds}::int[], ${dueAt.map((at) => at.toISOString())}::timestamptz[]) AS w (rule_id, due_at)
        ON w.rule_id = i.rule_id
      CROSS JOIN LATERAL (${othersOf} ORDER BY rank LIMIT 1) o
      WHERE i.event NOT IN ('recovered', 'deviceOnline') OR EXISTS (
        SELECT FROM notify_item x WHERE x.subject_id = i.subject_id AND x.rule_id = i.rule_id AND x.channel_id = o.id
          AND x.event IN ('raised', 'repeated', 'deviceOffline'))
      ON CONFLICT DO NOTHING
      RETURNING channel_id
    ), named AS (
      SELECT c.id, c.name FROM notify_channel c WHERE c.id IN (SELECT channel_id FROM passed)
    ), kept AS (
      UPDATE notify_delivery SET passed_to = ARRAY(SELECT name FROM named ORDER BY id)
      WHERE id = ${deliveryId} AND EXISTS (SELECT FROM named)
    )
    SELECT id FROM named ORDER BY id`.execute(trx)
  return rows.map(({ id }) => id)
}

/** Deletes messages with their items, and items that nobody was told, of before the moment. */
export const deleteDeliveries = deletingOld(({ db, before, limit }) =>
  sql`
    DELETE FROM notify_delivery WHERE id IN (
      SELECT id FROM notify_delivery WHERE created_at < ${before} AND state IN ('delivered', 'givenUp') LIMIT ${limit})`.execute(
    db,
  ),
)

/** That of the user who gets the message, as of now; undefined of one who is gone. */
export async function languageOfUser(db: Db, id: number): Promise<Language | undefined> {
  const user = await db.selectFrom('app_user').select('language').where('id', '=', id).executeTakeFirst()
  return user && (user.language === 'en' ? 'en' : 'zh')
}
