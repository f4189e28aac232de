import { sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../platform/access/data-scope.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import {
  type DeviceColumns,
  deviceColumns,
  deviceJoins,
  type Exception,
  type HistoryFilter,
  keyed,
  type PlaceColumns,
  type PlaceFilter,
  passes,
  passesNothing,
  placeColumns,
  placeJoin,
  type RowKey,
} from '../../platform/history/index.ts'

/** As the wire shows it, but for the words. */
export interface AlarmRecord extends DeviceColumns {
  id: string
  semaphoreCode: string
  semaphoreName: string
  alarmLevel: number | null
  /** As text: an int8. */
  value: string
  firstValue: string
  isActive: boolean
  occurrenceTime: Date
  recoveryTime: Date | null
  recoveryMethod: 1 | 2 | null
  recoveredBy: string | null
  note: string | null
}

// ── Current alarms: the newest state a device and semaphore ─────────────────────────────────────

/** Which of the states: active ones, recovered ones, or both. */
export type StateKind = '1' | '0' | 'all'

export interface StateFilter extends PlaceFilter {
  codes: readonly string[] | null
  kind: StateKind
  from: Date | null
  to: Date | null
}

export interface StateKey {
  deviceId: number
  semaphoreCode: string
  occurredAt: string
  /** The episode's. */
  id: string
}

function passingStates(filter: StateFilter) {
  const parts = [passes(filter)]
  if (filter.kind === '1') parts.push(sql`is_active`)
  else parts.push(sql`episode_id IS NOT NULL`)
  if (filter.kind === '0') parts.push(sql`NOT is_active`)
  if (filter.from) parts.push(sql`occurred_at >= ${filter.from}`)
  if (filter.to) parts.push(sql`occurred_at < ${filter.to}`)
  return sql`FROM alarm_state WHERE ${sql.join(parts, sql` AND `)}`
}

export async function countStates(db: Db, filter: StateFilter): Promise<number> {
  if (passesNothing(filter)) return 0
  const { rows } = await sql<{ n: number }>`SELECT count(*)::int AS n ${passingStates(filter)}`.execute(db)
  return rows[0]?.n ?? 0
}

/** Newest first, equal moments by id. */
export async function listStateKeys(
  db: Db,
  filter: StateFilter,
  { limit, offset = 0, after }: { limit: number; offset?: number; after?: RowKey | undefined },
): Promise<StateKey[]> {
  if (passesNothing(filter)) return []
  const rest = after
    ? sql`AND (occurred_at, episode_id) < (${after.occurredAt}::timestamptz, ${after.id}::bigint)`
    : sql``
  // The index is in order among the active and among the recovered: both are merged, not sorted.
  const kinds = filter.kind === 'all' ? (['1', '0'] as const) : [filter.kind]
  const parts = kinds.map(
    (kind) => sql`
      SELECT device_id, semaphore_code, occurred_at, episode_id ${passingStates({ ...filter, kind })} ${rest}`,
  )
  const { rows } = await sql<StateKey>`
    SELECT device_id AS "deviceId", semaphore_code AS "semaphoreCode",
      occurred_at::text AS "occurredAt", episode_id AS id
    FROM (
      SELECT * FROM (${sql.join(parts, sql` UNION ALL `)}) AS state
      ORDER BY occurred_at DESC, episode_id DESC LIMIT ${limit} OFFSET ${offset}
    ) AS page
  `.execute(db)
  return rows
}

/** The rows of a page of keys, in their order. */
export async function readStates(db: Db, keys: readonly StateKey[]): Promise<AlarmRecord[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<AlarmRecord>`
    SELECT ${stateColumns}
    FROM unnest(
      ${keys.map(({ deviceId }) => deviceId)}::int[], ${keys.map(({ semaphoreCode }) => semaphoreCode)}::text[]
    ) WITH ORDINALITY AS k (device_id, semaphore_code, n)
    JOIN alarm_state s ON s.device_id = k.device_id AND s.semaphore_code = k.semaphore_code
    ${stateJoins}
    ORDER BY k.n
  `.execute(db)
  return rows
}

/** A state with what a data scope is checked against, for what is pushed rather than queried. */
export type PlacedAlarmRecord = AlarmRecord & { regionId: number }

/** The present states of these episodes; of one that a newer episode has replaced there is none. */
export async function readStatesOfEpisodes(
  db: Db,
  episodeIds: readonly string[],
): Promise<PlacedAlarmRecord[]> {
  const { rows } = await sql<PlacedAlarmRecord>`
    SELECT ${stateColumns}, s.region_id AS "regionId"
    FROM alarm_state s
    ${stateJoins}
    WHERE s.episode_id = ANY(${episodeIds}::bigint[])
    ORDER BY s.occurred_at DESC, s.episode_id DESC
  `.execute(db)
  return rows
}

const stateColumns = sql`
  s.episode_id AS id, ${deviceColumns},
  s.semaphore_code AS "semaphoreCode", coalesce(e.name, s.semaphore_code) AS "semaphoreName",
  e.alarm_level AS "alarmLevel", s.value, s.value AS "firstValue", s.is_active AS "isActive",
  s.occurred_at AS "occurrenceTime", s.recovered_at AS "recoveryTime",
  s.recovery_method AS "recoveryMethod", u.user_name AS "recoveredBy", s.note`

const namesOf = (alias: string) => sql`
  LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = ${sql.ref(`${alias}.semaphore_code`)}
  LEFT JOIN app_user u ON u.id = ${sql.ref(`${alias}.recovered_by`)}`

const stateJoins = sql`${deviceJoins(sql`s.device_id`)} ${namesOf('s')}`

// ── History: one row an episode ─────────────────────────────────────────────────────────────────

/** The active episodes of a filter: what a list of the recovered leaves out. */
export function activeEpisodes({ range, ...filter }: HistoryFilter): Exception {
  return {
    rows: sql`
      SELECT occurred_at, episode_id AS id
      ${passingStates({ ...filter, kind: '1', from: range.from, to: range.to })}`,
  }
}

const historyColumns = sql`
  h.id, ${deviceColumns},
  h.semaphore_code AS "semaphoreCode", coalesce(e.name, h.semaphore_code) AS "semaphoreName",
  e.alarm_level AS "alarmLevel", h.value, h.first_value AS "firstValue",
  h.recovered_at IS NULL AS "isActive",
  h.occurred_at AS "occurrenceTime", h.recovered_at AS "recoveryTime",
  h.recovery_method AS "recoveryMethod", u.user_name AS "recoveredBy", h.note`

/** The rows of a page of keys, newest first. */
export async function readEpisodes(db: Db, keys: readonly RowKey[]): Promise<AlarmRecord[]> {
  if (keys.length === 0) return []
  const { relation, condition } = keyed(keys)
  const { rows } = await sql<AlarmRecord>`
    SELECT ${historyColumns}
    FROM ${relation} JOIN alarm_history h ON ${condition}
    ${deviceJoins(sql`h.device_id`)} ${namesOf('h')}
    ORDER BY h.occurred_at DESC, h.id DESC
  `.execute(db)
  return rows
}

/** Episodes by id alone: for those that have just been replaced. */
export async function readEpisodesById(db: Db, ids: readonly string[]): Promise<PlacedAlarmRecord[]> {
  const { rows } = await sql<PlacedAlarmRecord>`
    SELECT ${historyColumns}, h.region_id AS "regionId"
    FROM alarm_history h
    ${deviceJoins(sql`h.device_id`)} ${namesOf('h')}
    WHERE h.id = ANY(${ids}::bigint[])
  `.execute(db)
  return rows
}

export type EpisodeDetail = AlarmRecord &
  PlaceColumns & {
    /** `[ms, value]` */
    lateReports: [number, number][] | null
  }

/**
 * One episode within the scope. Where the moment is not known, the newest state or else each month's
 * index of id blocks finds it.
 */
export async function findEpisode(
  db: Db,
  scope: DataScope,
  id: string,
  occurred: { from: Date; to: Date } | null,
): Promise<EpisodeDetail | undefined> {
  const when = occurred
    ? sql`h.occurred_at >= ${occurred.from} AND h.occurred_at < ${occurred.to}`
    : sql`h.occurred_at = ANY(${await momentsOf(db, id)}::timestamptz[])`
  const { rows } = await sql<EpisodeDetail>`
    SELECT ${historyColumns}, ${placeColumns}, h.late_reports AS "lateReports"
    FROM alarm_history h
    ${deviceJoins(sql`h.device_id`)} ${placeJoin} ${namesOf('h')}
    WHERE h.id = ${id}::bigint AND ${when}
      AND ${deviceWithinScope(scope)}
  `.execute(db)
  return rows[0]
}

async function momentsOf(db: Db, id: string): Promise<string[]> {
  const { rows } = await sql<{ at: string }>`
    SELECT occurred_at::text AS at FROM alarm_state WHERE episode_id = ${id}::bigint
  `.execute(db)
  if (rows.length > 0) return rows.map(({ at }) => at)
  const { rows: older } = await sql<{ at: string }>`
    SELECT occurred_at::text AS at FROM alarm_history WHERE id = ${id}::bigint
  `.execute(db)
  return older.map(({ at }) => at)
}

// ── Recovery by a user ──────────────────────────────────────────────────────────────────────────

export interface LockedState {
  deviceId: number
  deviceCode: string
  semaphoreCode: string
  semaphoreName: string
  isActive: boolean
  occurredAt: string
  value: string
}

/** The state of an episode, if it is the newest one and in scope, held until the transaction ends. */
export async function lockState(
  trx: Trx,
  scope: DataScope,
  episodeId: string,
): Promise<LockedState | undefined> {
  const { rows } = await sql<LockedState>`
    SELECT s.device_id AS "deviceId", d.code AS "deviceCode", s.semaphore_code AS "semaphoreCode",
      coalesce(e.name, s.semaphore_code) AS "semaphoreName", s.is_active AS "isActive",
      s.occurred_at::text AS "occurredAt", s.value
    FROM alarm_state s
    JOIN device d ON d.id = s.device_id
    LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code
    WHERE s.episode_id = ${episodeId}::bigint
      AND ${deviceWithinScope(scope)}
    FOR UPDATE OF s
  `.execute(trx)
  return rows[0]
}

/** Writes the recovery into the state and into the episode's row. */
export async function recoverByUser(
  trx: Trx,
  { deviceId, semaphoreCode, occurredAt }: LockedState,
  episodeId: string,
  { userId, note }: { userId: number; note: string },
): Promise<void> {
  const recovery = sql`recovered_at = now(), recovery_method = 2, recovered_by = ${userId}, note = ${note}`
  await sql`
    UPDATE alarm_state SET is_active = false, value = 0, ${recovery}
    WHERE device_id = ${deviceId} AND semaphore_code = ${semaphoreCode}
  `.execute(trx)
  // The value stays: the row tells what was wrong.
  await sql`
    UPDATE alarm_history SET ${recovery}
    WHERE id = ${episodeId}::bigint AND occurred_at = ${occurredAt}::timestamptz
  `.execute(trx)
}

// ── What values mean ────────────────────────────────────────────────────────────────────────────

export interface Definition {
  code: string
  equipClassify: string
  name: string
  bitPosition: number
  analysisType: 'BIT' | 'VALUE'
}

/** All definitions of these semaphores for one family of devices, by position, and what ALARM is called. */
export async function readDefinitions(
  db: Db,
  codes: readonly string[],
  classify: string,
): Promise<{ definitions: Definition[]; typeName: string }> {
  const { rows } = await sql<Omit<Definition, 'bitPosition'> & { bitPosition: string }>`
    SELECT e.code, d.equip_classify AS "equipClassify", d.name, d.bit_position AS "bitPosition",
      e.analysis_type AS "analysisType"
    FROM dictionary_entry e JOIN semaphore_definition d ON d.entry_id = e.id
    WHERE e.type = 'ALARM' AND e.code = ANY(${codes}::text[]) AND d.equip_classify = ${classify}
      AND e.analysis_type IS NOT NULL
    ORDER BY e.code, d.bit_position
  `.execute(db)
  const { rows: names } = await sql<{ name: string }>`
    SELECT name FROM dictionary_entry WHERE type = 'SEMAPHORE_TYPE' AND code = 'ALARM'
  `.execute(db)
  return {
    definitions: rows.map((row) => ({ ...row, bitPosition: Number(row.bitPosition) })),
    typeName: names[0]?.name ?? '告警',
  }
}
