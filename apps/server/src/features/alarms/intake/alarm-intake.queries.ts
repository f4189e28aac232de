// SQL of alarm reports: current states, and episodes in the history. A batch is one statement of each kind.

import type pg from 'pg'
import {
  booleanArray,
  int2Array,
  int4Array,
  int8Array,
  readNumbers,
  textArray,
  timestampArray,
  unparsed,
} from '../../../platform/database/arrays.ts'
import type { AlarmState, EpisodeRow, LateReport, RecoveryMethod } from '../alarms.states.ts'

// The statements that write a thousand rows read their columns by position, `($2::int4[])[n]`, and not by one unnest of
// all, which stores and fetches each value of each column on its own. An element is found at once where all have one
// length and none is null, so nulls are passed as 0 and -infinity; only the codes are unnested.
const never = Number.NEGATIVE_INFINITY

/** One device's semaphore. */
export interface SemaphoreKey {
  deviceId: number
  code: string
}

/**
 * The current state of each, in the given order: null when the semaphore has none, undefined when the device is no
 * longer registered. Locks the devices against deletion until the transaction ends, so that no state remains without
 * its device.
 */
export async function readAlarmStates(
  db: pg.ClientBase,
  keys: readonly SemaphoreKey[],
): Promise<(AlarmState | null | undefined)[]> {
  const { rows } = await db.query({
    name: 'alarms.readStates',
    text: `
      SELECT array_agg(n) AS n,
        array_agg(episode_id) AS episode_id, array_agg(is_active::int) AS is_active, array_agg(value) AS value,
        array_agg(date_part('epoch', occurred_at) * 1000) AS occurred_at,
        array_agg(date_part('epoch', reported_at) * 1000) AS reported_at,
        array_agg(date_part('epoch', recovered_at) * 1000) AS recovered_at,
        array_agg(recovery_method::int) AS recovery_method
      FROM (
        SELECT m.n, s.episode_id, s.is_active, s.value, s.occurred_at, s.reported_at, s.recovered_at,
          s.recovery_method
        FROM unnest($1::int4[], $2::text[]) WITH ORDINALITY AS m(device_id, code, n)
        JOIN device d ON d.id = m.device_id
        LEFT JOIN LATERAL (
          SELECT * FROM alarm_state WHERE device_id = m.device_id AND semaphore_code = m.code LIMIT 1
        ) s ON true
        FOR KEY SHARE OF d
      ) AS known`,
    values: [int4Array(keys.map(({ deviceId }) => deviceId)), textArray(keys.map(({ code }) => code))],
    types: unparsed,
  })
  const [row] = rows
  const episodeIds = readNumbers(row.episode_id)
  const active = readNumbers(row.is_active)
  const values = readNumbers(row.value)
  const occurred = readNumbers(row.occurred_at)
  const reported = readNumbers(row.reported_at)
  const recovered = readNumbers(row.recovered_at)
  const methods = readNumbers(row.recovery_method)
  const known = new Array<AlarmState | null | undefined>(keys.length).fill(undefined)
  for (const [index, n] of readNumbers(row.n).entries()) {
    const episodeId = episodeIds[index]
    const isActive = active[index]
    known[(n as number) - 1] =
      isActive === null
        ? null
        : {
            episode: episodeId
              ? { id: episodeId, occurredAtMs: Math.round(occurred[index] as number) }
              : null,
            isActive: isActive === 1,
            value: values[index] as number,
            reportedAtMs: Math.round(reported[index] as number),
            recoveredAtMs: roundedOrNull(recovered[index]),
            recoveryMethod: methods[index] as RecoveryMethod | null,
          }
  }
  return known
}

const roundedOrNull = (value: number | null | undefined) => (value == null ? null : Math.round(value))

export interface StateChange extends SemaphoreKey {
  before: AlarmState
  after: AlarmState
}

/**
 * Compare and set: writes each state only if it is still the state that was read. Returns how many were written;
 * fewer than given means that a user has recovered one, or another process has written a report for it.
 */
export async function updateAlarmStates(db: pg.ClientBase, changes: readonly StateChange[]): Promise<number> {
  const { rowCount } = await db.query({
    name: 'alarms.updateStates',
    text: `
      UPDATE alarm_state s
      SET episode_id = nullif(($5::int8[])[n], 0), is_active = ($6::bool[])[n], value = ($7::int8[])[n],
        occurred_at = nullif(($8::timestamptz[])[n], '-infinity'), reported_at = ($9::timestamptz[])[n],
        recovered_at = nullif(($10::timestamptz[])[n], '-infinity'), recovery_method = nullif(($11::int2[])[n], 0),
        -- What a user wrote belongs to that user's recovery, and goes with it.
        recovered_by = CASE WHEN ($11::int2[])[n] = 2 THEN s.recovered_by END,
        note = CASE WHEN ($11::int2[])[n] = 2 THEN s.note END
      FROM unnest($1::text[]) WITH ORDINALITY AS m(code, n)
      WHERE s.device_id = ($2::int4[])[n] AND s.semaphore_code = m.code AND s.is_active = ($3::bool[])[n]
        AND s.reported_at >= ($4::timestamptz[])[n] - interval '1 ms'
        AND s.reported_at <= ($4::timestamptz[])[n] + interval '1 ms'`,
    values: [
      textArray(changes.map(({ code }) => code)),
      int4Array(changes.map(({ deviceId }) => deviceId)),
      booleanArray(changes.map(({ before }) => before.isActive)),
      timestampArray(changes.map(({ before }) => before.reportedAtMs)),
      ...stateColumns(changes.map(({ after }) => after)),
    ],
  })
  return rowCount ?? 0
}

export interface NewState extends SemaphoreKey {
  after: AlarmState
}

/** Throws an error that `wasFirst` recognizes when another process has inserted one of them. */
export async function insertAlarmStates(db: pg.ClientBase, states: readonly NewState[]): Promise<void> {
  await db.query({
    name: 'alarms.insertStates',
    text: `
      INSERT INTO alarm_state (device_id, semaphore_code, operator_id, model_id, region_id,
        episode_id, is_active, value, occurred_at, reported_at, recovered_at, recovery_method)
      SELECT d.id, m.code, d.operator_id, d.model_id, d.region_id, nullif(($3::int8[])[n], 0), ($4::bool[])[n],
        ($5::int8[])[n], nullif(($6::timestamptz[])[n], '-infinity'), ($7::timestamptz[])[n],
        nullif(($8::timestamptz[])[n], '-infinity'), nullif(($9::int2[])[n], 0)
      FROM unnest($1::text[]) WITH ORDINALITY AS m(code, n)
      JOIN device d ON d.id = ($2::int4[])[n]`,
    values: [
      textArray(states.map(({ code }) => code)),
      int4Array(states.map(({ deviceId }) => deviceId)),
      ...stateColumns(states.map(({ after }) => after)),
    ],
  })
}

/** True when another process has inserted the state first. ON CONFLICT would cost a tenth more for each row. */
export function wasFirst(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string }
  return code === '23505' && constraint === 'alarm_state_pkey'
}

function stateColumns(states: AlarmState[]): Buffer[] {
  return [
    int8Array(states.map(({ episode }) => episode?.id ?? 0)),
    booleanArray(states.map(({ isActive }) => isActive)),
    int8Array(states.map(({ value }) => value)),
    timestampArray(states.map(({ episode }) => episode?.occurredAtMs ?? never)),
    timestampArray(states.map(({ reportedAtMs }) => reportedAtMs)),
    timestampArray(states.map(({ recoveredAtMs }) => recoveredAtMs ?? never)),
    int2Array(states.map(({ recoveryMethod }) => recoveryMethod ?? 0)),
  ]
}

export interface NewEpisode extends SemaphoreKey {
  episode: EpisodeRow
}

/**
 * Adds episodes to the history, and their counts as deltas. An episode gets the place of its device; the transaction
 * has locked every device by a state that it read or updated, so none of them can be deleted.
 */
export async function insertEpisodes(db: pg.ClientBase, episodes: readonly NewEpisode[]): Promise<void> {
  await db.query({
    name: 'alarms.insertEpisodes',
    text: `
      WITH added AS (
        INSERT INTO alarm_history (device_id, semaphore_code, operator_id, model_id, region_id,
          id, occurred_at, first_value, value, recovered_at, recovery_method, late_reports)
        SELECT d.id, m.code, d.operator_id, d.model_id, d.region_id,
          ($3::int8[])[n], ($4::timestamptz[])[n], ($5::int8[])[n], ($6::int8[])[n],
          nullif(($7::timestamptz[])[n], '-infinity'), nullif(($8::int2[])[n], 0), ($9::text[])[n]::jsonb
        FROM unnest($1::text[]) WITH ORDINALITY AS m(code, n)
        JOIN device d ON d.id = ($2::int4[])[n]
        RETURNING occurred_at::date AS day, operator_id, model_id, region_id, semaphore_code
      )
      INSERT INTO history_delta (source, day, operator_id, model_id, region_id, semaphore_code, n)
      SELECT 1, day, operator_id, model_id, region_id, semaphore_code, count(*)
      FROM added GROUP BY day, operator_id, model_id, region_id, semaphore_code`,
    values: [
      textArray(episodes.map(({ code }) => code)),
      int4Array(episodes.map(({ deviceId }) => deviceId)),
      int8Array(episodes.map(({ episode }) => episode.id)),
      timestampArray(episodes.map(({ episode }) => episode.occurredAtMs)),
      int8Array(episodes.map(({ episode }) => episode.firstValue)),
      ...changingColumns(episodes.map(({ episode }) => episode)),
    ],
  })
}

/**
 * Updates rows. `lateReports` null leaves those of the row as they are, and so does a recovery that is null: no report
 * takes one back, but a user may have recovered the alarm since the row was read.
 */
export async function updateEpisodes(
  db: pg.ClientBase,
  changes: readonly { deviceId: number; episode: EpisodeRow }[],
): Promise<void> {
  await db.query({
    name: 'alarms.updateEpisodes',
    text: `
      UPDATE alarm_history h
      SET value = ($4::int8[])[n],
        recovered_at = coalesce(nullif(($5::timestamptz[])[n], '-infinity'), h.recovered_at),
        recovery_method = CASE
          WHEN ($5::timestamptz[])[n] = '-infinity' THEN h.recovery_method
          ELSE nullif(($6::int2[])[n], 0)
        END,
        late_reports = coalesce(($7::text[])[n]::jsonb, h.late_reports)
      FROM generate_subscripts($1::int4[], 1) AS n
      WHERE h.occurred_at = ($3::timestamptz[])[n] AND h.id = ($2::int8[])[n] AND h.device_id = ($1::int4[])[n]`,
    values: [
      int4Array(changes.map(({ deviceId }) => deviceId)),
      int8Array(changes.map(({ episode }) => episode.id)),
      timestampArray(changes.map(({ episode }) => episode.occurredAtMs)),
      ...changingColumns(changes.map(({ episode }) => episode)),
    ],
  })
}

function changingColumns(episodes: readonly EpisodeRow[]): (Buffer | null)[] {
  const isAnyLate = episodes.some(({ lateReports }) => lateReports !== null)
  return [
    int8Array(episodes.map(({ value }) => value)),
    timestampArray(episodes.map(({ recoveredAtMs }) => recoveredAtMs ?? never)),
    int2Array(episodes.map(({ recoveryMethod }) => recoveryMethod ?? 0)),
    isAnyLate
      ? textArray(episodes.map(({ lateReports }) => lateReports && JSON.stringify(lateReports)))
      : null,
  ]
}

/** A late reading of one device's semaphore. */
export interface LatePlace extends SemaphoreKey {
  timeMs: number
}

/**
 * For each place the episodes that `placeLate` needs: the last one that began before it, and the first one after it. Never
 * those between two places, of which a device may have made millions. Each episode once, by semaphore, earliest first.
 */
export async function readNeighbours(
  db: pg.ClientBase,
  places: readonly LatePlace[],
): Promise<(SemaphoreKey & { episode: EpisodeRow })[]> {
  const { rows } = await db.query<{
    device_id: number
    semaphore_code: string
    id: string
    occurred_at: Date
    first_value: string
    value: string
    recovered_at: Date | null
    recovery_method: RecoveryMethod | null
    late_reports: LateReport[] | null
  }>({
    name: 'alarms.readNeighbours',
    text: `
      WITH place AS MATERIALIZED (
        SELECT DISTINCT * FROM unnest($1::int4[], $2::text[], $3::timestamptz[]) AS m(device_id, code, at)
      )
      SELECT DISTINCT ON (h.device_id, h.semaphore_code, h.occurred_at, h.id) h.*
      FROM place m
      CROSS JOIN LATERAL (
        (SELECT device_id, semaphore_code, id, occurred_at, first_value, value, recovered_at, recovery_method, late_reports
          FROM alarm_history WHERE device_id = m.device_id AND semaphore_code = m.code AND occurred_at <= m.at
          ORDER BY occurred_at DESC, id DESC LIMIT 1)
        UNION ALL
        (SELECT device_id, semaphore_code, id, occurred_at, first_value, value, recovered_at, recovery_method, late_reports
          FROM alarm_history WHERE device_id = m.device_id AND semaphore_code = m.code AND occurred_at > m.at
          ORDER BY occurred_at, id LIMIT 1)
      ) h
      ORDER BY h.device_id, h.semaphore_code, h.occurred_at, h.id`,
    values: [
      int4Array(places.map(({ deviceId }) => deviceId)),
      textArray(places.map(({ code }) => code)),
      timestampArray(places.map(({ timeMs }) => timeMs)),
    ],
  })
  return rows.map((row) => ({
    deviceId: row.device_id,
    code: row.semaphore_code,
    episode: {
      id: Number(row.id),
      occurredAtMs: row.occurred_at.getTime(),
      firstValue: Number(row.first_value),
      value: Number(row.value),
      recoveredAtMs: row.recovered_at?.getTime() ?? null,
      recoveryMethod: row.recovery_method,
      lateReports: row.late_reports ?? [],
    },
  }))
}
