// SQL of trials: what became of the devices that went first, and the alarms that began on them.
import { sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../../domain/access/data-scope.ts'
import { isUnsent } from '../../../domain/device-work/work.queries.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { isHeld, isOpenTarget, ofBatch } from './targets.queries.ts'

/** What became of the devices that went first. */
export interface TrialFigures {
  /** Without a result. */
  open: number
  /** Of these, those that have been offline for an interval, with nothing handed to them. */
  away: number
  succeeded: number
  /** With another result. */
  unsuccessful: number
  /** Other devices wait for the batch to be continued. */
  hasHeld: boolean
}

/** No device has been handed the command `c` of the target `t`, and the device has been away for the batch's interval. */
const isAway = sql`(
  t.state = 'sent' AND ${isUnsent} AND s.is_online IS NOT TRUE
  AND greatest(t.changed_at, s.online_changed_at) < now() - b.interval_minutes * interval '1 minute')`

export async function readTrialFigures(trx: Db, batchId: number): Promise<TrialFigures> {
  const { rows } = await sql<TrialFigures>`
    SELECT (count(*) FILTER (WHERE ${isOpenTarget}))::int AS open, (count(*) FILTER (WHERE ${isAway}))::int AS away,
      (count(*) FILTER (WHERE t.state = 'succeeded'))::int AS succeeded,
      (count(*) FILTER (WHERE t.state <> 'succeeded' AND NOT ${isOpenTarget}))::int AS unsuccessful,
      EXISTS (SELECT FROM parameter_target t WHERE ${ofBatch(batchId)} AND ${isHeld}) AS "hasHeld"
    FROM parameter_target t
    JOIN parameter_batch b ON b.id = t.batch_id
    LEFT JOIN device_command c ON c.id = t.command_id
    LEFT JOIN device_state s ON s.device_id = t.device_id
    WHERE ${ofBatch(batchId)} AND t.is_trial`.execute(trx)
  return rows[0] as TrialFigures
}

export interface TrialAlarms {
  alarmed: { equipId: number; code: string }[]
  alarms: { code: string; name: string; level: number | null; devices: number }[]
}

/**
 * New alarms on the devices of a trial, as the alarm gate of upgrades counts them: episodes that began after the batch
 * was made, of a semaphore that did not stand then. Until the batch was continued, or was over.
 */
export async function readTrialAlarms(db: Db, scope: DataScope, batchId: number): Promise<TrialAlarms> {
  const { rows } = await sql<TrialAlarms>`
    WITH raised AS MATERIALIZED (
      SELECT DISTINCT t.device_id, h.semaphore_code AS code
      FROM parameter_batch b
      JOIN parameter_target t ON t.batch_id = b.id AND t.is_trial
      JOIN device d ON d.id = t.device_id
      CROSS JOIN LATERAL (
        SELECT semaphore_code FROM alarm_history
        WHERE device_id = t.device_id AND occurred_at > b.created_at
          AND occurred_at <= coalesce(b.continued_at, b.finished_at, now())
        OFFSET 0
      ) h
      WHERE b.id = ${batchId} AND ${deviceWithinScope(scope)}
        AND NOT coalesce((
          SELECT p.recovered_at IS NULL OR p.recovered_at > b.created_at
          FROM alarm_history p
          WHERE p.device_id = t.device_id AND p.semaphore_code = h.semaphore_code AND p.occurred_at <= b.created_at
          ORDER BY p.occurred_at DESC LIMIT 1
        ), false)
    )
    SELECT coalesce((
        SELECT jsonb_agg(jsonb_build_object('equipId', d.id, 'code', d.code) ORDER BY d.code)
        FROM device d WHERE d.id IN (SELECT device_id FROM raised)
      ), '[]') AS alarmed,
      coalesce((
        SELECT jsonb_agg(jsonb_build_object('code', c.code, 'name', coalesce(e.name, c.code), 'level', e.alarm_level,
          'devices', c.n) ORDER BY c.n DESC, c.code)
        FROM (SELECT code, count(*) AS n FROM raised GROUP BY code) c
        LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = c.code
      ), '[]') AS alarms`.execute(db)
  return rows[0] as TrialAlarms
}

/** Of these codes, those that name no device on trial with the batch, in their order. */
export async function listCodesNotOnTrial(
  trx: Trx,
  batchId: number,
  codes: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ code: string }>`
    SELECT asked.code FROM unnest(${codes}::text[]) WITH ORDINALITY AS asked (code, n)
    WHERE NOT EXISTS (
      SELECT FROM parameter_target t JOIN device d ON d.id = t.device_id
      WHERE ${ofBatch(batchId)} AND t.is_trial AND d.code = asked.code)
    ORDER BY asked.n`.execute(trx)
  return rows.map(({ code }) => code)
}

/** All devices are on trial: nothing would be held, so it is none. */
export async function forgetTrial(trx: Trx, batchId: number): Promise<void> {
  await sql`UPDATE parameter_target t SET is_trial = false WHERE ${ofBatch(batchId)} AND t.is_trial`.execute(
    trx,
  )
}
