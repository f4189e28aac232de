// SQL of what agents poll for: the attempts of upgrades that are open for a device, and what it says of itself.
import { type SqlBool, sql } from 'kysely'
import type { Db, Trx } from '../../platform/database/database.ts'
import type { AttributeValues, Order, Outcome } from './ddi.rules.ts'
import { firstPartOf } from './matching.ts'

/** The attempt of the action `a` is the present one of its target `t`, which is open. */
const isAwaited = sql<SqlBool>`(t.id IS NOT NULL AND t.command_id = a.command_id
  AND t.state IN ('waiting', 'sent', 'downloading', 'installing'))`

/** The command `c` of the target `t` may be handed over, or has been: by the action `a`, null where it has none yet. */
const isDeployed = sql<SqlBool>`(a.ended_at IS NULL AND (
  a.retrieved_at IS NOT NULL OR (t.state = 'sent' AND c.next_at IS NOT NULL AND c.deadline > now())))`

/** The agent of the action `a` is to be told to stop: it has begun, and its target `t` waits for it no more. */
const isToStop = sql<SqlBool>`(a.retrieved_at IS NOT NULL AND a.ended_at IS NULL AND a.cancel_refused_at IS NULL
  AND NOT ${isAwaited} AND t.state IS DISTINCT FROM 'succeeded')`

export interface Standing {
  /** Null: it has not polled before. */
  wantsAttributes: boolean | null
  /** The attempt to work on. */
  deployment: { actionId: number | null; commandId: string; targetId: string } | null
  /** The attempt to stop. */
  cancelId: number | null
  /** The last that succeeded. */
  installedId: number | null
}

/** What a poll of the device is answered with. */
export async function readStanding(db: Db, deviceId: number): Promise<Standing> {
  const { rows } = await sql<Standing>`
    SELECT
      (SELECT wants_attributes FROM ddi_device WHERE device_id = ${deviceId}) AS "wantsAttributes",
      (SELECT jsonb_build_object('actionId', a.id, 'commandId', t.command_id, 'targetId', t.id::text)
       FROM upgrade_target t JOIN device_command c ON c.id = t.command_id
       LEFT JOIN ddi_action a ON a.command_id = t.command_id
       WHERE t.device_id = ${deviceId} AND t.state IN ('waiting', 'sent', 'downloading', 'installing')
         AND ${isDeployed}
       ORDER BY a.retrieved_at IS NULL, t.id LIMIT 1) AS deployment,
      (SELECT a.id FROM ddi_action a LEFT JOIN upgrade_target t ON t.id = a.target_id
       WHERE a.device_id = ${deviceId} AND ${isToStop} ORDER BY a.id LIMIT 1) AS "cancelId",
      (SELECT max(a.id) FROM ddi_action a WHERE a.device_id = ${deviceId} AND a.outcome = 'success') AS "installedId"
  `.execute(db)
  return rows[0] as Standing
}

/** The number of a command for agents, the same each time. */
export async function numberAction(
  db: Db,
  deviceId: number,
  { commandId, targetId }: { commandId: string; targetId: string },
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    WITH added AS (
      INSERT INTO ddi_action (device_id, command_id, target_id)
      VALUES (${deviceId}, ${commandId}::uuid, ${targetId}::int8)
      ON CONFLICT (command_id) DO NOTHING RETURNING id
    )
    SELECT id FROM added UNION ALL SELECT id FROM ddi_action WHERE command_id = ${commandId}::uuid LIMIT 1`.execute(
    db,
  )
  return (rows[0] as { id: number }).id
}

export interface Action {
  id: number
  commandId: string
  targetId: string
  isRetrieved: boolean
  isDownloaded: boolean
  outcome: Outcome | null
  isAwaited: boolean
  isDeployed: boolean
  isToStop: boolean
  isCancelRefused: boolean
  /** Null where the command is forgotten. */
  order: Order | null
  deadline: Date | null
  /** What it brings; null where that is gone. */
  file: { id: string; sizeBytes: number; md5: string; sha1: string; sha256: string } | null
}

/** An action of the device; undefined where it has no such one. */
export async function findAction(db: Db, deviceId: number, id: number): Promise<Action | undefined> {
  const { rows } = await sql<Action>`
    SELECT a.id, a.command_id AS "commandId", a.target_id::text AS "targetId",
      a.retrieved_at IS NOT NULL AS "isRetrieved", a.downloaded_at IS NOT NULL AS "isDownloaded", a.outcome,
      ${isAwaited} AS "isAwaited", coalesce(${isAwaited} AND ${isDeployed}, false) AS "isDeployed",
      ${isToStop} AS "isToStop", a.cancel_refused_at IS NOT NULL AS "isCancelRefused",
      c.body AS "order", c.deadline,
      CASE WHEN f.id IS NOT NULL THEN jsonb_build_object('id', f.id, 'sizeBytes', f.size_bytes, 'md5', f.md5,
        'sha1', f.sha1, 'sha256', f.sha256) END AS file
    FROM ddi_action a
    LEFT JOIN device_command c ON c.id = a.command_id
    LEFT JOIN upgrade_target t ON t.id = a.target_id
    LEFT JOIN LATERAL (
      SELECT f.* FROM upgrade_task_package n JOIN stored_file f ON f.id = n.file_id
      WHERE n.task_id = t.task_id AND n.package_id = t.package_id AND f.sha256 = c.body ->> 'sha256' LIMIT 1
    ) f ON true
    WHERE a.id = ${id} AND a.device_id = ${deviceId}`.execute(db)
  return rows[0]
}

/** Feedback on one action is taken in one after the other. */
export async function lockAction(trx: Trx, deviceId: number, id: number): Promise<Action | undefined> {
  await sql`SELECT FROM ddi_action WHERE id = ${id} AND device_id = ${deviceId} FOR NO KEY UPDATE`.execute(
    trx,
  )
  return findAction(trx, deviceId, id)
}

/** Whether the device has the command by its own word. */
export async function hasTaken(trx: Trx, commandId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('device_command')
    .select('outcome')
    .where('id', '=', commandId)
    .executeTakeFirst()
  return row?.outcome === 'done'
}

type Mark = 'retrieved_at' | 'downloaded_at' | 'cancel_refused_at'

export async function markAction(trx: Trx, id: number, mark: Mark): Promise<void> {
  const column = sql.ref(mark)
  await sql`UPDATE ddi_action SET ${column} = coalesce(${column}, now()) WHERE id = ${id}`.execute(trx)
}

export async function endAction(trx: Trx, id: number, outcome: Outcome): Promise<void> {
  await sql`UPDATE ddi_action SET ended_at = now(), outcome = ${outcome} WHERE id = ${id}`.execute(trx)
}

/** Notes that the device has polled for the first time. */
export async function insertDevice(db: Db, deviceId: number): Promise<void> {
  await sql`INSERT INTO ddi_device (device_id) VALUES (${deviceId}) ON CONFLICT DO NOTHING`.execute(db)
}

export interface Described {
  attributes: AttributeValues
  /** The first part of its model. */
  firstPart: string | null
  /** Parts whose version is known, or known to be unknown. */
  parts: string[]
}

/** What is known of a device, locked against a second agent's word. */
export async function lockDevice(trx: Trx, deviceId: number): Promise<Described> {
  await insertDevice(trx, deviceId)
  const { rows } = await sql<Described>`
    SELECT n.attributes,
      ${firstPartOf(sql.ref<number>('d.model_id'))} AS "firstPart",
      ARRAY(SELECT DISTINCT v.part_type FROM device_version v WHERE v.device_id = d.id) AS parts
    FROM ddi_device n JOIN device d ON d.id = n.device_id
    WHERE n.device_id = ${deviceId} FOR NO KEY UPDATE OF n`.execute(trx)
  return rows[0] as Described
}

export async function updateAttributes(
  trx: Trx,
  deviceId: number,
  attributes: AttributeValues,
): Promise<void> {
  await sql`
    UPDATE ddi_device SET attributes = ${JSON.stringify(attributes)}::jsonb, wants_attributes = false, changed_at = now()
    WHERE device_id = ${deviceId}`.execute(trx)
}

export async function wantAttributes(trx: Trx, deviceId: number): Promise<void> {
  await sql`UPDATE ddi_device SET wants_attributes = true WHERE device_id = ${deviceId}`.execute(trx)
}
