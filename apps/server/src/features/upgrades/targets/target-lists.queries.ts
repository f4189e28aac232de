// SQL of targets, the upgrade log and transitions, as pages show them.
import type { UpgradeTargetState, UpgradeType } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../../domain/access/data-scope.ts'
import { deviceIdsByCode } from '../../../domain/access/device-search.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { Page } from '../../../platform/database/paging.ts'
import { packageVersionText } from '../matching.ts'
import { countTallied } from './tally.queries.ts'

export interface TargetFilter {
  taskId: number
  states?: readonly UpgradeTargetState[] | undefined
  stage?: number | undefined
  reason?: string | undefined
  partType?: string | undefined
  /** Exact codes. */
  code?: readonly string[] | undefined
  ids?: readonly string[] | undefined
}

/** So many targets are counted one by one. */
const exactBelow = 2_000

const isEverything = ({ operatorIds, equipTypeIds, regionIds }: DataScope) =>
  operatorIds === null && equipTypeIds === null && regionIds === null

/**
 * The target `t` is of a device in the scope. Looked up in one set of devices, so that a page is read in the order of
 * an index and the reading ends when it is full; a join would be read and sorted whole for a far page.
 */
const isWithin = (scope: DataScope) => sql<SqlBool>`
  (t.device_id IN (SELECT d.id FROM device d WHERE ${deviceWithinScope(scope)})) IS TRUE`

/** The targets `t` that a filter asks for, within the scope. Its columns but the reason are in the index of a task. */
function targetsMatching(scope: DataScope, filter: TargetFilter) {
  const { taskId, states, stage, reason, partType, code, ids } = filter
  const parts: RawBuilder<SqlBool>[] = [sql`t.task_id = ${taskId}`]
  if (states?.length) parts.push(sql`t.state = ANY(${states}::text[])`)
  if (stage !== undefined) parts.push(sql`t.stage = ${stage}`)
  if (reason !== undefined) parts.push(sql`t.reason = ${reason}`)
  if (partType !== undefined) parts.push(sql`t.part_type = ${partType}`)
  if (ids) parts.push(sql`t.id = ANY(${ids}::int8[])`)
  if (code) parts.push(sql`t.device_id = ANY(${deviceIdsByCode(scope, code)})`)
  if (!isEverything(scope)) parts.push(isWithin(scope))
  return sql`FROM upgrade_target t WHERE ${sql.join(parts, sql` AND `)}`
}

const versionsBefore = sql`coalesce(
  (SELECT string_agg(DISTINCT f.value, '、') FROM jsonb_each_text(t.from_versions) f), '')`

export interface TargetRecord {
  id: string
  taskId: number
  equipId: number
  code: string
  operatorName: string
  regionName: string
  isOnline: 0 | 1 | null
  stage: number
  partType: string
  partTypeName: string
  version: string
  fromVersion: string
  result: UpgradeTargetState
  percent: number | null
  isClaimed: boolean
  reason: string | null
  attempts: number
  nextTime: Date | null
  startTime: Date | null
  verifiedTime: Date | null
  reportTime: Date
}

/** When something was heard of the target `t` last; that its device has accepted the command stands in the command. */
const heardAt = sql`greatest(t.changed_at, t.reported_at, (
  SELECT c.finished_at FROM device_command c WHERE c.id = t.command_id AND t.state = 'sent' AND c.outcome = 'done'))`

/** A page, in the order in which devices begin. */
export async function listTargets(
  db: Db,
  scope: DataScope,
  filter: TargetFilter,
  { limit, offset }: Page,
): Promise<TargetRecord[]> {
  const { rows } = await sql<TargetRecord>`
    WITH page AS MATERIALIZED (
      SELECT t.id ${targetsMatching(scope, filter)} ORDER BY t.id LIMIT ${limit} OFFSET ${offset}
    )
    SELECT t.id, t.task_id AS "taskId", d.id AS "equipId", d.code, o.name AS "operatorName",
      r.full_name AS "regionName", CASE WHEN s.online_changed_at IS NOT NULL THEN s.is_online::int END AS "isOnline",
      t.stage, t.part_type AS "partType", coalesce(p.name, t.part_type) AS "partTypeName",
      ${packageVersionText} AS version, ${versionsBefore} AS "fromVersion", t.state AS result, t.percent,
      t.claimed_at IS NOT NULL AND t.state = 'installing' AS "isClaimed", t.reason, t.attempts,
      CASE WHEN t.state = 'waiting' THEN t.next_at END AS "nextTime", t.started_at AS "startTime",
      t.verified_at AS "verifiedTime", ${heardAt} AS "reportTime"
    FROM page
    JOIN upgrade_target t ON t.id = page.id
    JOIN device d ON d.id = t.device_id
    JOIN software_package k ON k.id = t.package_id
    JOIN operator o ON o.id = d.operator_id
    JOIN region r ON r.id = d.region_id
    LEFT JOIN device_state s ON s.device_id = d.id
    LEFT JOIN part_type p ON p.code = t.part_type
    ORDER BY t.id`.execute(db)
  return rows
}

/**
 * The number of targets. For filters that the tally distinguishes, a large number is taken from the tally: while a task
 * runs it may be seconds old, and counting would take longer than the page.
 */
export async function countTargets(db: Db, scope: DataScope, filter: TargetFilter): Promise<number> {
  const { taskId, states, stage, reason, partType, code, ids } = filter
  if (reason === undefined && partType === undefined && !code && !ids) {
    const tallied = await countTallied(db, scope, sql`y.task_id = ${taskId}`, { states, stage })
    if (tallied > exactBelow) return tallied
  }
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count ${targetsMatching(scope, filter)}`.execute(db)
  return rows[0]?.count ?? 0
}

/** The most frequent reasons of targets that did not succeed. */
export async function listReasons(db: Db, scope: DataScope, filter: TargetFilter) {
  const states = ['failed', 'refused', 'timedOut', 'skipped'] as const
  const { rows } = await sql<{ state: UpgradeTargetState; reason: string; count: number }>`
    SELECT t.state, coalesce(t.reason, '') AS reason, count(*)::int AS count
    ${targetsMatching(scope, { ...filter, states })}
    GROUP BY 1, 2 ORDER BY 3 DESC, 2 LIMIT 50`.execute(db)
  return rows
}

/** The task of a target, where the scope reaches its device. */
export async function findTaskOfTarget(db: Db, scope: DataScope, id: string): Promise<number | undefined> {
  const { rows } = await sql<{ taskId: number }>`
    SELECT t.task_id AS "taskId" FROM upgrade_target t JOIN device d ON d.id = t.device_id
    WHERE t.id = ${id}::int8 AND ${deviceWithinScope(scope)}`.execute(db)
  return rows[0]?.taskId
}

export interface TransitionRecord {
  id: string
  time: Date
  stage: number | null
  targetId: string | null
  from: string | null
  to: string
  cause: string
  detail: Record<string, unknown> | null
}

type Subject = { taskId: number } | { targetId: string }

/** Of a target, or of a task and its stages. */
const about = (subject: Subject) =>
  'taskId' in subject
    ? sql<SqlBool>`x.task_id = ${subject.taskId} AND x.target_id IS NULL`
    : sql<SqlBool>`x.target_id = ${subject.targetId}::int8`

/** A page, newest first. */
export async function listTransitions(
  db: Db,
  subject: Subject,
  { limit, offset }: Page,
): Promise<TransitionRecord[]> {
  const { rows } = await sql<TransitionRecord>`
    SELECT x.id, x.at AS time, x.stage, x.target_id AS "targetId", x.from_state AS "from", x.to_state AS "to",
      x.cause, x.detail
    FROM upgrade_transition x WHERE ${about(subject)}
    ORDER BY x.id DESC LIMIT ${limit} OFFSET ${offset}`.execute(db)
  return rows
}

export async function countTransitions(db: Db, subject: Subject): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM upgrade_transition x WHERE ${about(subject)}`.execute(db)
  return rows[0]?.count ?? 0
}

export interface LogFilter {
  from: Date | null
  to: Date | null
  equipTypeId?: number | undefined
  equipId?: number | undefined
  partType?: string | undefined
  version?: string | undefined
  states?: readonly UpgradeTargetState[] | undefined
  type?: UpgradeType | undefined
  code?: readonly string[] | undefined
  ids?: readonly string[] | undefined
}

/** The tasks `a` that a filter of the log asks for: the targets of a task are all made when it starts. */
function logTasks(filter: LogFilter): RawBuilder<SqlBool> {
  const { from, to, equipTypeId, type, partType, version } = filter
  const parts: RawBuilder<SqlBool>[] = [sql`a.started_at IS NOT NULL`]
  if (from) parts.push(sql`a.started_at >= ${from}`)
  if (to) parts.push(sql`a.started_at < ${to}`)
  if (equipTypeId !== undefined) parts.push(sql`a.equip_type_id = ${equipTypeId}`)
  if (type) parts.push(sql`a.type = ${type}`)
  // The packages of a rollback are known only when it is planned.
  if (partType !== undefined || version !== undefined)
    parts.push(sql`(a.type = 'ROLLBACK' OR EXISTS (
      SELECT FROM upgrade_task_package n JOIN software_package k ON k.id = n.package_id
      WHERE n.task_id = a.id AND ${partType === undefined ? sql<SqlBool>`true` : sql<SqlBool>`k.part_type = ${partType}`}
        AND ${version === undefined ? sql<SqlBool>`true` : sql<SqlBool>`${packageVersionText} = ${version}`}))`)
  return sql<SqlBool>`(${sql.join(parts, sql` AND `)})`
}

/**
 * The newest target of the tasks that the log is filtered to: for a part or a version that was not upgraded lately, a
 * page in the order of ids would otherwise read every newer row.
 */
const newestOfLog = (filter: LogFilter) => sql`(
  SELECT max(newest.id) FROM upgrade_task a
  CROSS JOIN LATERAL (
    SELECT t.id FROM upgrade_target t WHERE t.task_id = a.id ORDER BY t.id DESC LIMIT 1
  ) newest
  WHERE ${logTasks(filter)})`

/** The targets `t` that the upgrade log shows: of all tasks, those of devices in the scope. */
function logMatching(scope: DataScope, filter: LogFilter): RawBuilder<SqlBool> {
  const { equipId, partType, version, states, code, ids } = filter
  const parts: RawBuilder<SqlBool>[] = [
    sql`t.task_id = ANY(ARRAY(SELECT a.id FROM upgrade_task a WHERE ${logTasks(filter)}))`,
  ]
  if (equipId !== undefined) parts.push(sql`t.device_id = ${equipId}`)
  if (partType !== undefined) parts.push(sql`t.part_type = ${partType}`)
  if (version !== undefined)
    parts.push(
      sql`t.package_id = ANY(ARRAY(SELECT k.id FROM software_package k WHERE ${packageVersionText} = ${version}))`,
    )
  if (states?.length) parts.push(sql`t.state = ANY(${states}::text[])`)
  if (code) parts.push(sql`t.device_id = ANY(${deviceIdsByCode(scope, code)})`)
  if (ids) parts.push(sql`t.id = ANY(${ids}::int8[])`)
  if (!isEverything(scope)) parts.push(isWithin(scope))
  return sql<SqlBool>`(${sql.join(parts, sql` AND `)})`
}

export interface LogRecord {
  id: string
  taskId: number
  type: UpgradeType
  equipId: number
  code: string
  equipTypeId: number
  equipTypeName: string
  partType: string
  partTypeName: string
  version: string
  fromVersion: string
  createTime: Date
  result: UpgradeTargetState
  reason: string | null
  reportTime: Date
  createBy: string
}

/** A page, newest first. */
export async function listLog(
  db: Db,
  scope: DataScope,
  filter: LogFilter,
  { limit, offset }: Page,
): Promise<LogRecord[]> {
  const { rows } = await sql<LogRecord>`
    WITH page AS MATERIALIZED (
      SELECT t.id FROM upgrade_target t
      WHERE ${logMatching(scope, filter)}
        AND ${filter.partType === undefined && filter.version === undefined ? sql<SqlBool>`true` : sql<SqlBool>`t.id <= ${newestOfLog(filter)}`}
      ORDER BY t.id DESC LIMIT ${limit} OFFSET ${offset}
    )
    SELECT t.id, t.task_id AS "taskId", a.type, d.id AS "equipId", d.code, a.equip_type_id AS "equipTypeId",
      e.name AS "equipTypeName", t.part_type AS "partType", coalesce(p.name, t.part_type) AS "partTypeName",
      ${packageVersionText} AS version, ${versionsBefore} AS "fromVersion", t.created_at AS "createTime",
      t.state AS result, t.reason, ${heardAt} AS "reportTime",
      a.created_by_name AS "createBy"
    FROM page
    JOIN upgrade_target t ON t.id = page.id
    JOIN upgrade_task a ON a.id = t.task_id
    JOIN device d ON d.id = t.device_id
    JOIN software_package k ON k.id = t.package_id
    JOIN equip_type e ON e.id = a.equip_type_id
    LEFT JOIN part_type p ON p.code = t.part_type
    ORDER BY t.id DESC`.execute(db)
  return rows
}

/** How many there are; a large number is the tally's, as in `countTargets`. */
export async function countLog(db: Db, scope: DataScope, filter: LogFilter): Promise<number> {
  const { equipId, partType, version, states, code, ids } = filter
  if (equipId === undefined && partType === undefined && version === undefined && !code && !ids) {
    const tasks = sql<SqlBool>`y.task_id IN (SELECT a.id FROM upgrade_task a WHERE ${logTasks(filter)})`
    const tallied = await countTallied(db, scope, tasks, { states })
    if (tallied > exactBelow) return tallied
  }
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM upgrade_target t WHERE ${logMatching(scope, filter)}`.execute(db)
  return rows[0]?.count ?? 0
}
