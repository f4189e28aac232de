// Targets of a task by stage, state and place: counted by the task's work, read by lists.
import { type UpgradeCounts, type UpgradeTargetState, upgradeTargetStates } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, everything, withinScope } from '../../../domain/access/data-scope.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'

/**
 * Without a result, and begun: at work, between two attempts, or sent to a device that is online. A device that is
 * offline and was never handed its command has not begun: its target goes on in the background.
 */
const isUnderWay = sql`(
  (t.state IN ('sent', 'downloading', 'installing') OR t.state = 'waiting' AND t.attempts > 0)
  AND NOT coalesce(
    t.state = 'sent' AND t.next_at IS NULL AND c.state = 'waiting' AND c.attempts = 0 AND s.is_online IS NOT TRUE,
    false))`

/** Counts again, and writes what has changed. Answers whether anything has. */
export async function refreshTally(trx: Trx, taskId: number): Promise<boolean> {
  const { rows } = await sql<{ changes: number }>`
    WITH counted AS MATERIALIZED (
      SELECT t.stage, t.state, d.operator_id, d.model_id, d.region_id, count(*)::int AS count,
        (count(*) FILTER (WHERE ${isUnderWay}))::int AS under_way
      FROM upgrade_target t JOIN device d ON d.id = t.device_id
      LEFT JOIN device_command c ON c.device_id = t.device_id AND c.id = t.command_id AND c.next_at IS NOT NULL
      LEFT JOIN device_state s ON s.device_id = t.device_id
      WHERE t.task_id = ${taskId} GROUP BY 1, 2, 3, 4, 5
    ),
    gone AS (
      DELETE FROM upgrade_tally y WHERE y.task_id = ${taskId} AND NOT EXISTS (
        SELECT FROM counted c WHERE c.stage = y.stage AND c.state = y.state AND c.operator_id = y.operator_id
          AND c.model_id = y.model_id AND c.region_id = y.region_id)
      RETURNING 1
    ),
    written AS (
      INSERT INTO upgrade_tally AS y (task_id, stage, state, operator_id, model_id, region_id, count, under_way)
      SELECT ${taskId}, stage, state, operator_id, model_id, region_id, count, under_way FROM counted
      ON CONFLICT (task_id, stage, state, operator_id, model_id, region_id) DO UPDATE
      SET count = excluded.count, under_way = excluded.under_way
      WHERE y.count <> excluded.count OR y.under_way <> excluded.under_way
      RETURNING 1
    )
    SELECT ((SELECT count(*) FROM gone) + (SELECT count(*) FROM written))::int AS changes`.execute(trx)
  return (rows[0]?.changes ?? 0) > 0
}

export const noTargets: UpgradeCounts = {
  total: 0,
  ...(Object.fromEntries(upgradeTargetStates.map((state) => [state, 0])) as Record<
    UpgradeTargetState,
    number
  >),
}

const tallyWithin = (scope: DataScope) =>
  withinScope(scope, {
    operatorId: sql.ref('y.operator_id'),
    modelId: sql.ref('y.model_id'),
    regionId: sql.ref('y.region_id'),
  })

/** Targets of the tasks that the condition on the tally `y` names, as far as the scope reaches. */
export async function countTallied(
  db: Db,
  scope: DataScope,
  tasks: RawBuilder<SqlBool>,
  { states, stage }: { states?: readonly UpgradeTargetState[] | undefined; stage?: number | undefined },
): Promise<number> {
  const parts = [tasks, sql<SqlBool>`${tallyWithin(scope)}`]
  if (states?.length) parts.push(sql`y.state = ANY(${states}::text[])`)
  if (stage !== undefined) parts.push(sql`y.stage = ${stage}`)
  const { rows } = await sql<{ count: number }>`
    SELECT coalesce(sum(y.count), 0)::int AS count FROM upgrade_tally y
    WHERE ${sql.join(parts, sql` AND `)}`.execute(db)
  return rows[0]?.count ?? 0
}

/** By task and stage, as far as the scope reaches. */
export async function readCounts(
  db: Db,
  scope: DataScope,
  taskIds: readonly number[],
): Promise<Map<number, Map<number, UpgradeCounts>>> {
  const { rows } = await sql<{ taskId: number; stage: number; state: UpgradeTargetState; count: number }>`
    SELECT y.task_id AS "taskId", y.stage, y.state, sum(y.count)::int AS count FROM upgrade_tally y
    WHERE y.task_id = ANY(${taskIds}::int[]) AND ${tallyWithin(scope)}
    GROUP BY 1, 2, 3`.execute(db)
  const counts = new Map<number, Map<number, UpgradeCounts>>(taskIds.map((id) => [id, new Map()]))
  for (const { taskId, stage, state, count } of rows) {
    const stages = counts.get(taskId)
    if (!stages) continue
    const ofStage = stages.get(stage) ?? { ...noTargets }
    ofStage[state] += count
    ofStage.total += count
    stages.set(stage, ofStage)
  }
  return counts
}

/** Targets of a task that are under way, by stage, as far as the scope reaches. */
export async function readUnderWay(db: Db, scope: DataScope, taskId: number): Promise<Map<number, number>> {
  const { rows } = await sql<{ stage: number; count: number }>`
    SELECT y.stage, sum(y.under_way)::int AS count FROM upgrade_tally y
    WHERE y.task_id = ${taskId} AND y.under_way > 0 AND ${tallyWithin(scope)}
    GROUP BY 1`.execute(db)
  return new Map(rows.map(({ stage, count }) => [stage, count]))
}

/** Over all stages. */
export function sumOf(stages: ReadonlyMap<number, UpgradeCounts> | undefined): UpgradeCounts {
  const sum = { ...noTargets }
  for (const counts of stages?.values() ?? [])
    for (const key of Object.keys(sum) as (keyof UpgradeCounts)[]) sum[key] += counts[key]
  return sum
}

/** Whether the task has targets, in these states, that the scope does not cover; of those within `own` alone. */
export async function reachesBeyond(
  db: Db,
  scope: DataScope,
  taskId: number,
  { states, own = everything }: { states?: readonly UpgradeTargetState[]; own?: DataScope } = {},
): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM upgrade_tally y WHERE y.task_id = ${taskId} AND NOT ${tallyWithin(scope)} AND ${tallyWithin(own)}
      AND ${states ? sql`y.state = ANY(${states}::text[])` : sql`true`} LIMIT 1`.execute(db)
  return rows.length > 0
}
