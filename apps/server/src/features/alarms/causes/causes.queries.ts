// SQL of causes that many alarms share: what has happened lately and has none, what is written down, and what lists show.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { passes } from '../../../domain/history/index.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { passingStates, type StateFilter } from '../current-alarms.queries.ts'
import { shownHandling } from '../handling/handling-shown.queries.ts'
import { type CauseKey, type Happening, kindOf, networkOf, type OpenCause } from './causes.rules.ts'

/** One process at a time: two would found the same cause twice. Until the transaction ends. */
export const lockCauses = (trx: Trx) =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended('alarm_cause watch', 0))`.execute(trx)

/** A flood of more is looked at as far as this. */
const happeningsAtMost = 20_000

const msOf = (moment: string) => sql`(extract(epoch FROM ${sql.ref(moment)}) * 1000)::float8`

/**
 * Active alarms and lost connections since then that have no cause. Alarms of fire stand for themselves, whatever else
 * happens.
 */
export async function listHappenings(trx: Trx, since: Date): Promise<Happening[]> {
  const { rows } = await sql<Omit<Happening, 'network'> & { address: string | null }>`
    (SELECT s.device_id AS "deviceId", s.operator_id AS "operatorId", s.region_id AS "regionId",
      ${msOf('s.occurred_at')} AS "atMs", s.episode_id::text AS "episodeId", NULL::text AS address
    FROM alarm_state s
    WHERE s.is_active AND s.occurred_at >= ${since}
      AND NOT EXISTS (SELECT FROM dictionary_entry e WHERE e.type = 'ALARM' AND e.code = s.semaphore_code AND e.is_fire)
      AND NOT EXISTS (SELECT FROM alarm_cause_member m WHERE m.is_open AND m.episode_id = s.episode_id)
    ORDER BY s.occurred_at DESC LIMIT ${happeningsAtMost})
    UNION ALL
    (SELECT d.id, d.operator_id, d.region_id, ${msOf('o.online_changed_at')}, NULL::text, o.connected_from
    FROM device_state o JOIN device d ON d.id = o.device_id
    WHERE NOT o.is_online AND o.online_changed_at >= ${since}
      AND NOT EXISTS (
        SELECT FROM alarm_cause_member m WHERE m.is_open AND m.episode_id IS NULL AND m.device_id = d.id)
    ORDER BY o.online_changed_at DESC LIMIT ${happeningsAtMost})`.execute(trx)
  return rows.map(({ address, ...row }) => ({ ...row, network: networkOf(address) }))
}

/** The causes that may still grow. */
export async function listOpenCauses(trx: Trx, since: Date): Promise<OpenCause[]> {
  const { rows } = await sql<OpenCause>`
    SELECT id::text AS id, CASE kind WHEN 'site' THEN 'site ' || operator_id || ' ' || region_id
        WHEN 'network' THEN 'network ' || network ELSE 'cabinet ' || device_id END AS key,
      ${msOf('began_at')} AS "beganAtMs", ${msOf('last_at')} AS "lastAtMs"
    FROM alarm_cause WHERE ended_at IS NULL AND last_at >= ${since} ORDER BY id`.execute(trx)
  return rows
}

/** How many devices each site has, and how many were last connected from each network. */
export async function countReach(trx: Trx, happenings: readonly Happening[]): Promise<Map<CauseKey, number>> {
  const networks = [...new Set(happenings.flatMap(({ network }) => network ?? []))]
  const { rows } = await sql<{ key: CauseKey; count: number }>`
    SELECT 'site ' || d.operator_id || ' ' || d.region_id AS key, count(*)::int AS count
    FROM (
      SELECT DISTINCT operator_id, region_id FROM unnest(
        ${happenings.map(({ operatorId }) => operatorId)}::int[],
        ${happenings.map(({ regionId }) => regionId)}::int[]
      ) AS h (operator_id, region_id)
    ) h
    JOIN device d ON d.operator_id = h.operator_id AND d.region_id = h.region_id
    GROUP BY d.operator_id, d.region_id
    UNION ALL
    SELECT 'network ' || n, count(*)::int
    FROM unnest(${networks}::text[]) AS n
    JOIN device_state o ON starts_with(o.connected_from, n) OR starts_with(o.connected_from, '::ffff:' || n)
    GROUP BY n`.execute(trx)
  return new Map(rows.map(({ key, count }) => [key, count]))
}

export async function insertCause(trx: Trx, key: CauseKey): Promise<string> {
  const [, first = '', second = ''] = key.split(' ')
  const kind = kindOf(key)
  const { rows } = await sql<{ id: string }>`
    INSERT INTO alarm_cause (kind, operator_id, region_id, network, device_id, began_at, last_at)
    VALUES (${kind}, ${kind === 'site' ? Number(first) : null}, ${kind === 'site' ? Number(second) : null},
      ${kind === 'network' ? first : null}, ${kind === 'cabinet' ? Number(first) : null}, 'infinity', '-infinity')
    RETURNING id::text AS id`.execute(trx)
  return (rows[0] as { id: string }).id
}

/** Adds members, and moves the beginning and the end of their cause. A device that is gone meanwhile is left out. */
export async function insertMembers(trx: Trx, causeId: string, members: readonly Happening[]): Promise<void> {
  await sql`
    WITH added AS (
      INSERT INTO alarm_cause_member (cause_id, device_id, episode_id, at)
      SELECT ${causeId}::bigint, d.id, m.episode_id, to_timestamp(m.at / 1000)
      FROM unnest(
        ${members.map(({ deviceId }) => deviceId)}::int[], ${members.map(({ episodeId }) => episodeId)}::bigint[],
        ${members.map(({ atMs }) => atMs)}::float8[]
      ) AS m (device_id, episode_id, at)
      JOIN device d ON d.id = m.device_id
      ON CONFLICT DO NOTHING
      RETURNING at
    )
    UPDATE alarm_cause c SET began_at = least(c.began_at, a.first), last_at = greatest(c.last_at, a.last)
    FROM (SELECT min(at) AS first, max(at) AS last FROM added) a
    WHERE c.id = ${causeId}::bigint AND a.first IS NOT NULL`.execute(trx)
}

/** Ends causes of which nothing lasts: no alarm is active, and no device has stayed away since. Returns how many. */
export async function endCauses(trx: Trx): Promise<number> {
  const { rows } = await sql`
    WITH ended AS (
      UPDATE alarm_cause c SET ended_at = now()
      WHERE c.ended_at IS NULL AND NOT EXISTS (
        SELECT FROM alarm_cause_member m JOIN alarm_state s ON s.episode_id = m.episode_id AND s.is_active
        WHERE m.cause_id = c.id
      ) AND NOT EXISTS (
        SELECT FROM alarm_cause_member m JOIN device_state o ON o.device_id = m.device_id
        WHERE m.cause_id = c.id AND m.episode_id IS NULL AND ${isStillAway}
      )
      RETURNING c.id
    ), closed AS (
      UPDATE alarm_cause_member m SET is_open = false FROM ended WHERE m.cause_id = ended.id
    )
    SELECT id FROM ended`.execute(trx)
  return rows.length
}

/** The device `o` has not been back since the member `m`. */
const isStillAway = sql<SqlBool>`
  (NOT o.is_online AND o.online_changed_at <= m.at + interval '1 second')`

/** Deletes causes that were over before a moment, with their members; returns how many. */
export async function deleteCauses(
  db: Db,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { rows } = await sql`
    DELETE FROM alarm_cause WHERE id IN (
      SELECT id FROM alarm_cause WHERE ended_at < ${before} LIMIT ${limit}
    ) RETURNING 1`.execute(db)
  return rows.length
}

/** Whether any cause is not over: a list without one is read as if there were none. */
export async function hasOpenCauses(db: Db): Promise<boolean> {
  const { rows } = await sql`SELECT FROM alarm_cause WHERE ended_at IS NULL LIMIT 1`.execute(db)
  return rows.length > 0
}

/** Lines of a list. */
const linesAtMost = 100

export interface CauseRecord {
  id: string
  kind: 'site' | 'network' | 'cabinet'
  operatorId: number | null
  operatorName: string | null
  regionCode: string | null
  regionName: string | null
  network: string | null
  equipId: number | null
  equipCode: string | null
  equipName: string | null
  startTime: Date
  lastTime: Date
  alarmCount: number
  unacknowledgedCount: number
  alarmLevel: number | null
  offlineCount: number
  deviceCount: number
}

const handlingOfState = shownHandling({
  isActive: sql`true`,
  value: sql`s.value`,
  recoveredAt: sql`NULL::timestamptz`,
})

/**
 * The causes that are not over and have something that passes: active alarms, or, where the filter is of places alone,
 * devices that are away. All counts are of what passes.
 */
export async function listCauses(
  db: Db,
  filter: StateFilter,
  { isOfPlaces }: { isOfPlaces: boolean },
): Promise<CauseRecord[]> {
  const openMember = sql`SELECT m.episode_id FROM alarm_cause_member m WHERE m.is_open AND m.episode_id IS NOT NULL`
  const away: RawBuilder<unknown> = isOfPlaces
    ? sql`
      UNION ALL
      SELECT m.cause_id, m.device_id, NULL, NULL, true FROM alarm_cause_member m
      JOIN device_state o ON o.device_id = m.device_id
      WHERE m.is_open AND m.episode_id IS NULL AND ${isStillAway} AND m.device_id IN (
        SELECT device_id FROM (SELECT id AS device_id, operator_id, model_id, region_id FROM device) d
        WHERE ${passes({ ...filter, codes: null })})`
    : sql``
  const { rows } = await sql<CauseRecord>`
    WITH passing AS MATERIALIZED (
      SELECT m.cause_id, s.device_id, e.alarm_level AS level, ${handlingOfState} AS handling, false AS is_away
      FROM (SELECT * ${passingStates({ ...filter, kind: '1' })} AND episode_id IN (${openMember})) s
      JOIN alarm_cause_member m ON m.is_open AND m.episode_id = s.episode_id
      LEFT JOIN alarm_handling p ON p.episode_id = s.episode_id
      LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code
      ${away}
    )
    SELECT c.id::text AS id, c.kind, c.operator_id AS "operatorId", op.name AS "operatorName",
      r.code AS "regionCode", r.full_name AS "regionName", c.network, d.id AS "equipId", d.code AS "equipCode",
      d.name AS "equipName", c.began_at AS "startTime", c.last_at AS "lastTime", n."alarmCount",
      n."unacknowledgedCount", n."alarmLevel", n."offlineCount", n."deviceCount"
    FROM (
      SELECT cause_id, count(*) FILTER (WHERE NOT is_away)::int AS "alarmCount",
        count(*) FILTER (WHERE handling = 'unacknowledged')::int AS "unacknowledgedCount",
        min(level) AS "alarmLevel", count(*) FILTER (WHERE is_away)::int AS "offlineCount",
        count(DISTINCT device_id)::int AS "deviceCount"
      FROM passing GROUP BY cause_id
    ) n
    JOIN alarm_cause c ON c.id = n.cause_id
    LEFT JOIN operator op ON op.id = c.operator_id
    LEFT JOIN region r ON r.id = c.region_id
    LEFT JOIN device d ON d.id = c.device_id
    ORDER BY c.began_at DESC, c.id DESC LIMIT ${linesAtMost}`.execute(db)
  return rows
}
