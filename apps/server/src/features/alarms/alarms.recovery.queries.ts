import { type RawBuilder, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../domain/access/data-scope.ts'
import type { Trx } from '../../platform/database/database.ts'
import type { AlarmState } from './alarms.states.ts'

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

/** The state of an episode, if it is the newest one and in scope. Locked until the transaction ends. */
export async function lockState(
  trx: Trx,
  scope: DataScope,
  episodeId: string,
): Promise<LockedState | undefined> {
  const { rows } = await sql<
    Omit<LockedState, 'state'> &
      Omit<AlarmState, 'episode'> & { episodeId: number; occurredAtMs: number; value: number }
  >`
    SELECT s.device_id AS "deviceId", d.code AS "deviceCode", s.semaphore_code AS "semaphoreCode",
      coalesce(e.name, s.semaphore_code) AS "semaphoreName", s.occurred_at::text AS "occurredAt",
      s.episode_id::float8 AS "episodeId", s.is_active AS "isActive", s.value::float8 AS value,
      ${milliseconds(sql`s.occurred_at`)} AS "occurredAtMs", ${milliseconds(sql`s.reported_at`)} AS "reportedAtMs",
      ${milliseconds(sql`s.recovered_at`)} AS "recoveredAtMs", s.recovery_method AS "recoveryMethod",
      ${milliseconds(sql`now()`)} AS "nowMs"
    FROM alarm_state s
    JOIN device d ON d.id = s.device_id
    LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code
    WHERE s.episode_id = ${episodeId}::bigint
      AND ${deviceWithinScope(scope)}
    FOR UPDATE OF s
  `.execute(trx)
  const [row] = rows
  if (!row) return undefined
  const { isActive, value, reportedAtMs, recoveredAtMs, recoveryMethod, occurredAtMs, ...rest } = row
  const episode = { id: row.episodeId, occurredAtMs }
  return { ...rest, state: { episode, isActive, value, reportedAtMs, recoveredAtMs, recoveryMethod } }
}

const milliseconds = (moment: RawBuilder<unknown>) => sql`round(date_part('epoch', ${moment}) * 1000)`

/** Writes what `recoverByUser` made of the locked state, into the state and into the episode's row. */
export async function writeRecovery(
  trx: Trx,
  { deviceId, semaphoreCode, state, occurredAt }: LockedState,
  recovered: AlarmState,
  { userId, note }: { userId: number; note: string },
): Promise<void> {
  const recovery = sql`
    recovered_at = ${new Date(recovered.recoveredAtMs as number)}, recovery_method = ${recovered.recoveryMethod},
    recovered_by = ${userId}, note = ${note}`
  await sql`
    UPDATE alarm_state SET is_active = ${recovered.isActive}, value = ${recovered.value}, ${recovery}
    WHERE device_id = ${deviceId} AND semaphore_code = ${semaphoreCode}
  `.execute(trx)
  // The value stays: the row says what was wrong.
  await sql`
    UPDATE alarm_history SET ${recovery}
    WHERE id = ${state.episode?.id}::bigint AND occurred_at = ${occurredAt}::timestamptz
  `.execute(trx)
}
