// SQL that finds the alarms that a rule is about, and writes down what is to be told of them.
import type { RuleEvent } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { deviceJoins, meaningOf, type PlaceFilter, passes } from '../../../domain/history/index.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import type { Chain, Unless } from '../escalations/escalations.states.ts'
import type { RuleFilter } from '../rules/rules.queries.ts'
import type { Receiver } from '../targets/targets.queries.ts'

/** A rule that is on. */
export interface MatchedRule {
  ruleId: number
  organizationId: number
  events: RuleEvent[]
  alarmLevels: number[]
  filter: RuleFilter
  steps: { afterMinutes: number; unless: Unless }[]
  repeatS: number
  groupWaitS: number
  quietFrom: string | null
  quietTo: string | null
  enabledAt: Date
  ruleBy: number
  ruleByName: string
  ruleIn: number | null
}

export async function listEnabledRules(db: Db): Promise<MatchedRule[]> {
  const { rows } = await sql<MatchedRule>`
    SELECT r.id AS "ruleId", r.organization_id AS "organizationId", r.events, r.alarm_levels AS "alarmLevels", r.filter,
      r.steps, r.repeat_s AS "repeatS", r.group_wait_s AS "groupWaitS", r.quiet_from AS "quietFrom",
      r.quiet_to AS "quietTo", r.enabled_at AS "enabledAt", r.decided_by AS "ruleBy",
      r.decided_by_name AS "ruleByName", r.decided_in AS "ruleIn"
    FROM notify_rule r WHERE r.is_enabled ORDER BY r.id`.execute(db)
  return rows
}

/** Which alarms a rule is about: within its filter and a scope, and kept quiet by nobody (`isTold`). */
export type Matched = PlaceFilter & { codes: readonly string[] | null; isTold: RawBuilder<SqlBool> }

const isMatched = ({ isTold, ...filter }: Matched) => sql`s.is_active AND ${passes(filter)} AND ${isTold}`

/** The active alarms of the filter that began since then, or that a shelf has left, and that the rule has told nobody yet. */
export async function listUntold(
  db: Db,
  ruleId: number,
  filter: Matched,
  since: Date,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string | null }>`
    SELECT s.episode_id AS id FROM alarm_state s
    WHERE ${isMatched(filter)}
      AND (s.occurred_at > ${since} OR s.episode_id IN (
        SELECT c.episode_id FROM alarm_shelf_cover c WHERE c.until > ${since} AND c.until <= now()))
      AND NOT EXISTS (
        SELECT FROM notify_item i WHERE i.subject_id = s.episode_id AND i.rule_id = ${ruleId} AND i.event = 'raised')
      AND NOT EXISTS (
        SELECT FROM notify_escalation x WHERE x.episode_id = s.episode_id AND x.rule_id = ${ruleId})
    ORDER BY s.episode_id LIMIT ${limit}`.execute(db)
  return rows.flatMap(({ id }) => id ?? [])
}

/**
 * Writes down those of the alarms that are active, of the filter, and not written down yet. The repeated look changes
 * nothing; and what the rule told in an earlier one is not told to others who come later, such as a channel that was
 * added or whoever is on duty after a handover. Returns how many.
 */
export async function insertRaised(
  trx: Trx,
  { ruleId, now, due }: { ruleId: number; now: Date; due: { critical: Date; others: Date } },
  { channelId, userId, userName }: Receiver,
  filter: Matched,
  ids: readonly string[],
): Promise<number> {
  const { rows } = await sql<{ found: number }>`
    WITH found AS MATERIALIZED (
      SELECT s.episode_id, s.device_id, s.semaphore_code, s.value, s.occurred_at FROM alarm_state s
      WHERE s.episode_id = ANY(${ids}::int8[]) AND ${isMatched(filter)}
        AND NOT EXISTS (
          SELECT FROM notify_item i
          WHERE i.subject_id = s.episode_id AND i.rule_id = ${ruleId} AND i.event = 'raised'
            AND (i.created_at < ${now}
              OR (i.channel_id = ${channelId} AND coalesce(i.user_id, 0) = coalesce(${userId}::int, 0))))
        AND NOT EXISTS (
          SELECT FROM notify_escalation x
          WHERE x.episode_id = s.episode_id AND x.rule_id = ${ruleId} AND x.began_at < ${now})
    ), written AS (
      INSERT INTO notify_item (rule_id, channel_id, user_id, user_name, subject_id, event, level, what, device_id,
        device_code, device_name, place, at, created_at, due_at, is_open)
      SELECT ${ruleId}, ${channelId}, ${userId}, ${userName}, s.episode_id, 'raised', e.alarm_level,
        concat_ws(' · ', coalesce(e.name, s.semaphore_code), ${meaningOf(sql`s.value`)}), d.id, d.code, d.name,
        concat_ws(' ', r.full_name, d.address), s.occurred_at, ${now},
        CASE WHEN e.alarm_level = 1 THEN ${due.critical}::timestamptz ELSE ${due.others}::timestamptz END, true
      FROM found s ${deviceJoins(sql`s.device_id`)}
      LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code
      ORDER BY s.episode_id
      ON CONFLICT DO NOTHING
    )
    SELECT count(*)::int AS found FROM found`.execute(trx)
  return rows[0]?.found ?? 0
}

/**
 * Begins an escalation for each of the alarms that is active, of the filter, and of which the rule knows nothing yet;
 * returns how many. Alarms of before the rule had steps are known to it by what it told.
 */
export async function insertRuns(
  trx: Trx,
  { ruleId, ruleBy, ruleByName, ruleIn }: MatchedRule,
  { chain, now, nextAt }: { chain: Chain; now: Date; nextAt: Date },
  filter: Matched,
  ids: readonly string[],
): Promise<number> {
  const { rows } = await sql`
    INSERT INTO notify_escalation (rule_id, episode_id, began_at, chain, decided_by, decided_by_name, decided_in, next_at)
    SELECT ${ruleId}, s.episode_id, ${now}, ${JSON.stringify(chain)}::jsonb, ${ruleBy}, ${ruleByName}, ${ruleIn}, ${nextAt}
    FROM alarm_state s
    WHERE s.episode_id = ANY(${ids}::int8[]) AND ${isMatched(filter)}
      AND NOT EXISTS (
        SELECT FROM notify_escalation x WHERE x.episode_id = s.episode_id AND x.rule_id = ${ruleId})
      AND NOT EXISTS (
        SELECT FROM notify_item i
        WHERE i.subject_id = s.episode_id AND i.rule_id = ${ruleId} AND i.event = 'raised')
    ORDER BY s.episode_id
    ON CONFLICT DO NOTHING
    RETURNING 1`.execute(trx)
  return rows.length
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
      LEFT JOIN alarm_state s ON s.episode_id = i.subject_id
      WHERE i.is_open AND (${ids}::int8[] IS NULL OR i.subject_id = ANY(${ids}::int8[]))
        AND s.is_active IS NOT TRUE
      ORDER BY i.id LIMIT ${limit} FOR UPDATE OF i
    ), forgotten AS (
      DELETE FROM notify_item i USING over WHERE i.id = over.id AND over.delivery_id IS NULL
    ), closed AS (
      UPDATE notify_item i SET is_open = false FROM over
      WHERE i.id = over.id AND over.delivery_id IS NOT NULL
      RETURNING i.*, over.recovered_at
    ), written AS (
      INSERT INTO notify_item (rule_id, channel_id, user_id, user_name, subject_id, event, level, what, device_id,
        device_code, device_name, place, at, due_at, is_open)
      SELECT c.rule_id, c.channel_id, c.user_id, c.user_name, c.subject_id, 'recovered', c.level, c.what, c.device_id, c.device_code,
        c.device_name, c.place, coalesce(c.recovered_at, now()), now() + r.group_wait_s * interval '1 s', false
      FROM closed c JOIN notify_rule r ON r.id = c.rule_id
      WHERE r.is_enabled AND 'recovered' = ANY(r.events) AND NOT EXISTS (
        SELECT FROM notify_delivery y WHERE y.id = c.delivery_id AND y.state = 'givenUp')
      ON CONFLICT DO NOTHING
      RETURNING channel_id
    )
    SELECT (SELECT count(*)::int FROM over) AS count,
      ARRAY(SELECT DISTINCT channel_id FROM written ORDER BY channel_id) AS "channelIds"`.execute(trx)
  return rows[0] ?? { count: 0, channelIds: [] }
}

/** Has the queue look at these channels, or at all, when their earliest item is due. */
export async function scheduleChannels(trx: Trx, channelIds: readonly number[] | null): Promise<void> {
  await sql`
    UPDATE notify_channel c SET next_at = least(c.next_at, w.due_at)
    FROM (
      SELECT i.channel_id, min(i.due_at) AS due_at FROM notify_item i
      WHERE (${channelIds}::int[] IS NULL OR i.channel_id = ANY(${channelIds}::int[])) AND i.delivery_id IS NULL
      GROUP BY i.channel_id
    ) w
    WHERE c.id = w.channel_id AND c.is_enabled AND (c.next_at IS NULL OR w.due_at < c.next_at)`.execute(trx)
}
