// SQL of the bytes that tasks bring, with the people who decided about them.
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../../domain/access/data-scope.ts'
import type { Db } from '../../../platform/database/database.ts'
import { type Bytes, type ReachLimit, type WithCreation, withCreation } from '../matching.ts'

/** The bytes of the package `k`, or of the task's package `n` for it. */
export const bytesColumns = (supply: 'k' | 'n'): RawBuilder<unknown> => {
  const of = (column: string) => sql.ref(`${supply}.${column}`)
  return sql`
    k.id AS "packageId", ${of('file_id')} AS "fileId",
    jsonb_build_object('userId', k.created_by, 'name', k.created_by_name, 'reach', k.created_reach) AS maker,
    jsonb_build_object('userId', ${of('file_by')}, 'name', ${of('file_by_name')}, 'reach', ${of('file_reach')})
      AS supplier`
}

/** The present bytes of packages. */
export async function readBytes(db: Db, packageIds: readonly number[]): Promise<Bytes[]> {
  const { rows } = await sql<Bytes>`
    SELECT ${bytesColumns('k')} FROM software_package k WHERE k.id = ANY(${packageIds}::int[]) ORDER BY k.id`.execute(
    db,
  )
  return rows
}

export interface TaskBytes extends Bytes {
  taskId: number
  /** As of now, for a task that has just been made. */
  withCreation: WithCreation
}

/** The bytes that a task was made with. */
export const readBytesOfTask = (db: Db, taskId: number): Promise<TaskBytes[]> =>
  readBytesOfTasks(db, [taskId])

export async function readBytesOfTasks(db: Db, taskIds: readonly number[]): Promise<TaskBytes[]> {
  const { rows } = await sql<TaskBytes>`
    SELECT n.task_id AS "taskId", ${bytesColumns('n')}, ${withCreation(sql.ref('n.file_id'))} AS "withCreation"
    FROM upgrade_task_package n JOIN software_package k ON k.id = n.package_id
    WHERE n.task_id = ANY(${taskIds}::int[]) ORDER BY n.task_id, n.position`.execute(db)
  return rows
}

/** All bytes that a rollback of the task may bring: of the same boards and parts, present ones and earlier ones. */
export async function readBytesBehind(db: Db, taskId: number): Promise<Bytes[]> {
  const behind = sql`
    SELECT o.id FROM software_package o WHERE o.deleted_at IS NULL AND (o.pcb_board_id, o.part_type) IN (
      SELECT b.pcb_board_id, b.part_type FROM upgrade_task_package n JOIN software_package b ON b.id = n.package_id
      WHERE n.task_id = ${taskId})`
  const { rows } = await sql<Bytes>`
    SELECT ${bytesColumns('k')} FROM software_package k WHERE k.id IN (${behind})
    UNION
    SELECT ${bytesColumns('n')} FROM upgrade_task_package n JOIN software_package k ON k.id = n.package_id
    WHERE k.id IN (${behind})`.execute(db)
  return rows
}

interface Brought {
  packageId: Expression<number>
  /** Null: the only bytes that the task has of the package. */
  fileId: Expression<string | null>
}

const isLimited = ({ packageIds, supplied }: ReachLimit, { packageId, fileId }: Brought) => sql`(
  ${packageId} = ANY(${packageIds}::int[])
  OR ${packageId} = ANY(${supplied.map((one) => one.packageId)}::int[])
    AND (${fileId} IS NULL OR ${fileId} = ANY(${supplied.map((one) => one.fileId)}::uuid[])))`

/** Why these bytes may not be brought to the device `d`: a text; null where everybody who decided reaches it. */
export function beyondReach(limits: readonly ReachLimit[], brought: Brought): RawBuilder<string | null> {
  if (limits.length === 0) return sql<string | null>`NULL::text`
  const cases = limits.map(
    (limit) =>
      sql`WHEN ${isLimited(limit, brought)} AND NOT ${deviceWithinScope(limit.scope)} THEN ${limit.text}::text`,
  )
  return sql<string | null>`(CASE ${sql.join(cases, sql` `)} END)`
}

/** What targets reach: as far as the people of their bytes, their task's deciders and who asked for the attempt do. */
export interface TaskLimits {
  ofBytes: readonly ReachLimit[]
  ofTasks: readonly { taskId: number; scope: DataScope; text: string }[]
  ofAskers: readonly { userId: number; scope: DataScope; text: string }[]
}

export const isLimiting = ({ ofBytes, ofTasks, ofAskers }: TaskLimits): boolean =>
  ofBytes.length + ofTasks.length + ofAskers.length > 0

/**
 * Why the bytes `n` may not be brought to the device of the target `t`: a text; null where everybody who decided reaches
 * it.
 */
export function targetBeyond(limits: TaskLimits): RawBuilder<string | null> {
  if (!isLimiting(limits)) return sql<string | null>`NULL::text`
  const { ofBytes, ofTasks, ofAskers } = limits
  const brought = { packageId: sql.ref<number>('t.package_id'), fileId: sql.ref<string>('n.file_id') }
  const beyond = (scope: DataScope, text: string) =>
    sql`AND NOT ${deviceWithinScope(scope)} THEN ${text}::text`
  const cases = [
    ...ofTasks.map(({ taskId, scope, text }) => sql`WHEN t.task_id = ${taskId} ${beyond(scope, text)}`),
    ...ofAskers.map(({ userId, scope, text }) => sql`WHEN t.asked_by = ${userId} ${beyond(scope, text)}`),
  ]
  const byTask = cases.length === 0 ? sql`NULL::text` : sql`CASE ${sql.join(cases, sql` `)} END`
  return sql<string | null>`(
    SELECT coalesce(${beyondReach(ofBytes, brought)}, ${byTask}) FROM device d WHERE d.id = t.device_id)`
}

/** Everybody who decided about the bytes of the target `t` reaches its device `d`. */
export const targetReached = (limits: readonly ReachLimit[]): RawBuilder<SqlBool> =>
  limits.length === 0
    ? sql<SqlBool>`true`
    : sql<SqlBool>`${beyondReach(limits, { packageId: sql.ref('t.package_id'), fileId: sql.ref('t.file_id') })} IS NULL`
