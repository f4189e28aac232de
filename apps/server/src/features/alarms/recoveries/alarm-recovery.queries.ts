// SQL of recoveries by users: of one alarm, and of portions of many.
import { type RawBuilder, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../../domain/access/data-scope.ts'
import type { Trx } from '../../../platform/database/database.ts'
import type { AlarmState } from '../alarms.states.ts'

/** An alarm's state, locked, for its recovery by a user. */
export interface LockedState {
  deviceId: number
  deviceCode: string
  semaphoreCode: string
  semaphoreName: string
  state: AlarmState
  /** As the database writes it: the key of the episode's row in the history. */
  occurredAt: string
  /** The database's time. */
  nowMs: number
}

type LockedRow = Omit<LockedState, 'state'> &
  Omit<AlarmState, 'episode'> & { episodeId: number; occurredAtMs: number; value: number }

/** The state of an episode, if it is the newest one and in scope. Waits for it, and locks it until the transaction ends. */
export async function lockState(
  trx: Trx,
  scope: DataScope,
  episodeId: string,
): Promise<LockedState | undefined> {
  const { rows } = await sql<LockedRow>`
    ${selectStates} WHERE s.episode_id = ${episodeId}::bigint AND ${deviceWithinScope(scope)}
    FOR UPDATE OF s
  `.execute(trx)
  const [row] = rows
  return row && lockedOf(row)
}

/**
 * The active states of these episodes in scope that nobody else has locked, with their rows of the history. It waits for no
 * lock, so it cannot be part of a deadlock: a batch of reports locks states, then history, in an order of its own.
 */
export async function lockFreeStates(
  trx: Trx,
  scope: DataScope,
  episodeIds: readonly string[],
): Promise<LockedState[]> {
  const { rows: states } = await sql<LockedRow>`
    ${selectStates} WHERE s.episode_id = ANY(${episodeIds}::bigint[]) AND s.is_active AND ${deviceWithinScope(scope)}
    FOR UPDATE OF s SKIP LOCKED
  `.execute(trx)
  // A late report changes an episode and no state.
  const { rows: episodes } = await sql<{ id: number }>`
    SELECT h.id::float8 AS id
    FROM unnest(
      ${states.map(({ episodeId }) => episodeId)}::bigint[], ${states.map(({ occurredAt }) => occurredAt)}::timestamptz[]
    ) AS k (id, occurred_at)
    JOIN alarm_history h ON h.occurred_at = k.occurred_at AND h.id = k.id
    FOR UPDATE OF h SKIP LOCKED
  `.execute(trx)
  const free = new Set(episodes.map(({ id }) => id))
  return states.filter(({ episodeId }) => free.has(episodeId)).map(lockedOf)
}

/** Those of these episodes in scope that are active, locked by others or not. */
export async function listActive(
  trx: Trx,
  scope: DataScope,
  episodeIds: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT s.episode_id AS id FROM alarm_state s JOIN device d ON d.id = s.device_id
    WHERE s.episode_id = ANY(${episodeIds}::bigint[]) AND s.is_active AND ${deviceWithinScope(scope)}
  `.execute(trx)
  return rows.map(({ id }) => id)
}

const milliseconds = (moment: RawBuilder<unknown>) => sql`round(date_part('epoch', ${moment}) * 1000)`

const selectStates = sql`
  SELECT s.device_id AS "deviceId", d.code AS "deviceCode", s.semaphore_code AS "semaphoreCode",
    coalesce(e.name, s.semaphore_code) AS "semaphoreName", s.occurred_at::text AS "occurredAt",
    s.episode_id::float8 AS "episodeId", s.is_active AS "isActive", s.value::float8 AS value,
    ${milliseconds(sql`s.occurred_at`)} AS "occurredAtMs", ${milliseconds(sql`s.reported_at`)} AS "reportedAtMs",
    ${milliseconds(sql`s.recovered_at`)} AS "recoveredAtMs", s.recovery_method AS "recoveryMethod",
    ${milliseconds(sql`now()`)} AS "nowMs"
  FROM alarm_state s
  JOIN device d ON d.id = s.device_id
  LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code`

function lockedOf(row: LockedRow): LockedState {
  const { isActive, value, reportedAtMs, recoveredAtMs, recoveryMethod, occurredAtMs, episodeId, ...rest } =
    row
  const episode = { id: episodeId, occurredAtMs }
  return { ...rest, state: { episode, isActive, value, reportedAtMs, recoveredAtMs, recoveryMethod } }
}

/** A locked state, and the result of `recoverByUser` for it. */
export interface Recovered {
  locked: LockedState
  recovered: AlarmState
}

/** Writes recoveries into the states and into the rows of their episodes. */
export async function writeRecoveries(
  trx: Trx,
  recoveries: readonly Recovered[],
  { userId, note }: { userId: number; note: string },
): Promise<void> {
  const of = <Value>(column: (recovery: Recovered) => Value) => recoveries.map(column)
  const moments = of(({ recovered }) => new Date(recovered.recoveredAtMs as number).toISOString())
  const methods = of(({ recovered }) => recovered.recoveryMethod)
  const recovery = sql`
    recovered_at = m.recovered_at, recovery_method = m.recovery_method, recovered_by = ${userId}, note = ${note}`
  await sql`
    UPDATE alarm_state s SET is_active = false, value = 0, ${recovery}
    FROM unnest(
      ${of(({ locked }) => locked.deviceId)}::int[], ${of(({ locked }) => locked.semaphoreCode)}::text[],
      ${moments}::timestamptz[], ${methods}::int2[]
    ) AS m (device_id, semaphore_code, recovered_at, recovery_method)
    WHERE s.device_id = m.device_id AND s.semaphore_code = m.semaphore_code
  `.execute(trx)
  // The value stays: the row says what was wrong.
  await sql`
    UPDATE alarm_history h SET ${recovery}
    FROM unnest(
      ${of(({ locked }) => locked.state.episode?.id)}::bigint[], ${of(({ locked }) => locked.occurredAt)}::timestamptz[],
      ${moments}::timestamptz[], ${methods}::int2[]
    ) AS m (id, occurred_at, recovered_at, recovery_method)
    WHERE h.id = m.id AND h.occurred_at = m.occurred_at
  `.execute(trx)
}
