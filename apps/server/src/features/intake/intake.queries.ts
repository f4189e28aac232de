// SQL of intake: devices by code, and refused connections and messages.

import type { IntakeReason } from '@voltkeep/contract'
import { sql } from 'kysely'
import { type DataScope, deviceWithinScope, isNarrowed, withinScope } from '../../domain/access/data-scope.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Device } from './admission/device-identities.ts'
import type { StandingAlarm } from './code-budget.ts'

/** Those of the devices that are registered, by code or by what they call themselves, in no order. */
export async function findDevicesByCode(db: Db, names: readonly string[]): Promise<Device[]> {
  const columns = sql`d.id, d.code, d.protocol_identity AS "protocolIdentity", d.model_id AS "modelId",
    d.secret_hash AS "secretHash", k.secret_hash AS "nextSecretHash", d.protocol`
  const devices = sql`device d LEFT JOIN ocpp_key_change k ON k.id = d.id AND k.former_hash = d.secret_hash
    AND k.done_at IS NULL AND k.failure IS NULL AND d.protocol = 'ocpp16'`
  const { rows } = await sql<Device>`
    SELECT ${columns} FROM ${devices} WHERE d.code = ANY(${names}::text[])
    UNION
    SELECT ${columns} FROM ${devices} WHERE d.protocol_identity = ANY(${names}::text[])`.execute(db)
  return rows
}

/** Devices of models with a mapping that are online, and have neither come nor reported anything since the moment. */
export async function listSilent(db: Db, since: Date): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT d.id FROM device d JOIN device_state s ON s.device_id = d.id
    WHERE d.protocol = 'mqtt' AND d.model_id IN (SELECT model_id FROM mapping_model) AND s.is_online
      AND greatest(s.last_report_at, s.online_changed_at) < ${since}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Alarms of a device, open or not, by code; no more than `most`. */
export async function readStandingAlarms(db: Db, deviceId: number, most: number): Promise<StandingAlarm[]> {
  const { rows } = await sql<StandingAlarm>`
    SELECT semaphore_code AS code, is_active AS "isOpen" FROM alarm_state
    WHERE device_id = ${deviceId} ORDER BY is_active DESC LIMIT ${most}`.execute(db)
  return rows
}

/** The codes of alarms and events that the dictionary defines. */
export async function readDefinedCodes(db: Db): Promise<Set<string>> {
  const { rows } = await sql<{ code: string }>`
    SELECT DISTINCT code FROM dictionary_entry WHERE type IN ('ALARM', 'EVENT')`.execute(db)
  return new Set(rows.map(({ code }) => code))
}

export interface RefusalRow {
  deviceCode: string
  deviceId: number | null
  reason: IntakeReason
  topic: string | null
  detail: string | null
  payload: string | null
  address: string | null
  count: number
  firstAt: Date
  lastAt: Date
}

/** Returns the ids in the order given. One parameter a column: after hours without a database there are thousands. */
export async function insertRefusals(db: Db, refusals: readonly RefusalRow[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    INSERT INTO intake_refusal
      (device_code, device_id, reason, topic, detail, payload, address, count, first_at, last_at)
    SELECT device_code, device_id, reason, topic, detail, payload, address, count, first_at, last_at
    FROM unnest(
      ${refusals.map(({ deviceCode }) => deviceCode)}::text[],
      ${refusals.map(({ deviceId }) => deviceId)}::int4[],
      ${refusals.map(({ reason }) => reason)}::text[],
      ${refusals.map(({ topic }) => topic)}::text[],
      ${refusals.map(({ detail }) => detail)}::text[],
      ${refusals.map(({ payload }) => payload)}::text[],
      ${refusals.map(({ address }) => address)}::text[],
      ${refusals.map(({ count }) => count)}::int8[],
      ${refusals.map(({ firstAt }) => firstAt)}::timestamptz[],
      ${refusals.map(({ lastAt }) => lastAt)}::timestamptz[]
    ) WITH ORDINALITY AS m(device_code, device_id, reason, topic, detail, payload, address, count,
      first_at, last_at, n)
    ORDER BY n
    RETURNING id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Adds to rows written before. */
export async function countRefusals(
  db: Db,
  repeats: readonly { id: string; count: number; lastAt: Date }[],
): Promise<void> {
  await sql`
    UPDATE intake_refusal r SET count = r.count + m.count, last_at = m.last_at
    FROM unnest(
      ${repeats.map(({ id }) => id)}::int8[],
      ${repeats.map(({ count }) => count)}::int8[],
      ${repeats.map(({ lastAt }) => lastAt)}::timestamptz[]
    ) AS m(id, count, last_at)
    WHERE r.id = m.id`.execute(db)
}

/** Keeps the table small: keeps the newest rows, `keep` of them, and none from before that moment. */
export async function trimRefusals(db: Db, { keep, before }: { keep: number; before: Date }): Promise<void> {
  await sql`
    DELETE FROM intake_refusal
    WHERE last_at < ${before} OR id <= (SELECT max(id) FROM intake_refusal) - ${keep}::int8`.execute(db)
}

export interface RefusalFilter {
  /** Letters and digits alone. */
  code?: readonly string[] | undefined
  reason?: IntakeReason | undefined
  from: Date | null
  to: Date | null
}

const ofRegistered = {
  operatorId: sql.ref<number>('n.operator_id'),
  modelId: sql.ref<number>('n.model_id'),
  regionId: sql.ref<number>('n.region_id'),
}

/** Beside the devices of the scope. */
export interface OthersSeen {
  /** Refusals of codes that are not registered, as far as no device beyond the scope has the code, or calls itself so, by now. */
  strangers: boolean
  /** Refusals of devices that were deleted: whose they were is not known any more. */
  deleted: boolean
}

/** Refusals of devices in the scope, newest first, and what the reader sees of others. */
export async function listRefusals(
  db: Db,
  scope: DataScope,
  filter: RefusalFilter,
  { sees, limit, offset }: { sees: OthersSeen; limit: number; offset: number },
) {
  const codes = filter.code ?? null
  const matching = sql`
    FROM intake_refusal r
    LEFT JOIN device d ON d.id = r.device_id
    LEFT JOIN operator o ON o.id = d.operator_id
    WHERE (
      (d.id IS NOT NULL AND ${deviceWithinScope(scope)})
      OR (d.id IS NULL AND r.device_id IS NOT NULL AND ${sees.deleted}::boolean)
      OR (r.device_id IS NULL AND ${sees.strangers}::boolean AND NOT EXISTS (
        SELECT FROM device n WHERE (n.code = r.device_code OR n.protocol_identity = r.device_code)
          AND NOT ${withinScope(scope, ofRegistered)}))
    )
    AND (${codes}::text[] IS NULL
      OR regexp_replace(r.device_code, '[^A-Za-z0-9]', '', 'g') = ANY(${codes}::text[]))
    AND (${filter.reason ?? null}::text IS NULL OR r.reason = ${filter.reason ?? null})
    AND (${filter.from}::timestamptz IS NULL OR r.last_at >= ${filter.from})
    AND (${filter.to}::timestamptz IS NULL OR r.last_at < ${filter.to})`
  const { rows } = await sql<{
    id: string
    code: string
    equipId: number | null
    operatorName: string | null
    reason: IntakeReason
    topic: string | null
    detail: string | null
    payload: string | null
    address: string | null
    count: number
    firstTime: Date
    lastTime: Date
  }>`
    SELECT r.id, r.device_code AS code, d.id AS "equipId", o.name AS "operatorName", r.reason, r.topic,
      r.detail, r.payload, r.address, r.count::float8 AS count, r.first_at AS "firstTime", r.last_at AS "lastTime"
    ${matching}
    ORDER BY r.last_at DESC, r.id DESC LIMIT ${limit} OFFSET ${offset}`.execute(db)
  const counted = await sql<{ total: number }>`SELECT count(*)::int4 AS total ${matching}`.execute(db)
  return { rows, total: counted.rows[0]?.total ?? 0 }
}

/** Whether it is a root organization, and the user is not narrowed to some of its devices. */
export async function isUnrestrictedAtRoot(
  db: Db,
  user: Pick<Actor, 'userId' | 'makerId' | 'organizationId'>,
): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM organization WHERE id = ${user.organizationId} AND parent_id IS NULL AND NOT ${isNarrowed(user)}`.execute(
    db,
  )
  return rows.length > 0
}
