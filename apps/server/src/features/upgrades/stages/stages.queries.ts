// SQL of stages, and of the targets that a stage releases.
import type {
  UpgradeCounts,
  UpgradeGateFigures,
  UpgradeRule,
  UpgradeStageState,
  UpgradeTargetState,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import type { Db, Trx } from '../../../platform/database/database.ts'
import type { GateAlarms } from '../gate/index.ts'
import { noTargets } from '../targets/index.ts'
import { gateOf } from './pause-reason.ts'
import type { PlannedStage } from './stage-sizes.ts'

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

/** A stage as a look has read it. */
export interface StageLook extends Stage {
  counts: UpgradeCounts
  /** Targets of devices that were deleted since, of those that had begun. */
  gone: GoneCounts
  /** Targets without a result that have begun. */
  underWay: number
  /** Where none is under way: whether a device still has to begin, now or between two attempts. */
  hasWaiting: boolean
  /** What its devices raised; null where nobody asked, or none is verified. */
  alarms: GateAlarms | null
}

/** Targets that went with their devices: the failures, and those without a result, are what nobody may delete. */
export interface GoneCounts {
  verified: number
  /** Also those that had begun and had no result. */
  failed: number
}

/** A locked task, as far as its stages need it. */
export interface StagedTask {
  id: number
  rule: UpgradeRule
  /** Codes of alarms that its gate does not count. */
  ignoredAlarms: readonly string[]
  /** Number of the stage under way. */
  stage: number | null
  /** When the next portion of targets is released; null where none is left. */
  releaseAt: Date | null
}

export async function setReleaseAt(trx: Trx, taskId: number, releaseAt: Date | null): Promise<void> {
  await sql`UPDATE upgrade_task SET release_at = ${releaseAt} WHERE id = ${taskId}`.execute(trx)
}

const stageColumns = sql`
  s.number, s.state, s.device_count AS devices, s.soak_minutes AS "soakMinutes", s.started_at AS "startedAt",
  s.soaking_at AS "soakingAt", s.soak_until AS "soakUntil", s.ended_at AS "endedAt", s.gate,
  s.is_gate_waived AS "isGateWaived"`

export async function listStages(db: Db, taskId: number): Promise<Stage[]> {
  const { rows } = await sql<Omit<Stage, 'gate'> & { gate: unknown }>`
    SELECT ${stageColumns} FROM upgrade_stage s WHERE s.task_id = ${taskId} ORDER BY s.number`.execute(db)
  return rows.map((row) => ({ ...row, gate: gateOf(row.gate) }))
}

export async function insertStages(trx: Trx, taskId: number, stages: readonly PlannedStage[]): Promise<void> {
  await sql`
    INSERT INTO upgrade_stage (task_id, number, device_count, soak_minutes)
    SELECT ${taskId}, * FROM unnest(
      ${stages.map(({ number }) => number)}::int[], ${stages.map(({ devices }) => devices)}::int[],
      ${stages.map(({ soakMinutes }) => soakMinutes)}::int[])`.execute(trx)
}

/** Writes a stage of a locked task. */
export async function writeStage(trx: Trx, taskId: number, stage: Stage): Promise<void> {
  await sql`
    UPDATE upgrade_stage SET state = ${stage.state}, started_at = ${stage.startedAt},
      soaking_at = ${stage.soakingAt}, soak_until = ${stage.soakUntil}, ended_at = ${stage.endedAt},
      gate = ${stage.gate ? JSON.stringify(stage.gate) : null}::jsonb, is_gate_waived = ${stage.isGateWaived}
    WHERE task_id = ${taskId} AND number = ${stage.number}`.execute(trx)
}

type StageRow = Omit<StageLook, 'gate' | 'counts' | 'alarms'> & {
  gate: unknown
  counts: Partial<Record<UpgradeTargetState, number>>
  total: number
}

/** Of the stage `s`: what went with devices that were deleted. */
const goneOfStage = sql`(
  SELECT jsonb_build_object('verified', count(*) FILTER (WHERE g.is_verified), 'failed', count(*) FILTER (WHERE NOT g.is_verified))
  FROM upgrade_gone g WHERE g.task_id = s.task_id AND g.stage = s.number)`

/** The stages with their targets, whole, as they were counted last; without their alarms. */
export async function readStages(trx: Trx, taskId: number): Promise<StageLook[]> {
  const { rows } = await sql<StageRow>`
    SELECT ${stageColumns}, y.counts, y.total, y."underWay", ${goneOfStage} AS gone,
      CASE WHEN y."underWay" = 0 AND y.succeeded > 0 THEN ${hasWaiting} ELSE false END AS "hasWaiting"
    FROM upgrade_stage s CROSS JOIN LATERAL (
      SELECT coalesce(jsonb_object_agg(n.state, n.count), '{}') AS counts, coalesce(sum(n.count), 0)::int AS total,
        coalesce(sum(n.under_way), 0)::int AS "underWay",
        coalesce(sum(n.count) FILTER (WHERE n.state = 'succeeded'), 0) AS succeeded
      FROM (
        SELECT state, sum(count)::int AS count, sum(under_way)::int AS under_way
        FROM upgrade_tally WHERE task_id = s.task_id AND stage = s.number GROUP BY state
      ) n
    ) y
    WHERE s.task_id = ${taskId} ORDER BY s.number`.execute(trx)
  return rows.map(({ counts, total, gate, ...row }) => ({
    ...row,
    gate: gateOf(gate),
    counts: { ...noTargets, ...counts, total },
    alarms: null,
  }))
}

/** No earlier part of the same device and task is open. */
const isFirstOpen = sql`NOT EXISTS (
  SELECT FROM upgrade_target o WHERE o.task_id = t.task_id AND o.device_id = t.device_id
    AND o.position < t.position AND o.state IN ('waiting', 'sent', 'downloading', 'installing'))`

/** Whether a device of the stage `s` still has to begin, now or between two attempts. */
const hasWaiting = sql`EXISTS (
  SELECT FROM upgrade_target t
  WHERE t.task_id = s.task_id AND t.stage = s.number AND t.state = 'waiting' AND ${isFirstOpen})`

/**
 * Releases targets that wait without a time, because their stage had not begun or the task was paused: in the order of
 * their stages, of each device its first open part, `pacePerMinute` a minute from `fromAt` on. Answers how many were
 * released, at most `limit`.
 */
export async function releaseTargets(
  trx: Trx,
  {
    taskId,
    stage,
    fromAt,
    pacePerMinute,
    limit,
  }: { taskId: number; stage: number; fromAt: Date; pacePerMinute: number; limit: number },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    WITH candidate AS MATERIALIZED (
      SELECT h.id, row_number() OVER (ORDER BY h.stage, h.rank, h.id) - 1 AS n FROM (
        SELECT t.id, t.stage, t.rank FROM upgrade_target t
        WHERE t.task_id = ${taskId} AND t.stage BETWEEN 1 AND ${stage} AND t.state = 'waiting' AND t.next_at IS NULL
          AND ${isFirstOpen}
        ORDER BY t.stage, t.rank LIMIT ${limit}
      ) h
    ),
    locked AS (
      SELECT t.id, candidate.n FROM candidate JOIN upgrade_target t ON t.id = candidate.id
      WHERE t.state = 'waiting' AND t.next_at IS NULL ORDER BY t.id FOR UPDATE OF t
    ),
    released AS (
      UPDATE upgrade_target t SET next_at = ${fromAt}::timestamptz + locked.n * interval '1 minute' / ${pacePerMinute}
      FROM locked WHERE t.id = locked.id
    )
    SELECT count(*)::int AS count FROM candidate`.execute(trx)
  return rows[0]?.count ?? 0
}
