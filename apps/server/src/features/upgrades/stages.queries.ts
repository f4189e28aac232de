// Stages, and the targets that a stage lets begin.
import type { UpgradeGateFigures, UpgradeStageState } from '@voltkeep/contract'
import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/database/database.ts'
import { firstRanks, type PlannedStage } from './stages.plan.ts'
import { gateOf } from './upgrades.pause.ts'

export interface Stage {
  number: number
  state: UpgradeStageState
  devices: number
  soakMinutes: number
  startedAt: Date | null
  soakingAt: Date | null
  soakUntil: Date | null
  endedAt: Date | null
  gate: UpgradeGateFigures | null
  isGateWaived: boolean
}

export async function listStages(db: Db, taskId: number): Promise<Stage[]> {
  const { rows } = await sql<Omit<Stage, 'gate'> & { gate: unknown }>`
    SELECT number, state, device_count AS devices, soak_minutes AS "soakMinutes", started_at AS "startedAt",
      soaking_at AS "soakingAt", soak_until AS "soakUntil", ended_at AS "endedAt", gate,
      is_gate_waived AS "isGateWaived"
    FROM upgrade_stage WHERE task_id = ${taskId} ORDER BY number`.execute(db)
  return rows.map((row) => ({ ...row, gate: gateOf(row.gate) }))
}

export async function insertStages(trx: Trx, taskId: number, stages: readonly PlannedStage[]): Promise<void> {
  await sql`
    INSERT INTO upgrade_stage (task_id, number, device_count, soak_minutes)
    SELECT ${taskId}, * FROM unnest(
      ${stages.map(({ number }) => number)}::int[], ${stages.map(({ devices }) => devices)}::int[],
      ${stages.map(({ soakMinutes }) => soakMinutes)}::int[])`.execute(trx)
}

/** Writes what has become of a stage of a locked task. */
export async function writeStage(trx: Trx, taskId: number, stage: Stage): Promise<void> {
  await sql`
    UPDATE upgrade_stage SET state = ${stage.state}, started_at = ${stage.startedAt},
      soaking_at = ${stage.soakingAt}, soak_until = ${stage.soakUntil}, ended_at = ${stage.endedAt},
      gate = ${stage.gate ? JSON.stringify(stage.gate) : null}::jsonb, is_gate_waived = ${stage.isGateWaived}
    WHERE task_id = ${taskId} AND number = ${stage.number}`.execute(trx)
}

/** No part before it is open, of the same device and task. */
const isFirstOpen = sql`NOT EXISTS (
  SELECT FROM upgrade_target o WHERE o.task_id = t.task_id AND o.device_id = t.device_id
    AND o.position < t.position AND o.state IN ('waiting', 'sent', 'downloading', 'installing'))`

/** Has a stage's devices begin, so many a minute, each with its first part. */
export async function releaseStage(
  trx: Trx,
  {
    taskId,
    number,
    stages,
    pacePerMinute,
  }: {
    taskId: number
    number: number
    stages: readonly Stage[]
    pacePerMinute: number
  },
): Promise<void> {
  const firstRank = firstRanks(stages)[number - 1] ?? 0
  await sql`
    UPDATE upgrade_target t
    SET next_at = clock_timestamp() + (t.rank - 1 - ${firstRank}) * interval '1 minute' / ${pacePerMinute}
    WHERE t.task_id = ${taskId} AND t.stage = ${number} AND t.state = 'waiting' AND t.next_at IS NULL
      AND ${isFirstOpen}`.execute(trx)
}

/** Has those go on that a pause has held, so many a minute. */
export async function releaseHeld(
  trx: Trx,
  { taskId, stage, pacePerMinute }: { taskId: number; stage: number; pacePerMinute: number },
): Promise<void> {
  await sql`
    UPDATE upgrade_target t SET next_at = clock_timestamp() + h.n * interval '1 minute' / ${pacePerMinute}
    FROM (
      SELECT t.id, row_number() OVER (ORDER BY t.stage, t.rank) - 1 AS n FROM upgrade_target t
      WHERE t.task_id = ${taskId} AND t.stage BETWEEN 1 AND ${stage} AND t.state = 'waiting' AND t.next_at IS NULL
        AND ${isFirstOpen}
    ) h
    WHERE t.id = h.id AND t.state = 'waiting' AND t.next_at IS NULL`.execute(trx)
}

/** Has a device of the stage still to begin, now or between two attempts? */
export async function isAnyWaiting(trx: Trx, taskId: number, stage: number): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM upgrade_target t
    WHERE t.task_id = ${taskId} AND t.stage = ${stage} AND t.state = 'waiting' AND ${isFirstOpen}
    LIMIT 1`.execute(trx)
  return rows.length > 0
}
