// SQL of remote actions: what is known of the device when one is asked for, the record, and what is looked for in reports.
import type { RemoteAction, RemoteActionState } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../domain/access/data-scope.ts'
import type { Approved } from '../../domain/access/deciders.ts'
import { deviceIdsByCode } from '../../domain/access/device-search.ts'
import { areOnePerson } from '../../domain/access/one-person.ts'
import { personOf } from '../../domain/access/reaches.ts'
import { isUnsent } from '../../domain/device-work/work.queries.ts'
import { int4Array } from '../../platform/database/arrays.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { deletingOld } from '../../platform/database/jobs/retention.ts'
import { likeLiteral } from '../../platform/database/like.ts'
import { countRows, type Page } from '../../platform/database/paging.ts'
import type { Connection } from '../../platform/database/transaction.ts'

/** The device of an action, with what is last known of its compartment. */
export interface AskedDevice {
  id: number
  code: string
  name: string | null
  address: string | null
  equipClassify: string
  isOnline: boolean
  /** Null where the model does not say. */
  compartmentCount: number | null
  batteryCode: string | null
}

/** The device of this id in the scope. */
export async function findDevice(
  db: Db,
  scope: DataScope,
  id: number,
  compartment: number | null,
): Promise<AskedDevice | undefined> {
  const { rows } = await sql<AskedDevice>`
    SELECT d.id, d.code, d.name, d.address, t.classify AS "equipClassify", coalesce(s.is_online, false) AS "isOnline",
      m.compartment_count AS "compartmentCount",
      (SELECT c ->> 'batteryCode' FROM jsonb_array_elements(s.compartments) AS c
        WHERE (c ->> 'no')::int = ${compartment}::int LIMIT 1) AS "batteryCode"
    FROM device d
    JOIN equip_model m ON m.id = d.model_id
    JOIN equip_type t ON t.id = m.equip_type_id
    LEFT JOIN device_state s ON s.device_id = d.id
    WHERE d.id = ${id} AND ${deviceWithinScope(scope)}`.execute(db)
  return rows[0]
}

/** Whoever asks for an action on the device next waits until this transaction ends. */
export async function lockActionsOf(trx: Trx, deviceId: number): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('remote_action', ${deviceId}))`.execute(trx)
}

/** An alarm of fire, with the names of the definitions behind its value. */
export interface FireAlarm {
  name: string
  meanings: string[]
  /**
   * Why it counts: the device has it, who asks has declared it over and the device has reported nothing of it since, the
   * device or how it speaks was changed less than a day ago, or who asks has its secret and may have ended it. Who asks is also
   * another account that may be one person with that one.
   */
  why: 'active' | 'declaredOver' | 'kept' | 'secretHeld'
}

/**
 * Of who has declared alarms of fire of the device over, or has its secret in hand, those who may be this person, also by
 * another account.
 */
async function listAccounts(trx: Trx, deviceId: number, personId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT ${personOf(sql.ref<number>('s.recovered_by'))} AS id
    FROM alarm_state s JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code AND e.is_fire
    WHERE s.device_id = ${deviceId} AND NOT s.is_active AND s.recovered_by IS NOT NULL
    UNION
    SELECT ${personOf(sql.ref<number>('d.secret_by'))} FROM device d
    WHERE d.id = ${deviceId} AND d.secret_by IS NOT NULL`.execute(trx)
  const accounts = []
  for (const { id } of rows) if (await areOnePerson(trx, personId, id)) accounts.push(id)
  return accounts
}

/**
 * The active alarms of fire, and those that this person may have made go away, also by an API key or another account: whoever
 * declares a fire over, has the device's secret in hand, or had it registered anew or speak otherwise, does not open the door
 * alone. The latter two count for a day, the last one for everybody, since a row tells no more who did it. The value of an alarm that
 * is over stands in its history.
 */
export async function listFireAlarms(trx: Trx, deviceId: number, personId: number): Promise<FireAlarm[]> {
  const accounts = await listAccounts(trx, deviceId, personId)
  const isOf = (userId: string) =>
    sql<SqlBool>`${personOf(sql.ref<number>(userId))} = ANY(${accounts}::int[])`
  const aDayAgo = sql`now() - interval '24 hours'`
  const { rows } = await sql<FireAlarm>`
    WITH reported AS (
      SELECT s.semaphore_code, s.is_active, CASE WHEN s.is_active THEN s.value ELSE coalesce(h.value, 0) END AS value,
        -- Reports have the device's time: one that is ahead would date an older report after the declaration.
        NOT s.is_active AND ${isOf('s.recovered_by')}
          AND s.reported_at - greatest(coalesce(z.clock_offset_ms, 0), 0) * interval '1 ms' <= s.recovered_at AS is_declared,
        ${isOf('d.secret_by')} AND (s.is_active OR s.recovered_at > ${aDayAgo}
          OR s.recovered_at - z.clock_offset_ms * interval '1 ms' > ${aDayAgo}) AS is_in_hand
      FROM alarm_state s
      JOIN device d ON d.id = s.device_id
      LEFT JOIN device_state z ON z.device_id = s.device_id
      LEFT JOIN alarm_history h ON h.occurred_at = s.occurred_at AND h.id = s.episode_id
      WHERE s.device_id = ${deviceId}
    ), fires AS (
      SELECT semaphore_code, value, CASE WHEN is_active THEN 'active' ELSE 'declaredOver' END AS why
      FROM reported WHERE is_active OR is_declared
      UNION ALL
      -- Who can speak as the device can name other compartments: it counts for all of them.
      SELECT semaphore_code, NULL, 'secretHeld' FROM reported WHERE is_in_hand
      UNION ALL
      SELECT k.semaphore_code, k.value, 'kept' FROM kept_fire k
      WHERE k.device_id = ${deviceId} AND k.kept_at > ${aDayAgo}
      UNION ALL
      SELECT k.semaphore_code, k.value, 'kept' FROM device d JOIN kept_fire k ON k.names && ARRAY[d.code, d.protocol_identity]
      WHERE d.id = ${deviceId} AND EXISTS (
        SELECT FROM unnest(k.names, k.named_at) AS named (name, at)
        WHERE name IN (d.code, d.protocol_identity) AND at > ${aDayAgo})
    )
    SELECT e.name, s.why, ARRAY(
      SELECT f.name FROM semaphore_definition f
      WHERE f.entry_id = e.id AND f.equip_classify = t.classify AND CASE e.analysis_type
        WHEN 'BIT' THEN f.bit_position < 63 AND (s.value >> least(f.bit_position, 62)::int) & 1 = 1
        WHEN 'VALUE' THEN f.bit_position = s.value
      END
      ORDER BY f.bit_position
    ) AS meanings
    FROM (
      -- One alarm may be kept with other compartments than those that it has by now.
      SELECT DISTINCT ON (semaphore_code, value) * FROM fires ORDER BY semaphore_code, value, why
    ) s
    JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code AND e.is_fire
    JOIN device d ON d.id = ${deviceId}
    JOIN equip_model m ON m.id = d.model_id
    JOIN equip_type t ON t.id = m.equip_type_id
    ORDER BY e.alarm_level, e.name`.execute(trx)
  return rows
}

export interface SameAction {
  commandId: string
  createdBy: number
  createBy: string
}

/** The same action that was asked for within these seconds and has not failed. */
export async function findSame(
  trx: Trx,
  deviceId: number,
  { action, compartment }: { action: RemoteAction; compartment: number | null },
  withinSeconds: number,
): Promise<SameAction | undefined> {
  const { rows } = await sql<SameAction>`
    SELECT command_id AS "commandId", created_by AS "createdBy", created_by_name AS "createBy"
    FROM remote_action
    WHERE device_id = ${deviceId} AND action = ${action} AND compartment IS NOT DISTINCT FROM ${compartment}::smallint
      AND (state = 'sent' OR (state IN ('acknowledged', 'confirmed', 'unconfirmed')
        AND created_at > now() - ${withinSeconds} * interval '1 second'))
    ORDER BY id DESC LIMIT 1`.execute(trx)
  return rows[0]
}

export interface ActionValues {
  deviceId: number
  action: RemoteAction
  compartment: number | null
  batteryCode: string | null
  purpose: string
  createdBy: number
  createdByName: string
  address: string
  approvalId: string | null
  approvedBy: { userId: number; name: string } | null
  commandId: string
}

/** Returns the new id. */
export async function insertAction(trx: Trx, values: ActionValues): Promise<string> {
  const { id } = await trx
    .insertInto('remote_action')
    .values({
      device_id: values.deviceId,
      action: values.action,
      compartment: values.compartment,
      battery_code: values.batteryCode,
      purpose: values.purpose,
      created_by: values.createdBy,
      created_by_name: values.createdByName,
      address: values.address,
      approval_id: values.approvalId,
      approved_by: values.approvedBy?.userId ?? null,
      approved_by_name: values.approvedBy?.name ?? null,
      command_id: values.commandId,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return String(id)
}

export interface ActionRecord {
  id: string
  equipId: number
  equipCode: string
  equipName: string | null
  operatorName: string
  action: RemoteAction
  compartment: number | null
  batteryCode: string | null
  reason: string
  state: RemoteActionState
  note: string | null
  commandId: string
  createBy: string
  address: string
  approvedBy: string | null
  createTime: Date
  answerTime: Date | null
  confirmTime: Date | null
  changeTime: Date
}

const columns = sql`
  x.id, d.id AS "equipId", d.code AS "equipCode", d.name AS "equipName", p.name AS "operatorName", x.action,
  x.compartment, x.battery_code AS "batteryCode", x.purpose AS reason, x.state, x.reason AS note,
  x.command_id AS "commandId", x.created_by_name AS "createBy", x.address, x.approved_by_name AS "approvedBy",
  x.created_at AS "createTime", x.answered_at AS "answerTime",
  CASE WHEN x.state = 'confirmed' THEN x.shown_at END AS "confirmTime", x.changed_at AS "changeTime"`

export interface ActionFilter {
  deviceId?: number | undefined
  /** Codes or parts of them. */
  code?: readonly string[] | undefined
  actions?: readonly RemoteAction[] | undefined
  states?: readonly RemoteActionState[] | undefined
  compartment?: number | undefined
  createBy?: string | undefined
  commandId?: string | undefined
  from?: Date | null
  to?: Date | null
  ids?: readonly string[] | undefined
}

/** The actions `x` on devices `d` that a filter asks for, within the scope. */
function matching(scope: DataScope, filter: ActionFilter): RawBuilder<SqlBool> {
  const { deviceId, code, actions, states, compartment, createBy, commandId, from, to, ids } = filter
  const parts: RawBuilder<SqlBool>[] = [sql`${deviceWithinScope(scope)}`]
  if (deviceId !== undefined) parts.push(sql`x.device_id = ${deviceId}`)
  if (code) parts.push(sql`d.id = ANY(${deviceIdsByCode(scope, code)})`)
  if (actions) parts.push(sql`x.action = ANY(${actions}::text[])`)
  if (states) parts.push(sql`x.state = ANY(${states}::text[])`)
  if (compartment !== undefined) parts.push(sql`x.compartment = ${compartment}`)
  if (createBy !== undefined) parts.push(sql`x.created_by_name ILIKE ${`%${likeLiteral(createBy)}%`}`)
  if (commandId !== undefined) parts.push(sql`x.command_id = ${commandId}::uuid`)
  if (from) parts.push(sql`x.created_at >= ${from}`)
  if (to) parts.push(sql`x.created_at < ${to}`)
  if (ids) parts.push(sql`x.id = ANY(${ids}::int8[])`)
  return sql<SqlBool>`(${sql.join(parts, sql` AND `)})`
}

/** A page, newest first. */
export async function listActions(
  db: Db,
  scope: DataScope,
  filter: ActionFilter,
  { limit, offset }: Page,
): Promise<ActionRecord[]> {
  const { rows } = await sql<ActionRecord>`
    SELECT ${columns}
    FROM remote_action x JOIN device d ON d.id = x.device_id JOIN operator p ON p.id = d.operator_id
    WHERE ${matching(scope, filter)}
    ORDER BY x.id DESC LIMIT ${limit} OFFSET ${offset}`.execute(db)
  return rows
}

export async function countActions(db: Db, scope: DataScope, filter: ActionFilter): Promise<number> {
  return countRows(
    db,
    sql`FROM remote_action x JOIN device d ON d.id = x.device_id WHERE ${matching(scope, filter)}`,
  )
}

/** An action whose command has no answer, with who asked for it and who agreed to it. */
export interface Unanswered extends Approved {
  id: string
  /** No device has been handed the command. */
  isUnsent: boolean
  action: RemoteAction
  createdBy: number
  createdByName: string
}

export async function listUnanswered(db: Db): Promise<Unanswered[]> {
  const { rows } = await sql<Unanswered>`
    SELECT t.id, ${isUnsent} AS "isUnsent", t.action, t.created_by AS "createdBy", t.created_by_name AS "createdByName",
      t.approved_by AS "approvedBy", t.approved_by_name AS "approvedByName"
    FROM remote_action t JOIN device_command c ON c.id = t.command_id
    WHERE t.state = 'sent'
    ORDER BY t.id`.execute(db)
  return rows
}

/** Of these devices, those that have actions under way: mostly none. */
export async function listDevicesWithOpen(
  connection: Connection,
  deviceIds: readonly number[],
): Promise<number[]> {
  const { rows } = await connection.query<{ id: number }>({
    name: 'actions.listDevicesWithOpen',
    text: `
      SELECT m.id FROM unnest($1::int4[]) AS m(id)
      CROSS JOIN LATERAL (
        SELECT 1 FROM remote_action t
        WHERE t.device_id = m.id AND t.state IN ('sent', 'acknowledged') LIMIT 1
      ) AS o`,
    values: [int4Array(deviceIds)],
  })
  return rows.map(({ id }) => id)
}

/** Deletes actions asked for before the moment that are over, no more than `limit`; returns how many. */
export const deleteActions = deletingOld(({ db, before, limit }) =>
  sql`
    DELETE FROM remote_action WHERE id IN (
      SELECT id FROM remote_action
      WHERE state NOT IN ('sent', 'acknowledged') AND created_at < ${before} LIMIT ${limit})`.execute(db),
)
