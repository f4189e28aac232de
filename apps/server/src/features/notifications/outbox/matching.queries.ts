// SQL that finds the alarms that a rule is about, and writes down what is to be told of them.
import type { NotifyEvent } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { deviceJoins, meaningOf, type PlaceFilter, passes } from '../../../domain/history/index.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import type { RuleFilter } from '../rules/rules.queries.ts'

/** A rule that is on with one of its channels that is on. */
export interface RulePair {
  ruleId: number
  channelId: number
  events: NotifyEvent[]
  alarmLevels: number[]
  filter: RuleFilter
  groupWaitS: number
  quietFrom: string | null
  quietTo: string | null
  enabledAt: Date
  ruleBy: number
  ruleByName: string
  ruleIn: number | null
  channelBy: number
  channelByName: string
  channelIn: number | null
}

export async function listRulePairs(db: Db): Promise<RulePair[]> {
  const { rows } = await sql<RulePair>`
    SELECT r.id AS "ruleId", c.id AS "channelId", r.events, r.alarm_levels AS "alarmLevels", r.filter,
      r.group_wait_s AS "groupWaitS", r.quiet_from AS "quietFrom", r.quiet_to AS "quietTo",
      r.enabled_at AS "enabledAt",
      r.decided_by AS "ruleBy", r.decided_by_name AS "ruleByName", r.decided_in AS "ruleIn",
      c.decided_by AS "channelBy", c.decided_by_name AS "channelByName", c.decided_in AS "channelIn"
    FROM notify_rule r JOIN notify_rule_channel rc ON rc.rule_id = r.id JOIN notify_channel c ON c.id = rc.channel_id
    WHERE r.is_enabled AND c.is_enabled
    ORDER BY r.id, c.id`.execute(db)
  return rows
}

/**
 * Which alarms are looked at: episodes by id; or, where notices may have been lost, all that began since then or were
 * left by a shelf.
 */
export type Looked = { ids: readonly string[] } | { since: Date }

const lookedAt = (looked: Looked) =>
  'ids' in looked
    ? sql`s.episode_id = ANY(${looked.ids}::int8[])`
    : sql`s.is_active AND (s.occurred_at > ${looked.since} OR s.episode_id IN (
        SELECT c.episode_id FROM alarm_shelf_cover c WHERE c.until > ${looked.since} AND c.until <= now()))`

/**
 * Writes down the active alarms of the filter that are not written down yet, at most `limit`; returns how many. The
 * repeated look changes nothing. `isTold`: the condition on those that nobody keeps quiet.
 */
export async function insertRaised(
  trx: Trx,
  { ruleId, channelId }: Pick<RulePair, 'ruleId' | 'channelId'>,
  filter: PlaceFilter & { codes: readonly string[] | null },
  isTold: RawBuilder<SqlBool>,
  looked: Looked,
  due: { critical: Date; others: Date },
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ found: number }>`
    WITH found AS MATERIALIZED (
      SELECT s.episode_id, s.device_id, s.semaphore_code, s.value, s.occurred_at FROM alarm_state s
      WHERE ${lookedAt(looked)} AND s.is_active AND ${passes(filter)} AND ${isTold}
        AND NOT EXISTS (
          SELECT FROM notify_item i
          WHERE i.episode_id = s.episode_id AND i.rule_id = ${ruleId} AND i.channel_id = ${channelId}
            AND i.event = 'raised')
      LIMIT ${limit}
    ), written AS (
      INSERT INTO notify_item (rule_id, channel_id, episode_id, event, level, what, device_id, device_code, device_name,
        place, at, due_at, is_open)
      SELECT ${ruleId}, ${channelId}, s.episode_id, 'raised', e.alarm_level,
        concat_ws(' · ', coalesce(e.name, s.semaphore_code), ${meaningOf(sql`s.value`)}), d.id, d.code, d.name,
        concat_ws(' ', r.full_name, d.address), s.occurred_at,
        CASE WHEN e.alarm_level = 1 THEN ${due.critical}::timestamptz ELSE ${due.others}::timestamptz END, true
      FROM found s ${deviceJoins(sql`s.device_id`)}
      LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code
      ON CONFLICT DO NOTHING
    )
    SELECT count(*)::int AS found FROM found`.execute(trx)
  return rows[0]?.found ?? 0
}

/**
 * Of the raised alarms that nobody has seen recover, those that have by now: untold ones are forgotten, told ones get
 * their recovery written down where the rule wants it. Returns the channels with something new to tell.
 */
export async function settleRecovered(
  trx: Trx,
  ids: readonly string[] | null,
  limit: number,
): Promise<{ count: number; channelIds: number[] }> {
  const { rows } = await sql<{ count: number; channelIds: number[] }>`
    WITH over AS MATERIALIZED (
      SELECT i.id, i.delivery_id, s.recovered_at FROM notify_item i
      LEFT JOIN alarm_state s ON s.episode_id = i.episode_id
      WHERE i.is_open AND (${ids}::int8[] IS NULL OR i.episode_id = ANY(${ids}::int8[]))
        AND s.is_active IS NOT TRUE
      ORDER BY i.id LIMIT ${limit} FOR UPDATE OF i
    ), forgotten AS (
      DELETE FROM notify_item i USING over WHERE i.id = over.id AND over.delivery_id IS NULL
    ), closed AS (
      UPDATE notify_item i SET is_open = false FROM over
      WHERE i.id = over.id AND over.delivery_id IS NOT NULL
      RETURNING i.*, over.recovered_at
    ), written AS (
      INSERT INTO notify_item (rule_id, channel_id, episode_id, event, level, what, device_id, device_code, device_name,
        place, at, due_at, is_open)
      SELECT c.rule_id, c.channel_id, c.episode_id, 'recovered', c.level, c.what, c.device_id, c.device_code,
        c.device_name, c.place, coalesce(c.recovered_at, now()), now() + r.group_wait_s * interval '1 s', false
      FROM closed c JOIN notify_rule r ON r.id = c.rule_id
      WHERE r.is_enabled AND 'recovered' = ANY(r.events)
      ON CONFLICT DO NOTHING
      RETURNING channel_id
    )
    SELECT (SELECT count(*)::int FROM over) AS count,
      ARRAY(SELECT DISTINCT channel_id FROM written ORDER BY channel_id) AS "channelIds"`.execute(trx)
  return rows[0] ?? { count: 0, channelIds: [] }
}

/** Has the queue look at the channels when their earliest item is due. */
export async function scheduleChannels(trx: Trx, channelIds: readonly number[]): Promise<void> {
  await sql`
    UPDATE notify_channel c SET next_at = least(c.next_at, w.due_at)
    FROM (
      SELECT i.channel_id, min(i.due_at) AS due_at FROM notify_item i
      WHERE i.channel_id = ANY(${channelIds}::int[]) AND i.delivery_id IS NULL
      GROUP BY i.channel_id
    ) w
    WHERE c.id = w.channel_id AND c.is_enabled AND (c.next_at IS NULL OR w.due_at < c.next_at)`.execute(trx)
}
