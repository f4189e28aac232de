// SQL of tasks as pages show them.
import type { DeviceChoice, UpgradeRule, UpgradeTaskState, UpgradeType } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../../domain/access/data-scope.ts'
import type { Approved } from '../../../domain/access/deciders.ts'
import { inOwnTree } from '../../../domain/access/organization-tree.ts'
import type { PlacedRow } from '../../../platform/calls/live-noun.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { Page } from '../../../platform/database/paging.ts'
import type { PackageFile } from '../consent/index.ts'
import { packageVersionText } from '../matching.ts'
import { type Pause, pauseOf } from '../stages/index.ts'
import { deciderColumns, type Viewer } from './tasks.queries.ts'

export interface TaskPackage {
  softwareVersionId: number
  partType: string
  partTypeName: string
  pcbCode: string
  version: string
  hwVersion: string | null
  isRelease: boolean
  fileName: string
}

export interface TaskRecord extends Approved {
  id: number
  type: UpgradeType
  packages: TaskPackage[]
  remark: string | null
  upgradeTime: Date
  upgradeRule: UpgradeRule
  devices: DeviceChoice
  state: UpgradeTaskState
  equipTypeId: number
  equipTypeName: string
  createBy: string
  createTime: Date
  startTime: Date | null
  finishTime: Date | null
  stage: number | null
  stageCount: number
  pause: Pause | null
  rollbackOf: number | null
  /** What it takes back: `主控 1.66`. */
  rolledBack: string | null
  lockVersion: number
  createdBy: number
  createdByName: string
  decidedIn: number | null
  editedBy: number | null
  editedByName: string | null
  takenOverBy: number | null
  takenOverByName: string | null
  approvedIn: number | null
  stopNote: string | null
  /** Its time has come, and it waits for a second person. */
  isHeld: boolean
}

export interface TaskFilter {
  type?: UpgradeType | undefined
  equipTypeId?: number | undefined
  partTypes?: readonly string[] | undefined
  version?: string | undefined
  states?: readonly UpgradeTaskState[] | undefined
  /** Tasks with a target on this device, where the scope reaches it. */
  device?: { id: number; scope: DataScope } | undefined
  ids?: readonly number[] | undefined
  /** Made by this user, and begun: under way, or ended since then. */
  own?: { userId: number; endedSince: Date }
}

/** The tasks `a` of the viewer's organizations that a filter asks for. */
function matching(viewer: Viewer, filter: TaskFilter): RawBuilder<SqlBool> {
  const { type, equipTypeId, partTypes, version, states, device, ids, own } = filter
  const parts: RawBuilder<SqlBool>[] = [sql`${inOwnTree(viewer, sql.ref('a.organization_id'))}`]
  if (type) parts.push(sql`a.type = ${type}`)
  if (equipTypeId !== undefined) parts.push(sql`a.equip_type_id = ${equipTypeId}`)
  if (states) parts.push(sql`a.state = ANY(${states}::text[])`)
  if (ids) parts.push(sql`a.id = ANY(${ids}::int[])`)
  if (own) {
    parts.push(sql`a.created_by = ${own.userId} AND a.state <> 'planned'
      AND (a.finished_at IS NULL OR a.finished_at > ${own.endedSince})`)
  }
  if (device) {
    parts.push(sql`a.id IN (
      SELECT t.task_id FROM upgrade_target t JOIN device d ON d.id = t.device_id
      WHERE t.device_id = ${device.id} AND ${deviceWithinScope(device.scope)})`)
  }
  if (partTypes?.length || version !== undefined) {
    parts.push(sql`EXISTS (
      SELECT FROM upgrade_task_package n JOIN software_package k ON k.id = n.package_id
      WHERE n.task_id = a.id
        AND ${partTypes?.length ? sql<SqlBool>`k.part_type = ANY(${partTypes}::text[])` : sql<SqlBool>`true`}
        AND ${version === undefined ? sql<SqlBool>`true` : sql<SqlBool>`${packageVersionText} = ${version}`})`)
  }
  return sql<SqlBool>`(${sql.join(parts, sql` AND `)})`
}

const packageColumns = sql`
  k.id AS "softwareVersionId", k.part_type AS "partType", p.name AS "partTypeName", b.pcb_code AS "pcbCode",
  ${packageVersionText} AS version, k.hw_version AS "hwVersion", k.is_release AS "isRelease"`

const columns = sql`
  a.remark, a.upgrade_at AS "upgradeTime", a.rule AS "upgradeRule", a.devices,
  a.equip_type_id AS "equipTypeId", (SELECT name FROM equip_type WHERE id = a.equip_type_id) AS "equipTypeName",
  a.created_by_name AS "createBy", a.created_at AS "createTime", a.started_at AS "startTime",
  a.finished_at AS "finishTime", a.stage, a.pause, a.rollback_of AS "rollbackOf", a.version AS "lockVersion",
  (SELECT string_agg(p.name || ' ' || ${packageVersionText}, '、' ORDER BY n.position)
   FROM upgrade_task_package n JOIN software_package k ON k.id = n.package_id JOIN part_type p ON p.code = k.part_type
   WHERE n.task_id = a.rollback_of) AS "rolledBack",
  ${deciderColumns}, a.stop_note AS "stopNote", a.is_held AS "isHeld",
  (SELECT count(*) FROM upgrade_stage s WHERE s.task_id = a.id)::int AS "stageCount",
  (SELECT jsonb_agg(x ORDER BY x.position) FROM (
    SELECT n.position, ${packageColumns}, n.file_name AS "fileName"
    FROM upgrade_task_package n JOIN software_package k ON k.id = n.package_id
    JOIN pcb_board b ON b.id = k.pcb_board_id JOIN part_type p ON p.code = k.part_type
    WHERE n.task_id = a.id) x) AS packages`

/** A page, newest first. */
export async function listTasks(
  db: Db,
  viewer: Viewer,
  filter: TaskFilter,
  { limit, offset }: Page,
): Promise<TaskRecord[]> {
  const { rows } = await sql<Omit<TaskRecord, 'pause'> & { pause: unknown }>`
    SELECT ${columns} FROM upgrade_task a WHERE ${matching(viewer, filter)}
    ORDER BY a.id DESC LIMIT ${limit} OFFSET ${offset}`.execute(db)
  return rows.map((row) => ({ ...row, pause: pauseOf(row.pause) }))
}

export async function countTasks(db: Db, viewer: Viewer, filter: TaskFilter): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM upgrade_task a WHERE ${matching(viewer, filter)}`.execute(db)
  return rows[0]?.count ?? 0
}

export async function findTask(db: Db, viewer: Viewer, id: number): Promise<TaskRecord | undefined> {
  const [task] = await listTasks(db, viewer, { ids: [id] }, { limit: 1, offset: 0 })
  return task
}

/** Packages as a preview shows them, in the order asked for. */
export async function describePackages(
  db: Db,
  ids: readonly number[],
): Promise<(TaskPackage & { sizeBytes: number })[]> {
  const { rows } = await sql<TaskPackage & { sizeBytes: number }>`
    SELECT ${packageColumns}, k.file_name AS "fileName", f.size_bytes::float8 AS "sizeBytes"
    FROM unnest(${ids}::int[]) WITH ORDINALITY AS n(id, position) JOIN software_package k ON k.id = n.id
    JOIN pcb_board b ON b.id = k.pcb_board_id JOIN part_type p ON p.code = k.part_type
    JOIN stored_file f ON f.id = k.file_id
    ORDER BY n.position`.execute(db)
  return rows
}

/** The packages and types of a task by name: `换电柜 主控 1.4、仓控 2.1`. */
export async function nameGoal(
  db: Db,
  { equipTypeId, packageIds }: { equipTypeId: number; packageIds: readonly number[] },
): Promise<string> {
  const { rows } = await sql<{ goal: string }>`
    SELECT concat_ws(' ', (SELECT name FROM equip_type WHERE id = ${equipTypeId}), (
      SELECT string_agg(p.name || ' ' || ${packageVersionText}, '、' ORDER BY n.position)
      FROM unnest(${packageIds}::int[]) WITH ORDINALITY AS n(id, position) JOIN software_package k ON k.id = n.id
      JOIN part_type p ON p.code = k.part_type)) AS goal`.execute(db)
  return rows[0]?.goal ?? ''
}

/** How the operation log calls a task: `升级任务 12（换电柜 主控 1.4）`. */
export const targetOf = async (
  db: Db,
  { id, ...task }: { id: number; equipTypeId: number; packageIds: readonly number[] },
) => `升级任务 ${id}（${await nameGoal(db, task)}）`

/** Their files, in the order asked for. */
export async function listFiles(db: Db, packageIds: readonly number[]): Promise<PackageFile[]> {
  const { rows } = await sql<PackageFile>`
    SELECT k.file_id AS "fileId", k.file_name AS "fileName"
    FROM unnest(${packageIds}::int[]) WITH ORDINALITY AS n(id, position) JOIN software_package k ON k.id = n.id
    ORDER BY n.position`.execute(db)
  return rows
}

/** The files that a task keeps, which may not be the present ones of its packages. */
export async function listFilesOfTask(db: Db, taskId: number): Promise<PackageFile[]> {
  const { rows } = await sql<PackageFile>`
    SELECT file_id AS "fileId", file_name AS "fileName" FROM upgrade_task_package
    WHERE task_id = ${taskId} ORDER BY position`.execute(db)
  return rows
}

export const listFileNames = async (db: Db, packageIds: readonly number[]): Promise<string[]> =>
  (await listFiles(db, packageIds)).map(({ fileName }) => fileName)

/**
 * Where the devices of tasks stand: a row for each of the task's places. One that is not planned yet stands where its
 * organization's operators are, in the regions of their devices.
 */
export async function readPlacesOfTasks(db: Db, ids: readonly string[]): Promise<PlacedRow[]> {
  const { rows } = await sql<PlacedRow>`
    SELECT DISTINCT y.task_id::text AS id, y.operator_id AS "operatorId", m.equip_type_id AS "equipTypeId",
      y.region_id AS "regionId"
    FROM upgrade_tally y JOIN equip_model m ON m.id = y.model_id WHERE y.task_id = ANY(${ids}::int[])
    UNION
    SELECT DISTINCT a.id::text, d.operator_id, a.equip_type_id, d.region_id
    FROM upgrade_task a
    JOIN operator o ON o.organization_id = a.organization_id
    JOIN device d ON d.operator_id = o.id
    WHERE a.id = ANY(${ids}::int[]) AND NOT EXISTS (SELECT FROM upgrade_tally y WHERE y.task_id = a.id)`.execute(
    db,
  )
  return rows
}
