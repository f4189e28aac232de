// SQL of escalations.
import { sql } from 'kysely'
import { deviceJoins, meaningOf } from '../../../domain/history/index.ts'
import type { Trx } from '../../../platform/database/database.ts'
import { deletingOld } from '../../../platform/database/jobs/retention.ts'
import type { Receiver } from '../targets/targets.queries.ts'
import type { Chain, EndReason, Unless } from './escalations.states.ts'

export interface EscalationRow {
  id: string
  ruleId: number
  organizationId: number
  episodeId: string
  beganAt: Date
  chain: Chain
  turn: number
}

const columns = sql`
  x.id, x.rule_id AS "ruleId", r.organization_id AS "organizationId", x.episode_id AS "episodeId",
  x.began_at AS "beganAt", x.chain, x.turn`

/** Those of these that are not over, locked until the transaction ends. */
export async function lockRunning(trx: Trx, ids: readonly string[]): Promise<EscalationRow[]> {
  const { rows } = await sql<EscalationRow>`
    SELECT ${columns} FROM notify_escalation x JOIN notify_rule r ON r.id = x.rule_id
    WHERE x.id = ANY(${ids}::int8[]) AND x.ended_at IS NULL ORDER BY x.id FOR UPDATE OF x`.execute(trx)
  return rows
}

/** Those that are not over, of these alarms or of all; from an id on, at most `limit`. */
export async function lockRunningOf(
  trx: Trx,
  episodeIds: readonly string[] | null,
  { after, limit }: { after: string; limit: number },
): Promise<EscalationRow[]> {
  const { rows } = await sql<EscalationRow>`
    SELECT ${columns} FROM notify_escalation x JOIN notify_rule r ON r.id = x.rule_id
    WHERE x.ended_at IS NULL AND x.id > ${after}::int8
      AND (${episodeIds}::int8[] IS NULL OR x.episode_id = ANY(${episodeIds}::int8[]))
    ORDER BY x.id LIMIT ${limit} FOR UPDATE OF x`.execute(trx)
  return rows
}

/** Escalations are over, and what waits to be told by them is not told. */
export async function endRuns(
  trx: Trx,
  ended: readonly { id: string; reason: EndReason }[],
  now: Date,
): Promise<void> {
  await sql`
    WITH over AS (
      UPDATE notify_escalation x SET ended_at = ${now}, end_reason = m.reason, next_at = NULL
      FROM unnest(${ended.map(({ id }) => id)}::int8[], ${ended.map(({ reason }) => reason)}::text[]) AS m (id, reason)
      WHERE x.id = m.id
      RETURNING x.rule_id, x.episode_id
    )
    DELETE FROM notify_item i USING over
    WHERE i.subject_id = over.episode_id AND i.rule_id = over.rule_id AND i.event = 'escalated'
      AND i.delivery_id IS NULL`.execute(trx)
}

/** Escalations of a rule that is switched off are over. */
export async function stopRuns(trx: Trx, ruleId: number): Promise<void> {
  await sql`
    UPDATE notify_escalation SET ended_at = now(), end_reason = 'stopped', next_at = NULL
    WHERE rule_id = ${ruleId} AND ended_at IS NULL`.execute(trx)
}

export async function writeTurns(
  trx: Trx,
  runs: readonly { id: string; turn: number; nextAt: Date | null }[],
): Promise<void> {
  await sql`
    UPDATE notify_escalation x SET turn = m.turn, next_at = m.next_at
    FROM unnest(
      ${runs.map(({ id }) => id)}::int8[], ${runs.map(({ turn }) => turn)}::int[],
      ${runs.map(({ nextAt }) => nextAt?.toISOString() ?? null)}::timestamptz[]
    ) AS m (id, turn, next_at)
    WHERE x.id = m.id`.execute(trx)
}

export interface Telling {
  ruleId: number
  turn: number
  unless: Unless
  episodeIds: readonly string[]
  receivers: readonly Receiver[]
  due: { critical: Date; others: Date }
}

/**
 * Writes down what a turn tells, of alarms that are active. An item's turn counts from the beginning of its escalation in
 * milliseconds since 1970: the same turn of one that a shelf has ended and that has begun anew is another one.
 */
export async function insertEscalated(trx: Trx, telling: Telling): Promise<void> {
  const { ruleId, turn, unless, episodeIds, receivers, due } = telling
  await sql`
    INSERT INTO notify_item (rule_id, channel_id, subject_id, event, turn, unless, user_id, user_name, level, what,
      device_id, device_code, device_name, place, at, due_at, is_open)
    SELECT ${ruleId}, v.channel_id, s.episode_id, 'escalated',
      floor(extract(epoch FROM x.began_at) * 1000)::bigint + ${turn}, ${unless}, v.user_id, v.user_name,
      e.alarm_level, concat_ws(' · ', coalesce(e.name, s.semaphore_code), ${meaningOf(sql`s.value`)}), d.id, d.code,
      d.name, concat_ws(' ', r.full_name, d.address), s.occurred_at,
      CASE WHEN e.alarm_level = 1 THEN ${due.critical}::timestamptz ELSE ${due.others}::timestamptz END, true
    FROM alarm_state s
    JOIN notify_escalation x ON x.episode_id = s.episode_id AND x.rule_id = ${ruleId}
    ${deviceJoins(sql`s.device_id`)}
    LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code
    CROSS JOIN unnest(
      ${receivers.map(({ channelId }) => channelId)}::int[], ${receivers.map(({ userId }) => userId)}::int[],
      ${receivers.map(({ userName }) => userName)}::text[]
    ) AS v (channel_id, user_id, user_name)
    WHERE s.episode_id = ANY(${episodeIds}::int8[]) AND s.is_active
    ON CONFLICT DO NOTHING`.execute(trx)
}

/** Forgets what waits of steps that an acknowledgement has overtaken. */
export async function forgetAcknowledged(trx: Trx, episodeIds: readonly string[]): Promise<void> {
  await sql`
    DELETE FROM notify_item WHERE subject_id = ANY(${episodeIds}::int8[]) AND event = 'escalated'
      AND unless = 'acknowledged' AND delivery_id IS NULL`.execute(trx)
}

/** Deletes escalations that were over before the moment. */
export const deleteRuns = deletingOld(({ db, before, limit }) =>
  sql`
    DELETE FROM notify_escalation WHERE id IN (
      SELECT id FROM notify_escalation WHERE ended_at < ${before} LIMIT ${limit})`.execute(db),
)
