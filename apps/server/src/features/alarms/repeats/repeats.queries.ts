/**
 * SQL of troubles that come again. What has recurred is read by the indexes of device and code, never by scanning: a
 * device's semaphore has few episodes since its trouble was looked at last.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { type Occurrence, repeatWithinMs, type Trouble } from './repeats.rules.ts'

/** One device's semaphore. */
export interface AlarmKey {
  deviceId: number
  code: string
}

/** An alarm that has come again, as the notice names it. */
export interface RepeatKey extends AlarmKey {
  /** What has come lies in the past: what is known from then on is put together anew. */
  lateMs: number | null
}

const keyRows = (keys: readonly AlarmKey[]) => sql`
  unnest(${keys.map(({ deviceId }) => deviceId)}::int[], ${keys.map(({ code }) => code)}::text[])
    WITH ORDINALITY AS k (device_id, code, n)`

/** One process at a time: two would count the same episode. Until the transaction ends. */
export const lockFold = (trx: Trx) =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended('alarm_repeat fold', 0))`.execute(trx)

/** The latest troubles of a semaphore that are looked at: two that interleave are of different bits. */
const troublesAtMost = 4
/** An alarm whose first trouble is found is looked at from so long before its newest episode. */
const lookBackMs = 3_600_000
/** Episodes of one semaphore at a time; the rest is for the next look. */
export const occurrencesAtMost = 2_000

export interface KnownAlarm extends AlarmKey {
  isByValue: boolean
  troubles: Trouble[]
  /** Later than those of the troubles, earliest first. */
  occurrences: Occurrence[]
}

interface TroubleRow {
  n: number
  firstId: string
  firstAt: string
  lastId: string
  lastAt: string
  lastAtMs: number
  lastRecoveredAtMs: number | null
  count: number
  seen: string[]
  recentMs: number[]
  chatter: Trouble['chatter']
}

/** A recovery that was not reported may have been at any time since the episode began. */
const recoveredAt = sql`CASE WHEN h.recovery_method IS NULL AND h.recovered_at IS NOT NULL THEN h.occurred_at
  ELSE h.recovered_at END`

/** Of a moment in SQL. */
const msOf = (moment: RawBuilder<unknown>) => sql`(extract(epoch FROM ${moment}) * 1000)::float8`

/**
 * What is known of each semaphore, and what has happened since; or since the moment of `anewFrom`, from which nothing is
 * known any more. Only those that have an episode.
 */
export async function readKnown(
  trx: Trx,
  keys: readonly AlarmKey[],
  anewFrom: readonly (string | null)[],
): Promise<KnownAlarm[]> {
  const { rows: troubles } = await sql<TroubleRow>`
    SELECT k.n::int AS n, t.first_episode_id::text AS "firstId", t.first_at::text AS "firstAt",
      t.last_episode_id::text AS "lastId", t.last_at::text AS "lastAt", ${msOf(sql`t.last_at`)} AS "lastAtMs",
      ${msOf(recoveredAt)} AS "lastRecoveredAtMs", t.occurrences AS count, t.seen::text[] AS seen,
      ARRAY(SELECT ${msOf(sql`at`)} FROM unnest(t.recent) AS at) AS "recentMs", t.chatter
    FROM ${keyRows(keys)}
    CROSS JOIN LATERAL (
      SELECT * FROM alarm_repeat t WHERE t.device_id = k.device_id AND t.semaphore_code = k.code
      ORDER BY t.last_at DESC LIMIT ${troublesAtMost}
    ) t
    JOIN alarm_history h ON h.occurred_at = t.last_at AND h.id = t.last_episode_id
    ORDER BY k.n, t.last_at`.execute(trx)
  const troublesByKey = Map.groupBy(troubles, ({ n }) => n)
  const lastAts = keys.map((_, at) => troublesByKey.get(at + 1)?.at(-1)?.lastAt ?? null)
  const { rows } = await sql<Occurrence & { n: number; isByValue: boolean }>`
    SELECT m.n::int AS n, coalesce(e.analysis_type = 'VALUE', false) AS "isByValue", h.id::text AS id,
      h.occurred_at::text AS at, ${msOf(sql`h.occurred_at`)} AS "atMs",
      ${msOf(recoveredAt)} AS "recoveredAtMs", h.first_value::text AS "firstValue", h.value::text AS value
    FROM (
      SELECT k.n, k.device_id, k.code, l.at AS after,
        coalesce(l.anew, l.at, s.occurred_at - ${lookBackMs} * interval '1 ms') AS since
      FROM ${keyRows(keys)}
      JOIN unnest(
        ${lastAts.map((at, n) => (anewFrom[n] === null ? at : null))}::timestamptz[], ${anewFrom}::timestamptz[]
      ) WITH ORDINALITY AS l (at, anew, n) ON l.n = k.n
      JOIN alarm_state s ON s.device_id = k.device_id AND s.semaphore_code = k.code AND s.episode_id IS NOT NULL
    ) m
    LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = m.code
    LEFT JOIN LATERAL (
      (SELECT id, occurred_at, recovered_at, recovery_method, first_value, value FROM alarm_history
        WHERE device_id = m.device_id AND semaphore_code = m.code AND occurred_at > m.since
        ORDER BY occurred_at, id LIMIT ${occurrencesAtMost})
      UNION ALL
      -- What lasted longer before it came again.
      (SELECT id, occurred_at, recovered_at, recovery_method, first_value, value FROM alarm_history
        WHERE m.after IS NULL AND device_id = m.device_id AND semaphore_code = m.code AND occurred_at <= m.since
        ORDER BY occurred_at DESC, id DESC LIMIT 1)
    ) h ON true
    ORDER BY m.n, h.occurred_at, h.id`.execute(trx)
  return [...Map.groupBy(rows, ({ n }) => n)].map(([n, own]) => ({
    ...(keys[n - 1] as AlarmKey),
    isByValue: own[0]?.isByValue === true,
    troubles: (troublesByKey.get(n) ?? []).map((row) => ({
      first: { id: row.firstId, at: row.firstAt },
      last: { id: row.lastId, at: row.lastAt, atMs: row.lastAtMs, recoveredAtMs: row.lastRecoveredAtMs },
      count: row.count,
      seen: row.seen,
      recentMs: row.recentMs,
      chatter: row.chatter,
    })),
    // The outer join has a row of nulls for a semaphore of which nothing is new.
    occurrences: own.filter(({ id }) => id !== null),
  }))
}

/**
 * Forgets troubles that last until a late report or longer, so that they are put together anew. Returns from when on, for
 * each of the keys; null where none is late.
 */
export async function forgetLate(trx: Trx, keys: readonly RepeatKey[]): Promise<(string | null)[]> {
  const moments = keys.map(({ lateMs }) => (lateMs === null ? null : new Date(lateMs - repeatWithinMs)))
  if (moments.every((moment) => moment === null)) return moments.map(() => null)
  const { rows } = await sql<{ n: number; at: string }>`
    WITH late AS (
      SELECT k.n, k.device_id, k.code, l.at FROM ${keyRows(keys)}
      JOIN unnest(${moments}::timestamptz[]) WITH ORDINALITY AS l (at, n) ON l.n = k.n
      WHERE l.at IS NOT NULL
    ), forgotten AS (
      DELETE FROM alarm_repeat t USING late
      WHERE t.device_id = late.device_id AND t.semaphore_code = late.code AND t.last_at >= late.at
      RETURNING late.n, t.first_at
    )
    SELECT late.n::int AS n, (least(late.at, min(forgotten.first_at)) - interval '1 ms')::text AS at
    FROM late LEFT JOIN forgotten ON forgotten.n = late.n
    GROUP BY late.n, late.at`.execute(trx)
  const byKey = new Map(rows.map(({ n, at }) => [n, at]))
  return keys.map((_, n) => byKey.get(n + 1) ?? null)
}

export async function writeTroubles(
  trx: Trx,
  grown: readonly { key: AlarmKey; trouble: Trouble }[],
): Promise<void> {
  const of = <Value>(column: (trouble: Trouble) => Value) => grown.map(({ trouble }) => column(trouble))
  await sql`
    INSERT INTO alarm_repeat (first_episode_id, device_id, semaphore_code, first_at, last_episode_id, last_at,
      occurrences, seen, recent, chatter)
    SELECT m.first_id, m.device_id, m.code, m.first_at, m.last_id, m.last_at, m.count, m.seen::bigint[],
      ARRAY(SELECT to_timestamp(ms / 1000) FROM unnest(m.recent::float8[]) AS ms), m.chatter
    FROM unnest(
      ${of(({ first }) => first.id)}::bigint[], ${grown.map(({ key }) => key.deviceId)}::int[],
      ${grown.map(({ key }) => key.code)}::text[], ${of(({ first }) => first.at)}::timestamptz[],
      ${of(({ last }) => last.id)}::bigint[], ${of(({ last }) => last.at)}::timestamptz[],
      ${of(({ count }) => count)}::int[], ${of(({ seen }) => `{${seen.join(',')}}`)}::text[],
      ${of(({ recentMs }) => `{${recentMs.join(',')}}`)}::text[], ${of(({ chatter }) => chatter)}::text[]
    ) AS m (first_id, device_id, code, first_at, last_id, last_at, count, seen, recent, chatter)
    -- A device that was deleted meanwhile has no alarms any more.
    JOIN device d ON d.id = m.device_id
    ORDER BY m.first_id
    ON CONFLICT (first_episode_id) DO UPDATE SET last_episode_id = excluded.last_episode_id,
      last_at = excluded.last_at, occurrences = excluded.occurrences, seen = excluded.seen,
      recent = excluded.recent, chatter = excluded.chatter`.execute(trx)
}

/** Whether the trouble `t` is about the episode `h`, as `isAbout` has it; `e` is the dictionary's entry. */
const isMember = sql<SqlBool>`(
  t.first_at <= h.occurred_at AND t.last_at >= h.occurred_at
  AND CASE WHEN e.analysis_type = 'VALUE' THEN h.first_value = ANY(t.seen) ELSE h.first_value & t.seen[1] <> 0 END)`

/** An episode whose handling the later ones of its trouble go on with, and these. */
export interface Succession {
  from: { id: string; at: string }
  to: { id: string; at: string }[]
  deviceId: number
}

/** Later episodes of one trouble that are given its handling at a time. */
const carriedAtOnce = 500

/** Of the latest troubles of these semaphores, those of which a touched episode has later ones that nobody has touched. */
export async function listSuccessions(trx: Trx, keys: readonly AlarmKey[]): Promise<Succession[]> {
  const { rows } = await sql<{
    deviceId: number
    fromId: string
    fromAt: string
    id: string
    at: string
  }>`
    SELECT t.device_id AS "deviceId", p.id::text AS "fromId", p.occurred_at::text AS "fromAt", h.id::text AS id,
      h.occurred_at::text AS at
    FROM ${keyRows(keys)}
    LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = k.code
    CROSS JOIN LATERAL (
      SELECT * FROM alarm_repeat t WHERE t.device_id = k.device_id AND t.semaphore_code = k.code
      ORDER BY t.last_at DESC LIMIT ${troublesAtMost}
    ) t
    CROSS JOIN LATERAL (
      SELECT h.id, h.occurred_at FROM alarm_handling p
      JOIN alarm_history h ON h.occurred_at = p.occurred_at AND h.id = p.episode_id
      WHERE p.device_id = t.device_id AND p.version > 0 AND p.occurred_at >= t.first_at
        AND p.occurred_at <= t.last_at AND h.semaphore_code = t.semaphore_code AND ${isMember}
      ORDER BY p.occurred_at DESC, p.episode_id DESC LIMIT 1
    ) p
    CROSS JOIN LATERAL (
      SELECT h.id, h.occurred_at FROM alarm_history h
      WHERE h.device_id = t.device_id AND h.semaphore_code = t.semaphore_code
        AND h.occurred_at > p.occurred_at AND h.occurred_at <= t.last_at AND ${isMember}
      ORDER BY h.occurred_at DESC, h.id DESC LIMIT ${carriedAtOnce}
    ) h
    ORDER BY h.id`.execute(trx)
  return [...Map.groupBy(rows, ({ fromId }) => fromId).values()].flatMap((own) => {
    const [one] = own
    if (!one) return []
    return [
      {
        deviceId: one.deviceId,
        from: { id: one.fromId, at: one.fromAt },
        to: own.map(({ id, at }) => ({ id, at })),
      },
    ]
  })
}

/** Actions of the last minutes that are looked at where there were too many to name. */
const actionsAtMost = 20_000
const lately = sql`interval '2 minutes'`

/** The alarms of these touched episodes, or of those touched lately, that have come again since. */
export async function keysOfHandled(trx: Trx, episodeIds: readonly string[] | null): Promise<AlarmKey[]> {
  const touched = episodeIds
    ? sql`unnest(${episodeIds}::bigint[]) AS a (episode_id)`
    : sql`(
      SELECT DISTINCT episode_id FROM (
        SELECT episode_id, at, kind FROM alarm_handling_action ORDER BY id DESC LIMIT ${actionsAtMost}
      ) a WHERE a.at > now() - ${lately} AND a.kind <> 'carry'
    ) a`
  const { rows } = await sql<AlarmKey>`
    SELECT DISTINCT h.device_id AS "deviceId", h.semaphore_code AS code
    FROM ${touched}
    JOIN alarm_handling p ON p.episode_id = a.episode_id
    JOIN alarm_history h ON h.occurred_at = p.occurred_at AND h.id = p.episode_id
    WHERE EXISTS (
      SELECT FROM alarm_repeat t
      WHERE t.device_id = h.device_id AND t.semaphore_code = h.semaphore_code AND t.last_at > h.occurred_at)`.execute(
    trx,
  )
  return rows
}

/** Where a look at everything goes on. */
export interface Place {
  at: string
  id: string
}

/**
 * Semaphores whose newest episode began after `since` and soon after another one, in the order of time: so many states are
 * looked at, and `next` is where the next look begins; null where there is no more.
 */
export async function listRecurred(
  db: Db,
  isActive: boolean,
  since: Place,
  limit: number,
): Promise<{ keys: AlarmKey[]; next: Place | null }> {
  const { rows } = await sql<AlarmKey & Place & { isRepeat: boolean }>`
    SELECT s.device_id AS "deviceId", s.semaphore_code AS code, s.occurred_at::text AS at, s.episode_id::text AS id,
      coalesce(s.occurred_at - (
        SELECT h.recovered_at FROM alarm_history h
        WHERE h.device_id = s.device_id AND h.semaphore_code = s.semaphore_code
          AND (h.occurred_at, h.id) < (s.occurred_at, s.episode_id)
        ORDER BY h.occurred_at DESC, h.id DESC LIMIT 1
      ) <= ${repeatWithinMs} * interval '1 ms', false) AS "isRepeat"
    FROM (
      SELECT device_id, semaphore_code, occurred_at, episode_id FROM alarm_state
      WHERE is_active = ${isActive} AND episode_id IS NOT NULL
        AND (occurred_at, episode_id) > (${since.at}::timestamptz, ${since.id}::bigint)
      ORDER BY occurred_at, episode_id LIMIT ${limit}
    ) s`.execute(db)
  const last = rows.at(-1)
  return {
    keys: rows.filter(({ isRepeat }) => isRepeat),
    next: rows.length === limit && last ? { at: last.at, id: last.id } : null,
  }
}

/** Deletes troubles that were over before a moment; returns how many. */
export async function deleteRepeats(
  db: Db,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { rows } = await sql`
    DELETE FROM alarm_repeat WHERE first_episode_id IN (
      SELECT first_episode_id FROM alarm_repeat WHERE last_at < ${before} LIMIT ${limit}
    ) RETURNING 1`.execute(db)
  return rows.length
}
