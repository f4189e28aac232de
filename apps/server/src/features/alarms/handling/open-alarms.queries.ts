// SQL of what is open at a moment, for a record that is kept of it: alarms that nobody has closed, counted by device and
// the gravest in full, and what people noted in a time.
import type { AlarmHandling, HandlingKind } from '@voltkeep/contract'
import { type RawBuilder, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../../domain/access/data-scope.ts'
import { deviceJoins, meaningOf } from '../../../domain/history/index.ts'
import type { Db } from '../../../platform/database/database.ts'
import { isNothing, type Quiet, quietEpisodes } from '../shelves/quiet.queries.ts'
import { entryOf, shownActive, shownEpisode, shownRecovered } from './handling-shown.queries.ts'

/** From, and up to but without. */
export interface Shift {
  from: Date
  to: Date
}

/** An alarm that lasted longer before it recovered is not looked for among those that recovered unseen. */
const recoveredAfterDays = 7

const columns = (episode: 's' | 'h', shown: RawBuilder<unknown>) => {
  const of = (column: string) => sql.ref(`${episode}.${column}`)
  return sql`
    ${episode === 's' ? of('episode_id') : of('id')} AS episode_id, d.id AS device_id, ${of('semaphore_code')} AS code,
    ${of('occurred_at')} AS occurred_at, coalesce(e.name, ${of('semaphore_code')}) AS name,
    coalesce(e.alarm_level, 0) AS level, p.assignee_id, p.acked_by_name, ${shown} AS handling`
}
/**
 * What lasts and is not closed; what recovered in the shift without having been seen; what is over, but somebody has it.
 * Older ones that nobody saw are the bulk of the history, and nobody's work any more.
 */
const openEpisodes = (scope: DataScope, { from, to }: Shift) => sql`(
  SELECT * FROM (
    SELECT ${columns('s', shownActive)}
    FROM alarm_state s JOIN device d ON d.id = s.device_id
    LEFT JOIN alarm_handling p ON p.episode_id = s.episode_id ${entryOf('s.semaphore_code')}
    WHERE s.is_active AND ${deviceWithinScope(scope)}
  ) lasting WHERE handling <> 'closed'
  UNION ALL
  SELECT * FROM (
    SELECT ${columns('s', shownRecovered)}
    FROM alarm_state s JOIN device d ON d.id = s.device_id
    LEFT JOIN alarm_handling p ON p.episode_id = s.episode_id ${entryOf('s.semaphore_code')}
    WHERE NOT s.is_active AND s.episode_id IS NOT NULL AND s.recovered_at >= ${from}
      AND s.occurred_at >= ${from}::timestamptz - ${recoveredAfterDays} * interval '1 day' AND s.occurred_at < ${to}
      AND ${deviceWithinScope(scope)}
  ) unseen WHERE handling = 'recoveredUnacknowledged'
  UNION ALL
  SELECT * FROM (
    SELECT ${columns('h', shownEpisode)}
    FROM alarm_handling p
    JOIN alarm_history h ON h.occurred_at = p.occurred_at AND h.id = p.episode_id
    JOIN device d ON d.id = h.device_id ${entryOf('h.semaphore_code')}
    WHERE p.settled IS NULL AND p.assignee_id IS NOT NULL AND p.closed_at IS NULL AND h.recovered_at IS NOT NULL
      AND ${deviceWithinScope(scope)}
  ) taken WHERE handling = 'inProgress'
  UNION ALL
  SELECT ${columns('h', sql`h.state`)}
  FROM alarm_settled h
  JOIN alarm_handling p ON p.episode_id = h.id
  JOIN device d ON d.id = h.device_id ${entryOf('h.semaphore_code')}
  WHERE h.state = 'inProgress' AND ${deviceWithinScope(scope)}
)`

export interface OpenCount {
  deviceId: number
  /** 0 where the dictionary has none. */
  level: number
  handling: AlarmHandling
  count: number
  shelvedCount: number
}

/** `quiet`: episodes that are kept quiet, which are counted apart, too. */
export async function countOpenAlarms(
  db: Db,
  scope: DataScope,
  shift: Shift,
  quiet: Quiet,
): Promise<OpenCount[]> {
  const isQuiet = isNothing(quiet)
    ? sql`false`
    : sql`o.episode_id IN (SELECT q.episode_id FROM (${quietEpisodes(quiet, null)}) AS q)`
  const { rows } = await sql<OpenCount>`
    SELECT o.device_id AS "deviceId", o.level, o.handling, count(*)::int AS count,
      count(*) FILTER (WHERE ${isQuiet})::int AS "shelvedCount"
    FROM ${openEpisodes(scope, shift)} o
    GROUP BY o.device_id, o.level, o.handling ORDER BY o.device_id, o.level, o.handling`.execute(db)
  return rows
}

export interface OpenAlarm {
  id: string
  deviceId: number
  deviceCode: string
  deviceName: string | null
  regionName: string
  semaphoreName: string
  /** What its value means, e.g. `4号仓`; null where the dictionary does not define it. */
  meaning: string | null
  level: number
  handling: AlarmHandling
  occurredAt: Date
  assigneeName: string | null
  ackedByName: string | null
  lastNote: string | null
  lastNoteByName: string | null
  lastNoteAt: Date | null
}

/** The gravest, of one level the longest standing first. */
export async function listGravestOpen(
  db: Db,
  scope: DataScope,
  shift: Shift,
  limit: number,
): Promise<OpenAlarm[]> {
  const { rows } = await sql<OpenAlarm>`
    SELECT open.episode_id::text AS id, d.id AS "deviceId", d.code AS "deviceCode", d.name AS "deviceName",
      r.full_name AS "regionName", open.name AS "semaphoreName", ${meaningOf(sql`h.value`)} AS meaning, open.level,
      open.handling, open.occurred_at AS "occurredAt", w.user_name AS "assigneeName",
      open.acked_by_name AS "ackedByName", n.note AS "lastNote", n.user_name AS "lastNoteByName", n.at AS "lastNoteAt"
    FROM (
      SELECT * FROM ${openEpisodes(scope, shift)} every
      ORDER BY nullif(level, 0) NULLS LAST, occurred_at, episode_id LIMIT ${limit}
    ) open
    ${deviceJoins(sql`open.device_id`)}
    LEFT JOIN alarm_history h ON h.occurred_at = open.occurred_at AND h.id = open.episode_id ${entryOf('h.semaphore_code')}
    LEFT JOIN app_user w ON w.id = open.assignee_id
    LEFT JOIN LATERAL (
      SELECT a.note, a.user_name, a.at FROM alarm_handling_action a
      WHERE a.episode_id = open.episode_id AND a.note IS NOT NULL ORDER BY a.id DESC LIMIT 1
    ) n ON true
    ORDER BY nullif(open.level, 0) NULLS LAST, open.occurred_at, open.episode_id`.execute(db)
  return rows
}

export interface NotedAtOnce {
  at: Date
  userName: string
  kind: HandlingKind
  note: string
  /** Of each of its alarms. */
  deviceIds: number[]
  /** Of one alarm. */
  semaphoreName: string | null
  meaning: string | null
}

/** What was noted in the shift, the latest first; what was written on many alarms at once is one. */
export async function listNoted(
  db: Db,
  scope: DataScope,
  { from, to }: Shift,
  limit: number,
): Promise<NotedAtOnce[]> {
  const { rows } = await sql<NotedAtOnce>`
    SELECT g.at, g.user_name AS "userName", g.kind, g.note, g.device_ids AS "deviceIds",
      CASE WHEN g.n = 1 THEN coalesce(e.name, h.semaphore_code) END AS "semaphoreName",
      ${meaningOf(sql`h.value`)} AS meaning
    FROM (
      SELECT a.at, a.user_id, a.user_name, a.kind, a.note, count(*)::int AS n, min(a.episode_id) AS episode_id,
        max(a.id) AS last_id, array_agg(a.device_id ORDER BY a.id) AS device_ids
      FROM alarm_handling_action a JOIN device d ON d.id = a.device_id
      WHERE a.note IS NOT NULL AND a.at >= ${from} AND a.at < ${to} AND ${deviceWithinScope(scope)}
      GROUP BY a.at, a.user_id, a.user_name, a.kind, a.note
      ORDER BY a.at DESC, last_id DESC LIMIT ${limit}
    ) g
    LEFT JOIN alarm_handling p ON g.n = 1 AND p.episode_id = g.episode_id
    LEFT JOIN alarm_history h ON h.occurred_at = p.occurred_at AND h.id = p.episode_id
    LEFT JOIN device d ON d.id = h.device_id
    LEFT JOIN equip_model m ON m.id = d.model_id
    LEFT JOIN equip_type t ON t.id = m.equip_type_id ${entryOf('h.semaphore_code')}
    ORDER BY g.at DESC, g.last_id DESC`.execute(db)
  return rows
}
