// Targets, the upgrade log and what happened, as pages show them.
import type { UpgradeTargetState, UpgradeType } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../domain/access/data-scope.ts'
import type { Db } from '../../platform/database/database.ts'
import type { PlacedRow } from '../../platform/live-noun.ts'
import type { Page } from '../../platform/paging.ts'
import { packageVersionText } from './matching.ts'

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

const isEverything = ({ operatorIds, equipTypeIds, regionIds }: DataScope) =>
  operatorIds === null && equipTypeIds === null && regionIds === null

/** The targets `t` that a filter asks for, within the scope. Devices are joined only where something asks for them. */
function targetsMatching(scope: DataScope, filter: TargetFilter) {
  const { taskId, states, stage, reason, partType, code, ids } = filter
  const parts: RawBuilder<SqlBool>[] = [sql`t.task_id = ${taskId}`]
  if (states?.length) parts.push(sql`t.state = ANY(${states}::text[])`)
  if (stage !== undefined) parts.push(sql`t.stage = ${stage}`)
  if (reason !== undefined) parts.push(sql`t.reason = ${reason}`)
  if (partType !== undefined) parts.push(sql`t.part_type = ${partType}`)
  if (ids) parts.push(sql`t.id = ANY(${ids}::int8[])`)
  if (code?.length) parts.push(sql`d.code = ANY(${code}::text[])`)
  const needsDevice = !isEverything(scope) || Boolean(code?.length)
  if (needsDevice) parts.push(sql`${deviceWithinScope(scope)}`)
  const from = needsDevice
    ? sql`FROM upgrade_target t JOIN device d ON d.id = t.device_id`
    : sql`FROM upgrade_target t`
  return sql`${from} WHERE ${sql.join(parts, sql` AND `)}`
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
      t.verified_at AS "verifiedTime", greatest(t.changed_at, t.reported_at) AS "reportTime"
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

export async function countTargets(db: Db, scope: DataScope, filter: TargetFilter): Promise<number> {
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

/** Which task a target is of, where the scope reaches its device. */
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

const logFrom = sql`
  FROM upgrade_target t
  JOIN upgrade_task a ON a.id = t.task_id
  JOIN device d ON d.id = t.device_id
  JOIN software_package k ON k.id = t.package_id`

/** The targets that the upgrade log shows: of all tasks, those of devices in the scope. */
function logMatching(scope: DataScope, filter: LogFilter): RawBuilder<SqlBool> {
  const { from, to, equipTypeId, equipId, partType, version, states, type, code, ids } = filter
  const parts: RawBuilder<SqlBool>[] = [sql`${deviceWithinScope(scope)}`]
  if (from) parts.push(sql`t.created_at >= ${from}`)
  if (to) parts.push(sql`t.created_at < ${to}`)
  if (equipTypeId !== undefined) parts.push(sql`a.equip_type_id = ${equipTypeId}`)
  if (equipId !== undefined) parts.push(sql`t.device_id = ${equipId}`)
  if (partType !== undefined) parts.push(sql`t.part_type = ${partType}`)
  if (version !== undefined) parts.push(sql`${packageVersionText} = ${version}`)
  if (states?.length) parts.push(sql`t.state = ANY(${states}::text[])`)
  if (type) parts.push(sql`a.type = ${type}`)
  if (code?.length) parts.push(sql`d.code = ANY(${code}::text[])`)
  if (ids) parts.push(sql`t.id = ANY(${ids}::int8[])`)
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
      SELECT t.id ${logFrom} WHERE ${logMatching(scope, filter)} ORDER BY t.id DESC LIMIT ${limit} OFFSET ${offset}
    )
    SELECT t.id, t.task_id AS "taskId", a.type, d.id AS "equipId", d.code, a.equip_type_id AS "equipTypeId",
      e.name AS "equipTypeName", t.part_type AS "partType", coalesce(p.name, t.part_type) AS "partTypeName",
      ${packageVersionText} AS version, ${versionsBefore} AS "fromVersion", t.created_at AS "createTime",
      t.state AS result, t.reason, greatest(t.changed_at, t.reported_at) AS "reportTime",
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

export async function countLog(db: Db, scope: DataScope, filter: LogFilter): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count ${logFrom} WHERE ${logMatching(scope, filter)}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Where the devices of these targets stand. */
export async function readPlacesOfTargets(db: Db, ids: readonly string[]): Promise<PlacedRow[]> {
  const { rows } = await sql<PlacedRow>`
    SELECT t.id, d.operator_id AS "operatorId", m.equip_type_id AS "equipTypeId", d.region_id AS "regionId"
    FROM upgrade_target t
    JOIN device d ON d.id = t.device_id
    JOIN equip_model m ON m.id = d.model_id
    WHERE t.id = ANY(${ids}::int8[])`.execute(db)
  return rows
}
