// SQL that finds the alarms that a rule is about, and writes down what is to be told of them.
import { alarmLevels, type RuleEvent } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { deviceJoins, meaningOf, type PlaceFilter, passes } from '../../../domain/history/index.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import type { Chain, Unless } from '../escalations/escalations.states.ts'
import { troubleMs } from '../rules/quiet-hours.ts'
import type { RuleFilter } from '../rules/rules.queries.ts'
import { type Receiver, receiverRows } from '../targets/targets.queries.ts'

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
  offlineMinutes: number
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
      r.steps, r.repeat_s AS "repeatS", r.group_wait_s AS "groupWaitS",
      r.offline_minutes AS "offlineMinutes", r.quiet_from AS "quietFrom",
      r.quiet_to AS "quietTo", r.enabled_at AS "enabledAt", r.decided_by AS "ruleBy",
      r.decided_by_name AS "ruleByName", r.decided_in AS "ruleIn"
    FROM notify_rule r WHERE r.is_enabled ORDER BY r.id`.execute(db)
  return rows
}

/** What alarms have in common with rules about them: of each kind all that one of them has, with what it lies in. */
export interface About {
  organizationIds: ReadonlySet<number>
  operatorIds: ReadonlySet<number>
  equipTypeIds: ReadonlySet<number>
  modelIds: ReadonlySet<number>
  regionCodes: ReadonlySet<string>
  codes: ReadonlySet<string>
  levels: ReadonlySet<number>
}

/** Of these alarms, those that are active. */
export async function readAbout(db: Db, ids: readonly string[]): Promise<About> {
  const { rows } = await sql<{ [Kind in keyof About]: Parameters<About[Kind]['has']>[0][] }>`
    WITH RECURSIVE looked AS MATERIALIZED (
      SELECT DISTINCT operator_id, model_id, region_id, semaphore_code FROM alarm_state
      WHERE is_active AND episode_id = ANY(${ids}::int8[])
    ), tree AS (
      SELECT o.id, o.parent_id FROM operator p JOIN organization o ON o.id = p.organization_id
      WHERE p.id IN (SELECT operator_id FROM looked)
      UNION
      SELECT o.id, o.parent_id FROM tree t JOIN organization o ON o.id = t.parent_id
    ), place AS (
      SELECT r.code, r.parent_id FROM region r WHERE r.id IN (SELECT region_id FROM looked)
      UNION
      SELECT r.code, r.parent_id FROM place p JOIN region r ON r.id = p.parent_id
    )
    SELECT ARRAY(SELECT id FROM tree) AS "organizationIds",
      ARRAY(SELECT DISTINCT operator_id FROM looked) AS "operatorIds",
      ARRAY(SELECT DISTINCT m.equip_type_id FROM equip_model m WHERE m.id IN (SELECT model_id FROM looked))
        AS "equipTypeIds",
      ARRAY(SELECT DISTINCT model_id FROM looked) AS "modelIds",
      ARRAY(SELECT code FROM place) AS "regionCodes",
      ARRAY(SELECT DISTINCT semaphore_code FROM looked) AS codes,
      ARRAY(
        SELECT DISTINCT e.alarm_level::int FROM dictionary_entry e
        WHERE e.type = 'ALARM' AND e.code IN (SELECT semaphore_code FROM looked) AND e.alarm_level IS NOT NULL
      ) AS levels`.execute(db)
  const row = rows[0]
  return {
    organizationIds: new Set(row?.organizationIds),
    operatorIds: new Set(row?.operatorIds),
    equipTypeIds: new Set(row?.equipTypeIds),
    modelIds: new Set(row?.modelIds),
    regionCodes: new Set(row?.regionCodes),
    codes: new Set(row?.codes),
    levels: new Set(row?.levels),
  }
}

/** False: the rule is about none of them, whatever its owner sees. Each part is asked by itself, so true says little. */
export function mayBeAbout({ ruleIn, filter, alarmLevels: wanted }: MatchedRule, about: About): boolean {
  const has = (ids: ReadonlySet<number>, id: string | undefined) => !id || ids.has(Number(id))
  return (
    (ruleIn === null || about.organizationIds.has(ruleIn)) &&
    has(about.organizationIds, filter.organizationId) &&
    has(about.operatorIds, filter.operatorId) &&
    has(about.equipTypeIds, filter.equipTypeId) &&
    has(about.modelIds, filter.equipModelId) &&
    (!filter.regionCode || about.regionCodes.has(filter.regionCode)) &&
    (filter.semaphoreCode?.some((code) => about.codes.has(code)) ?? true) &&
    (wanted.length === alarmLevels.length || wanted.some((level) => about.levels.has(level)))
  )
}

/** Something at a place that users see or do not see. */
export interface Placed {
  id: string
  operatorId: number
  equipTypeId: number
  regionId: number
}

/** Which alarms a rule is about: within its filter and a scope, and kept quiet by nobody (`isTold`). */
export type Matched = PlaceFilter & { codes: readonly string[] | null; isTold: RawBuilder<SqlBool> }

/** The rule's escalation `x` of an alarm `s` that a shelf has ended: it begins anew when the shelf has left the alarm. */
const hasShelvedRun = (ruleId: number) => sql`EXISTS (
  SELECT FROM notify_escalation x
  WHERE x.episode_id = s.episode_id AND x.rule_id = ${ruleId} AND x.end_reason = 'shelved')`

/** One that goes on, or that has ended by itself: the rule knows the alarm. */
const hasRun = (ruleId: number) => sql`EXISTS (
  SELECT FROM notify_escalation x
  WHERE x.episode_id = s.episode_id AND x.rule_id = ${ruleId} AND x.end_reason IS DISTINCT FROM 'shelved')`

/** Written down as raised, told or not. */
const isRaised = (ruleId: number) => sql`EXISTS (
  SELECT FROM notify_item i
  WHERE i.subject_id = s.episode_id AND i.rule_id = ${ruleId} AND i.event IN ('raised', 'repeated')
    AND i.subject_kind = 'alarm')`

const isMatched = ({ isTold, ...filter }: Matched) => sql`s.is_active AND ${passes(filter)} AND ${isTold}`

/**
 * The active alarms of the filter, of these or of those that began since then or that a shelf has left since, that the rule
 * has told nobody yet; of a rule that `escalates` those, too, whose escalation a shelf has ended.
 */
export async function listUntold(
  db: Db,
  { ruleId, escalates }: { ruleId: number; escalates: boolean },
  filter: Matched,
  { ids, since, limit }: { ids: readonly string[] | null; since: Date; limit: number },
): Promise<Placed[]> {
  const among = ids
    ? sql`s.episode_id = ANY(${ids}::int8[])`
    : sql`(s.occurred_at > ${since} OR s.episode_id IN (
        SELECT c.episode_id FROM alarm_shelf_cover c WHERE c.until > ${since} AND c.until <= now()))`
  const { rows } = await sql<Omit<Placed, 'id'> & { id: string | null }>`
    SELECT s.episode_id AS id, s.operator_id AS "operatorId", s.region_id AS "regionId",
      (SELECT m.equip_type_id FROM equip_model m WHERE m.id = s.model_id) AS "equipTypeId"
    FROM alarm_state s
    WHERE ${isMatched(filter)} AND ${among}
      AND NOT ${hasRun(ruleId)}
      AND (NOT ${isRaised(ruleId)} OR ${escalates} AND ${hasShelvedRun(ruleId)})
    ORDER BY s.episode_id LIMIT ${limit}`.execute(db)
  return rows.flatMap(({ id, ...row }) => (id === null ? [] : { id, ...row }))
}

/**
 * Writes down for each of the receivers those of the alarms that are active, of the filter, and not written down yet. The repeated look changes
 * nothing; and what the rule told in an earlier one is not told to others who come later, such as a channel that was
 * added or whoever is on duty after a handover. Returns how many.
 *
 * The same trouble again within minutes (of the device, by code and bits) is told no second time: it counts in what was
 * told, whose recovery is not told yet; where that still waits to be told, it is told in its place.
 */
export async function insertRaised(
  trx: Trx,
  { ruleId, now, due }: { ruleId: number; now: Date; due: { critical: Date; others: Date } },
  receivers: readonly Receiver[],
  filter: Matched,
  ids: readonly string[],
): Promise<number> {
  const isOf = (
    one: string,
    other: string,
  ) => sql`${sql.ref(`${one}.channel_id`)} = ${sql.ref(`${other}.channel_id`)}
    AND coalesce(${sql.ref(`${one}.user_id`)}, 0) = coalesce(${sql.ref(`${other}.user_id`)}, 0)`
  const { rows } = await sql<{ found: number }>`
    WITH found AS MATERIALIZED (
      SELECT s.episode_id, s.device_id, s.semaphore_code, s.value, s.occurred_at FROM alarm_state s
      WHERE s.episode_id = ANY(${ids}::int8[]) AND ${isMatched(filter)}
        AND NOT EXISTS (
          SELECT FROM notify_item i
          WHERE i.subject_id = s.episode_id AND i.rule_id = ${ruleId} AND i.event IN ('raised', 'repeated')
            AND i.subject_kind = 'alarm' AND i.created_at < ${now})
        AND NOT EXISTS (
          SELECT FROM notify_escalation x
          WHERE x.episode_id = s.episode_id AND x.rule_id = ${ruleId} AND x.began_at < ${now}
            AND x.end_reason IS DISTINCT FROM 'shelved')
    ), before AS MATERIALIZED (
      SELECT DISTINCT ON (s.episode_id, i.channel_id, coalesce(i.user_id, 0)) s.episode_id, i.channel_id, i.user_id, i.id,
        i.subject_id, i.delivery_id, i.repeats, i.due_at
      FROM found s LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code
      JOIN notify_item i ON i.device_id = s.device_id AND i.code = s.semaphore_code AND i.rule_id = ${ruleId}
      LEFT JOIN notify_delivery y ON y.id = i.delivery_id
      WHERE i.event IN ('raised', 'repeated') AND i.subject_id <> s.episode_id
        AND (i.is_open OR i.over_at > s.occurred_at - ${troubleMs} * interval '1 ms')
        AND CASE WHEN e.analysis_type = 'VALUE' THEN s.value = i.value ELSE s.value & ~i.value = 0 END
        AND y.state IS DISTINCT FROM 'givenUp'
        AND NOT EXISTS (
          SELECT FROM notify_item x
          WHERE x.subject_id = i.subject_id AND x.rule_id = i.rule_id AND ${isOf('x', 'i')}
            AND x.event = 'recovered' AND x.delivery_id IS NOT NULL)
      ORDER BY s.episode_id, i.channel_id, coalesce(i.user_id, 0), i.id DESC
    ), matched AS MATERIALIZED (
      SELECT s.*, v.*, b.id AS before_id, b.subject_id AS before_subject, b.delivery_id AS told_by,
        coalesce(b.repeats, 0) + 1 AS repeats, b.due_at AS before_due
      FROM found s CROSS JOIN ${receiverRows(receivers)}
      LEFT JOIN before b ON b.episode_id = s.episode_id AND ${isOf('b', 'v')}
      WHERE NOT EXISTS (
        SELECT FROM notify_item i
        WHERE i.subject_id = s.episode_id AND i.rule_id = ${ruleId} AND ${isOf('i', 'v')}
          AND i.event IN ('raised', 'repeated') AND i.subject_kind = 'alarm')
    ), ended AS (
      UPDATE notify_item i SET is_open = false, over_at = coalesce(i.over_at, ${now})
      FROM matched m WHERE i.id = m.before_id AND m.told_by IS NOT NULL
    ), untold AS (
      DELETE FROM notify_item i USING matched m
      WHERE (i.id = m.before_id AND m.told_by IS NULL)
        OR (i.subject_id = m.before_subject AND i.rule_id = ${ruleId} AND ${isOf('i', 'm')} AND i.event = 'recovered'
          AND i.delivery_id IS NULL)
    ), written AS (
      INSERT INTO notify_item (rule_id, channel_id, user_id, user_name, subject_id, event, level, what, device_id,
        device_code, device_name, place, at, code, value, repeats, delivery_id, created_at, due_at, is_open)
      SELECT ${ruleId}, s.channel_id, s.user_id, s.user_name, s.episode_id,
        CASE WHEN s.told_by IS NULL THEN 'raised' ELSE 'repeated' END, e.alarm_level,
        concat_ws(' · ', coalesce(e.name, s.semaphore_code), ${meaningOf(sql`s.value`)}), d.id, d.code, d.name,
        concat_ws(' ', r.full_name, d.address), s.occurred_at, s.semaphore_code, s.value, s.repeats, s.told_by, ${now},
        least(s.before_due,
          CASE WHEN e.alarm_level = 1 THEN ${due.critical}::timestamptz ELSE ${due.others}::timestamptz END),
        true
      FROM matched s ${deviceJoins(sql`s.device_id`)}
      LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code
      ORDER BY s.channel_id, s.user_id NULLS FIRST, s.episode_id
      ON CONFLICT DO NOTHING
    )
    SELECT count(*)::int AS found FROM matched`.execute(trx)
  return rows[0]?.found ?? 0
}

/** When something of these rules is due that is told now, by their quiet hours. */
export interface DueByRule {
  ruleIds: readonly number[]
  dueAt: readonly Date[]
}

const dueRows = ({ ruleIds, dueAt }: DueByRule) => sql`
  unnest(${ruleIds}::int[], ${dueAt.map((at) => at.toISOString())}::timestamptz[]) AS w (rule_id, due_at)`

/** The active alarms among these, or all, that nobody keeps quiet. */
const standing = (ids: readonly string[] | null, isTold: RawBuilder<SqlBool>) => sql`
  SELECT episode_id FROM alarm_state
  WHERE is_active AND (${ids}::int8[] IS NULL OR episode_id = ANY(${ids}::int8[])) AND ${isTold}`

/**
 * Of told alarms that last, writes down those that have become graver: by level, or by a bit or value that was not told.
 * What still waits to be told says so itself. Returns the channels with something new to tell.
 */
export async function insertNews(
  trx: Trx,
  ids: readonly string[] | null,
  { due, now, isTold }: { due: DueByRule; now: Date; isTold: RawBuilder<SqlBool> },
): Promise<number[]> {
  const { rows } = await sql<{ channelId: number }>`
    WITH news AS MATERIALIZED (
      SELECT i.id, i.delivery_id, e.alarm_level AS level, w.due_at,
        CASE WHEN e.analysis_type = 'VALUE' THEN s.value ELSE s.value | i.value END AS known,
        concat_ws(' · ', coalesce(e.name, s.semaphore_code), ${meaningOf(sql`s.value`)}) AS what
      FROM notify_item i
      JOIN ${dueRows(due)} ON w.rule_id = i.rule_id
      JOIN alarm_state s ON s.episode_id = i.subject_id
      ${deviceJoins(sql`s.device_id`)}
      LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code
      WHERE i.is_open AND i.event IN ('raised', 'repeated') AND i.value IS NOT NULL
        AND i.subject_id IN (${standing(ids, isTold)})
        AND (coalesce(e.alarm_level, 9) < coalesce(i.level, 9)
          OR CASE WHEN e.analysis_type = 'VALUE' THEN s.value <> i.value ELSE s.value & ~i.value <> 0 END)
      ORDER BY i.id LIMIT ${newsAtMost} FOR UPDATE OF i
    ), known AS (
      UPDATE notify_item i SET value = n.known, level = n.level, what = n.what,
        due_at = CASE WHEN n.level = 1 AND n.delivery_id IS NULL THEN least(i.due_at, ${now}) ELSE i.due_at END
      FROM news n WHERE i.id = n.id
      RETURNING i.*, n.due_at AS news_due
    ), written AS (
      INSERT INTO notify_item (rule_id, channel_id, user_id, user_name, subject_id, event, turn, level, what, device_id,
        device_code, device_name, place, at, due_at, is_open)
      SELECT k.rule_id, k.channel_id, k.user_id, k.user_name, k.subject_id, 'levelRaised', ${now.getTime()}::int8,
        k.level, k.what, k.device_id, k.device_code, k.device_name, k.place, ${now},
        CASE WHEN k.level = 1 THEN ${now}::timestamptz ELSE k.news_due END, false
      FROM known k WHERE k.delivery_id IS NOT NULL
      ON CONFLICT DO NOTHING
    )
    SELECT DISTINCT channel_id AS "channelId" FROM known WHERE channel_id IS NOT NULL ORDER BY 1`.execute(trx)
  return rows.map(({ channelId }) => channelId)
}

const newsAtMost = 20_000

/**
 * Writes down told alarms that a shelf has left while they last, once for each time, unless somebody has acknowledged
 * them since. Returns the channels with something new to tell.
 */
export async function insertReturned(
  trx: Trx,
  ids: readonly string[] | null,
  { due, now, since, isTold }: { due: DueByRule; now: Date; since: Date; isTold: RawBuilder<SqlBool> },
): Promise<number[]> {
  const { rows } = await sql<{ channelId: number | null }>`
    INSERT INTO notify_item (rule_id, channel_id, user_id, user_name, subject_id, event, turn, level, what, device_id,
      device_code, device_name, place, at, due_at, is_open)
    SELECT i.rule_id, i.channel_id, i.user_id, i.user_name, i.subject_id, 'returned',
      floor(extract(epoch FROM c.until) * 1000)::bigint, i.level, i.what, i.device_id, i.device_code, i.device_name,
      i.place, i.at, CASE WHEN i.level = 1 THEN ${now}::timestamptz ELSE w.due_at END, false
    FROM notify_item i
    JOIN ${dueRows(due)} ON w.rule_id = i.rule_id
    CROSS JOIN LATERAL (
      SELECT max(c.until) AS until FROM alarm_shelf_cover c
      WHERE c.episode_id = i.subject_id AND c.until > i.created_at AND c.until > ${since} AND c.until <= now()
    ) c
    WHERE i.is_open AND i.event IN ('raised', 'repeated') AND i.delivery_id IS NOT NULL AND c.until IS NOT NULL
      AND i.subject_id IN (${standing(ids, isTold)})
      AND NOT EXISTS (
        SELECT FROM alarm_handling p WHERE p.episode_id = i.subject_id AND p.acked_at >= c.until)
    ORDER BY i.id
    ON CONFLICT DO NOTHING
    RETURNING channel_id AS "channelId"`.execute(trx)
  // A channel that is gone is woken by nobody.
  return [...new Set(rows.flatMap(({ channelId }) => channelId ?? []))].toSorted((a, b) => a - b)
}

/**
 * Begins an escalation for each of the alarms that is active, of the filter, and of which the rule knows nothing yet, and
 * anew where a shelf that has left the alarm had ended it; returns how many. Alarms of before the rule had steps are known
 * to it by what it told.
 */
export async function insertRuns(
  trx: Trx,
  { ruleId, ruleBy, ruleByName, ruleIn }: MatchedRule,
  { chain, now, nextAt }: { chain: Chain; now: Date; nextAt: Date },
  filter: Matched,
  ids: readonly string[],
): Promise<number> {
  const { rows } = await sql`
    INSERT INTO notify_escalation AS x (rule_id, episode_id, began_at, chain, decided_by, decided_by_name, decided_in, next_at)
    SELECT ${ruleId}, s.episode_id, ${now}, ${JSON.stringify(chain)}::jsonb, ${ruleBy}, ${ruleByName}, ${ruleIn}, ${nextAt}
    FROM alarm_state s
    WHERE s.episode_id = ANY(${ids}::int8[]) AND ${isMatched(filter)}
      AND NOT ${hasRun(ruleId)} AND (NOT ${isRaised(ruleId)} OR ${hasShelvedRun(ruleId)})
    ORDER BY s.episode_id
    ON CONFLICT (episode_id, rule_id) DO UPDATE
    SET began_at = excluded.began_at, chain = excluded.chain, decided_by = excluded.decided_by,
      decided_by_name = excluded.decided_by_name, decided_in = excluded.decided_in, turn = 0,
      next_at = excluded.next_at, ended_at = NULL, end_reason = NULL
    WHERE x.end_reason = 'shelved'
    RETURNING 1`.execute(trx)
  return rows.length
}

/**
 * Of the raised alarms that nobody has seen recover, those that have by now: of told ones the recovery is written down
 * where the rule wants it, and waits whether the trouble comes again; untold ones wait no more, and are remembered as long
 * as it may. Returns the channels with something new to tell.
 */
export async function settleRecovered(
  trx: Trx,
  ids: readonly string[] | null,
  { due, now, limit }: { due: DueByRule; now: Date; limit: number },
): Promise<{ count: number; channelIds: number[] }> {
  const { rows } = await sql<{ count: number; channelIds: number[] }>`
    WITH over AS MATERIALIZED (
      SELECT i.id, i.delivery_id, s.recovered_at FROM notify_item i
      LEFT JOIN alarm_state s ON s.episode_id = i.subject_id
      WHERE i.is_open AND i.event IN ('raised', 'repeated', 'escalated')
        AND (${ids}::int8[] IS NULL OR i.subject_id = ANY(${ids}::int8[])) AND s.is_active IS NOT TRUE
      ORDER BY i.id LIMIT ${limit} FOR UPDATE OF i
    ), closed AS (
      UPDATE notify_item i SET is_open = false, over_at = coalesce(over.recovered_at, ${now}) FROM over
      WHERE i.id = over.id
      RETURNING i.*
    ), written AS (
      INSERT INTO notify_item (rule_id, channel_id, user_id, user_name, subject_id, event, level, what, device_id,
        device_code, device_name, place, at, repeats, due_at, is_open)
      SELECT c.rule_id, c.channel_id, c.user_id, c.user_name, c.subject_id, 'recovered', c.level, c.what, c.device_id, c.device_code,
        c.device_name, c.place, c.over_at, c.repeats, w.due_at, false
      FROM closed c JOIN ${dueRows(due)} ON w.rule_id = c.rule_id
      WHERE c.delivery_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM notify_delivery y WHERE y.id = c.delivery_id AND y.state = 'givenUp')
      ON CONFLICT DO NOTHING
      RETURNING channel_id
    )
    SELECT (SELECT count(*)::int FROM over) AS count,
      ARRAY(SELECT DISTINCT channel_id FROM written ORDER BY channel_id) AS "channelIds"`.execute(trx)
  return rows[0] ?? { count: 0, channelIds: [] }
}

/** Forgets untold alarms that were over before the moment. */
export async function forgetOver(trx: Trx, before: Date): Promise<void> {
  await sql`DELETE FROM notify_item WHERE delivery_id IS NULL AND over_at < ${before}`.execute(trx)
}

/** Has the queue look at these channels, or at all, when their earliest item is due. */
export async function scheduleChannels(trx: Trx, channelIds: readonly number[] | null): Promise<void> {
  await sql`
    UPDATE notify_channel c SET next_at = least(c.next_at, w.due_at)
    FROM (
      SELECT i.channel_id, min(i.due_at) AS due_at FROM notify_item i
      WHERE (${channelIds}::int[] IS NULL OR i.channel_id = ANY(${channelIds}::int[])) AND i.delivery_id IS NULL
        AND i.over_at IS NULL
      GROUP BY i.channel_id
    ) w
    WHERE c.id = w.channel_id AND c.is_enabled AND (c.next_at IS NULL OR w.due_at < c.next_at)`.execute(trx)
}
