// SQL of tasks as they are written: by users, and by the work queue.
import type { DeviceChoice, UpgradeRule, UpgradeTaskState, UpgradeType } from '@voltkeep/contract'
import { sql } from 'kysely'
import type { Approved } from '../../../domain/access/deciders.ts'
import { decidedIn } from '../../../domain/access/granted.ts'
import { inOwnTree } from '../../../domain/access/organization-tree.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import type { Pause } from '../stages/index.ts'

export type Viewer = Pick<Actor, 'isSystem' | 'organizationId'>

export interface TaskValues {
  type: UpgradeType
  packageIds: readonly number[]
  remark: string | null
  upgradeAt: Date
  endsAt: Date | null
  rule: UpgradeRule
  devices: DeviceChoice
  equipTypeId: number
}

/** Who agreed to a task as the second person. */
export interface Approver {
  userId: number
  name: string
  /** How many devices that user agreed to. Of an automatic task its package keeps it. */
  deviceCount?: number
}

export interface NewTask extends TaskValues {
  createdBy: number
  createdByName: string
  organizationId: number
  /** The organization in which the decision stays, where it was made before; null: in none. */
  decidedIn?: number | null
  approvedBy?: Approver | null
  /** The organization in which that decision stays, where it was made before; null: in none. */
  approvedIn?: number | null
  rollbackOf?: number
  rollbackStage?: number | null
}

/** Answers the new id. It is due at its time. */
export async function insertTask(trx: Trx, task: NewTask): Promise<number> {
  const { id } = await trx
    .insertInto('upgrade_task')
    .values({
      ignored_alarms: ignoredBy(task.rule),
      type: task.type,
      remark: task.remark,
      upgrade_at: task.upgradeAt,
      ends_at: task.endsAt,
      rule: JSON.stringify(task.rule),
      devices: JSON.stringify(task.devices),
      equip_type_id: task.equipTypeId,
      created_by: task.createdBy,
      created_by_name: task.createdByName,
      organization_id: task.organizationId,
      decided_in: task.decidedIn === undefined ? decidedIn(task.createdBy) : task.decidedIn,
      approved_by: task.approvedBy?.userId ?? null,
      approved_by_name: task.approvedBy?.name ?? null,
      approved_in: task.approvedIn === undefined ? approvedIn(task.approvedBy ?? null) : task.approvedIn,
      approved_count: task.approvedBy?.deviceCount ?? null,
      rollback_of: task.rollbackOf ?? null,
      rollback_stage: task.rollbackStage ?? null,
      next_at: task.upgradeAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await insertPackages(trx, id, task.packageIds)
  return id
}

const approvedIn = (approver: Approver | null) => (approver ? decidedIn(approver.userId) : null)

/** Codes of alarms that the gate of this rule does not count, by the levels of now. */
const ignoredBy = ({ alarmLevels }: Pick<UpgradeRule, 'alarmLevels'>) => sql<string[]>`ARRAY(
  SELECT code FROM dictionary_entry WHERE type = 'ALARM' AND alarm_level <> ALL(${alarmLevels}::smallint[]) ORDER BY code)`

/** The task keeps the packages' present bytes. */
async function insertPackages(trx: Trx, taskId: number, packageIds: readonly number[]): Promise<void> {
  await sql`
    INSERT INTO upgrade_task_package
      (task_id, position, package_id, file_id, file_name, file_by, file_by_name, file_reach)
    SELECT ${taskId}, n.position, k.id, k.file_id, k.file_name, k.file_by, k.file_by_name, k.file_reach
    FROM unnest(${packageIds}::int[]) WITH ORDINALITY AS n(id, position) JOIN software_package k ON k.id = n.id`.execute(
    trx,
  )
}

/** Writes what a rollback brings, as its plan in this transaction has it: one package may have several files. */
export async function keepPlannedBytes(trx: Trx, taskId: number): Promise<void> {
  await sql`
    WITH planned AS (
      SELECT package_id, file_id, min(position) AS position FROM upgrade_planned
      WHERE file_id IS NOT NULL AND skip IS DISTINCT FROM 'outOfReach' GROUP BY 1, 2
    ), supplied AS (
      SELECT DISTINCT ON (p.package_id, p.file_id) p.*, s.file_name, s.file_by, s.file_by_name, s.file_reach
      FROM planned p JOIN (
        SELECT id AS package_id, file_id, file_name, file_by, file_by_name, file_reach FROM software_package
        UNION ALL
        SELECT package_id, file_id, file_name, file_by, file_by_name, file_reach FROM upgrade_task_package
      ) s USING (package_id, file_id)
    ), cleared AS (
      DELETE FROM upgrade_task_package n WHERE n.task_id = ${taskId} AND EXISTS (SELECT FROM planned) RETURNING n.position
    )
    INSERT INTO upgrade_task_package
      (task_id, position, package_id, file_id, file_name, file_by, file_by_name, file_reach)
    SELECT ${taskId},
      (SELECT coalesce(max(position), 0) FROM cleared) + row_number() OVER (ORDER BY position, package_id, file_id),
      package_id, file_id, file_name, file_by, file_by_name, file_reach
    FROM supplied`.execute(trx)
}

/** A task whose packages stay keeps its bytes. */
export const keepsBytes = (
  { packageIds }: Pick<LockedTask, 'packageIds'>,
  wanted: readonly number[],
): boolean => JSON.stringify(wanted) === JSON.stringify(packageIds)

/** Writes the form. Who agreed to an earlier form has not agreed to this one. */
export async function updateTask(
  trx: Trx,
  { id, packageIds }: Pick<LockedTask, 'id' | 'packageIds'>,
  task: Omit<TaskValues, 'type'>,
  editor: { userId: number; name: string },
  approver: Approver | null,
): Promise<void> {
  await sql`
    UPDATE upgrade_task SET remark = ${task.remark}, upgrade_at = ${task.upgradeAt}, ends_at = ${task.endsAt},
      rule = ${JSON.stringify(task.rule)}::jsonb, ignored_alarms = ${ignoredBy(task.rule)}, devices = ${JSON.stringify(task.devices)}::jsonb,
      equip_type_id = ${task.equipTypeId}, next_at = ${task.upgradeAt}, version = version + 1,
      edited_by = ${editor.userId}, edited_by_name = ${editor.name},
      approved_by = ${approver?.userId ?? null}::int, approved_by_name = ${approver?.name ?? null},
      approved_in = ${approvedIn(approver)}, approved_count = ${approver?.deviceCount ?? null}::int
    WHERE id = ${id}`.execute(trx)
  if (keepsBytes({ packageIds }, task.packageIds)) return
  await sql`DELETE FROM upgrade_task_package WHERE task_id = ${id}`.execute(trx)
  await insertPackages(trx, id, task.packageIds)
}

/** Writes who agreed that the task, whose time has come, begins; it is due. */
export async function writeStartConsent(trx: Trx, id: number, approver: Required<Approver>): Promise<void> {
  await sql`
    UPDATE upgrade_task SET approved_by = ${approver.userId}, approved_by_name = ${approver.name},
      approved_in = ${approvedIn(approver)}, approved_count = ${approver.deviceCount}, is_held = false, next_at = now()
    WHERE id = ${id}`.execute(trx)
}

export async function writeHeld(trx: Trx, id: number, isHeld: boolean): Promise<void> {
  await sql`UPDATE upgrade_task SET is_held = ${isHeld} WHERE id = ${id}`.execute(trx)
}

/** For a task that has not begun; nothing refers to it. */
export async function deleteTask(trx: Trx, id: number): Promise<void> {
  await sql`DELETE FROM upgrade_transition WHERE task_id = ${id} AND target_id IS NULL`.execute(trx)
  await sql`DELETE FROM upgrade_task WHERE id = ${id}`.execute(trx)
}

export interface LockedTask extends Approved {
  id: number
  type: UpgradeType
  state: UpgradeTaskState
  remark: string | null
  upgradeAt: Date
  endsAt: Date | null
  rule: UpgradeRule
  /** Codes of alarms that its gate does not count: a level that is lowered later does not add to them. */
  ignoredAlarms: string[]
  devices: DeviceChoice
  equipTypeId: number
  packageIds: number[]
  createdBy: number
  createdByName: string
  /** Who changed it last, before it began. */
  editedBy: number | null
  editedByName: string | null
  /** The organization in which the decision of who agreed stays; null: in none. */
  approvedIn: number | null
  /** How many devices that user agreed to; null: not known, or of an automatic task. */
  approvedCount: number | null
  /** Its time has come, and it waits for a second person. */
  isHeld: boolean
  /** Who let it go on after the decision of the others stood no more; from then on the only decider beside who agreed. */
  takenOverBy: number | null
  takenOverByName: string | null
  /** Who ended the wait for a stage by hand, or let a stopped one go on: its alarm gate's verdict is also theirs. */
  letOnBy: number[]
  /** The organization in which the creator's decision stays; null: in none. */
  decidedIn: number | null
  /** Number of the stage under way. */
  stage: number | null
  pause: Pause | null
  rollbackOf: number | null
  rollbackStage: number | null
  checkedAt: Date | null
  /** When the next portion of targets is released; null where none is left. */
  releaseAt: Date | null
  version: number
}

/** Of the task `a`: who decides about it. */
export const deciderColumns = sql`
  a.id, a.type, a.state, a.created_by AS "createdBy", a.created_by_name AS "createdByName", a.edited_by AS "editedBy",
  a.edited_by_name AS "editedByName", a.taken_over_by AS "takenOverBy", a.taken_over_by_name AS "takenOverByName",
  a.decided_in AS "decidedIn", a.approved_by AS "approvedBy", a.approved_by_name AS "approvedByName",
  a.approved_in AS "approvedIn"`

export type Decided = Pick<
  LockedTask,
  | 'id'
  | 'type'
  | 'state'
  | 'createdBy'
  | 'createdByName'
  | 'editedBy'
  | 'editedByName'
  | 'takenOverBy'
  | 'takenOverByName'
  | 'decidedIn'
  | 'approvedBy'
  | 'approvedByName'
  | 'approvedIn'
>

/** Whether the choice of devices is the user's own: who changed the task last may have made another one. */
export const isOwnChoice = (
  { createdBy, editedBy }: Pick<Decided, 'createdBy' | 'editedBy'>,
  userId: number,
): boolean => createdBy === userId && (editedBy === null || editedBy === userId)

const lockedColumns = sql`
  ${deciderColumns}, a.remark, a.upgrade_at AS "upgradeAt", a.ends_at AS "endsAt", a.rule,
  a.ignored_alarms AS "ignoredAlarms", a.devices,
  a.equip_type_id AS "equipTypeId", a.stage,
  a.pause, a.rollback_of AS "rollbackOf", a.rollback_stage AS "rollbackStage", a.checked_at AS "checkedAt",
  a.release_at AS "releaseAt", a.version, a.approved_count AS "approvedCount", a.is_held AS "isHeld",
  a.let_on_by AS "letOnBy",
  ARRAY(SELECT package_id FROM upgrade_task_package WHERE task_id = a.id ORDER BY position) AS "packageIds"`

/** For a user: of the own organization and of those under it. */
export async function lockTask(trx: Trx, viewer: Viewer, id: number): Promise<LockedTask | undefined> {
  const { rows } = await sql<LockedTask>`
    SELECT ${lockedColumns} FROM upgrade_task a
    WHERE a.id = ${id} AND ${inOwnTree(viewer, sql.ref('a.organization_id'))} FOR NO KEY UPDATE`.execute(trx)
  return rows[0]
}

/** For the work queue. */
export async function lockForWork(trx: Trx, id: number): Promise<LockedTask | undefined> {
  const { rows } = await sql<LockedTask>`
    SELECT ${lockedColumns} FROM upgrade_task a WHERE a.id = ${id} FOR NO KEY UPDATE`.execute(trx)
  return rows[0]
}

/** The running tasks of those of these targets that wait for their command. */
export async function listDeciding(db: Db, targetIds: readonly string[]): Promise<Decided[]> {
  const { rows } = await sql<Decided>`
    SELECT ${deciderColumns} FROM upgrade_task a WHERE a.state = 'running' AND a.id IN (
      SELECT t.task_id FROM upgrade_target t WHERE t.id = ANY(${targetIds}::int8[]) AND t.state = 'waiting')`.execute(
    db,
  )
  return rows
}

/** From now on the task acts by the decision of this user, and still of who agreed to it. */
export async function takeOver(trx: Trx, id: number, user: { userId: number; name: string }): Promise<void> {
  await sql`
    UPDATE upgrade_task SET taken_over_by = ${user.userId}, taken_over_by_name = ${user.name} WHERE id = ${id}`.execute(
    trx,
  )
}

/** This user has ended the wait for a stage, or let a stopped one go on. */
export async function noteLetOn(trx: Trx, id: number, userId: number): Promise<void> {
  await sql`
    UPDATE upgrade_task SET let_on_by = array_append(array_remove(let_on_by, ${userId}::int), ${userId}::int)
    WHERE id = ${id}`.execute(trx)
}

/** When the work queue handles it again; null for never. */
export async function setDue(trx: Trx, id: number, dueAt: Date | null): Promise<void> {
  await sql`UPDATE upgrade_task SET next_at = ${dueAt} WHERE id = ${id}`.execute(trx)
}

export async function markChecked(trx: Trx, id: number): Promise<void> {
  await sql`UPDATE upgrade_task SET checked_at = now() WHERE id = ${id}`.execute(trx)
}

export interface TaskChange {
  state: UpgradeTaskState
  /** Left out: as it was. */
  stage?: number | null
  pause?: Pause | null
  targetCount?: number
  /** Why it ends without having reached a device. */
  stopNote?: string
}

/** Writes a new state. A task in a final state is never due again, and only a running one releases targets. */
export async function writeTask(trx: Trx, id: number, change: TaskChange): Promise<void> {
  const { state, stage, pause, targetCount, stopNote } = change
  const isFinal = state === 'finished' || state === 'cancelled'
  await sql`
    UPDATE upgrade_task SET state = ${state},
      stage = CASE WHEN ${stage !== undefined} THEN ${stage ?? null}::int ELSE stage END,
      pause = CASE WHEN ${pause !== undefined} THEN ${pause ? JSON.stringify(pause) : null}::jsonb ELSE pause END,
      target_count = coalesce(${targetCount ?? null}::int, target_count),
      stop_note = coalesce(${stopNote ?? null}::text, stop_note),
      -- A level that was raised since the task was made counts from its beginning on, also if it is lowered again.
      ignored_alarms = CASE WHEN ${state === 'running'} AND started_at IS NULL
        THEN ARRAY(
          SELECT code FROM unnest(ignored_alarms) AS i (code)
          WHERE code IN (
            SELECT code FROM dictionary_entry WHERE type = 'ALARM' AND NOT rule -> 'alarmLevels' @> to_jsonb(alarm_level)))
        ELSE ignored_alarms END,
      started_at = CASE WHEN ${state === 'running'} THEN coalesce(started_at, now()) ELSE started_at END,
      finished_at = CASE WHEN ${isFinal} THEN now() END,
      next_at = CASE WHEN ${isFinal} THEN NULL ELSE next_at END,
      release_at = CASE WHEN ${state === 'running'} THEN release_at END
    WHERE id = ${id}`.execute(trx)
}
