// Deliveries as they move: read under a lock, changed by advertisements.states.ts, written back in one statement.
import type { DeliveryState } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../domain/access/data-scope.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import type { Delivery, Withdrawal } from './advertisements.states.ts'

/** A delivery with what its command needs. */
export interface MovingDelivery extends Delivery {
  id: string
  advertisementId: number
  deviceId: number
  deviceCode: string
  /** Who asked for the attempt, where that is not the creator. */
  asker: Asker | null
  /** The end of the advertisement's period. */
  endsAtMs: number
}

export interface Asker {
  userId: number
  name: string
}

interface Row {
  id: string
  advertisementId: number
  deviceId: number
  deviceCode: string
  commandId: string | null
  state: DeliveryState
  attempts: number
  dueAt: Date | null
  reason: string | null
  withdrawal: Withdrawal | null
  reportedAt: Date | null
  asker: Asker | null
  endsAt: Date
}

const askerOf = sql`
  CASE WHEN v.asked_by IS NOT NULL THEN jsonb_build_object('userId', v.asked_by, 'name', v.asked_by_name) END`

/**
 * Locks the deliveries `v` of that condition, in the order of their ids: every writer takes them in this order,
 * so that no two wait for each other.
 */
export async function lockDeliveries(trx: Trx, condition: RawBuilder<SqlBool>): Promise<MovingDelivery[]> {
  const { rows } = await sql<Row>`
    SELECT v.id, v.advertisement_id AS "advertisementId", v.device_id AS "deviceId", d.code AS "deviceCode",
      v.command_id AS "commandId", v.state, v.attempts, v.next_at AS "dueAt", v.reason, v.withdrawal,
      v.reported_at AS "reportedAt", a.ends_at AS "endsAt", ${askerOf} AS asker
    FROM advertisement_delivery v
    JOIN device d ON d.id = v.device_id
    JOIN advertisement a ON a.id = v.advertisement_id
    WHERE ${condition}
    ORDER BY v.id FOR UPDATE OF v`.execute(trx)
  return rows.map(({ dueAt, reportedAt, endsAt, ...row }) => ({
    ...row,
    dueAtMs: dueAt?.getTime() ?? null,
    reportedAtMs: reportedAt?.getTime() ?? null,
    endsAtMs: endsAt.getTime(),
  }))
}

export const ofIds = (ids: readonly string[]) => sql<SqlBool>`v.id = ANY(${ids}::int8[])`
export const ofCommands = (ids: readonly string[]) => sql<SqlBool>`v.command_id = ANY(${ids}::uuid[])`
/** Commands of deliveries `v` of that condition that may not have been answered. Takes no lock. */
export async function commandsUnderWay(trx: Trx, condition: RawBuilder<SqlBool>): Promise<string[]> {
  const { rows } = await sql<{ commandId: string }>`
    SELECT v.command_id AS "commandId" FROM advertisement_delivery v JOIN device d ON d.id = v.device_id
    WHERE ${condition} AND v.state = 'sent' AND v.command_id IS NOT NULL`.execute(trx)
  return rows.map(({ commandId }) => commandId)
}

export const ofAdvertisement = (id: number) => sql<SqlBool>`v.advertisement_id = ${id}`

/** The deliveries `v` of that advertisement that are held. */
export const heldOf = (id: number) => sql<SqlBool>`
  v.advertisement_id = ${id} AND v.state = 'waiting' AND v.next_at IS NULL`

/** The deliveries `v` of an advertisement whose command `c` no cabinet has been handed. */
const isUnsent = (advertisementId: number) => sql<SqlBool>`
  v.advertisement_id = ${advertisementId} AND v.state = 'sent' AND c.state = 'waiting'`

/** Who, beside the creator, asked for attempts whose commands no cabinet has been handed. Takes no lock. */
export async function listUnsentAskers(trx: Trx, advertisementId: number): Promise<Asker[]> {
  const { rows } = await sql<Asker>`
    SELECT DISTINCT v.asked_by AS "userId", v.asked_by_name AS name
    FROM advertisement_delivery v JOIN device_command c ON c.id = v.command_id
    WHERE ${isUnsent(advertisementId)} AND v.asked_by IS NOT NULL`.execute(trx)
  return rows
}

/**
 * Locks the commands of an advertisement that no cabinet has been handed: none will be, until the transaction is over.
 * With `asked`, those that this user asked for, for cabinets out of that scope.
 */
export async function lockUnsent(
  trx: Trx,
  advertisementId: number,
  asked?: { by: number; beyond: DataScope },
): Promise<{ id: string; commandId: string }[]> {
  const { rows } = await sql<{ id: string; commandId: string }>`
    SELECT v.id, v.command_id AS "commandId"
    FROM advertisement_delivery v JOIN device_command c ON c.id = v.command_id JOIN device d ON d.id = v.device_id
    WHERE ${isUnsent(advertisementId)}
      AND ${asked ? sql`v.asked_by = ${asked.by} AND NOT ${deviceWithinScope(asked.beyond)}` : sql`true`}
    ORDER BY c.id FOR UPDATE OF c`.execute(trx)
  return rows
}

interface OfferedDelivery {
  id: string
  createdBy: number
  createdByName: string
  organizationId: number
}

/** The deliveries of this file to this cabinet that have not been withdrawn, within their periods. */
export async function listOffering(db: Db, deviceCode: string, fileId: string): Promise<OfferedDelivery[]> {
  const { rows } = await sql<OfferedDelivery>`
    SELECT v.id, a.created_by AS "createdBy", a.created_by_name AS "createdByName",
      a.organization_id AS "organizationId"
    FROM advertisement a
    JOIN advertisement_delivery v ON v.advertisement_id = a.id
    JOIN device d ON d.id = v.device_id
    WHERE a.file_id = ${fileId} AND d.code = ${deviceCode}
      AND a.deleted_at IS NULL AND a.ends_at > now() AND v.withdrawal IS NULL`.execute(db)
  return rows
}

/** Of these deliveries, those whose cabinet lies in the scope. */
export async function listWithin(trx: Db, scope: DataScope, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    SELECT v.id FROM advertisement_delivery v JOIN device d ON d.id = v.device_id
    WHERE v.id = ANY(${ids}::int8[]) AND ${deviceWithinScope(scope)}`.execute(trx)
  return new Set(rows.map(({ id }) => id))
}

/**
 * Adds what cabinets keep without a delivery, as one that is to be removed: a cabinet that was deleted and registered
 * again has none. Those that the advertisement is for get it back like any cabinet that left the scope. Answers how many.
 */
export async function addUnknown(
  trx: Trx,
  kept: readonly { deviceId: number; advertisementId: number }[],
): Promise<number> {
  if (kept.length === 0) return 0
  const { rows } = await sql<{ count: number }>`
    WITH added AS (
      INSERT INTO advertisement_delivery (advertisement_id, device_id, state, withdrawal)
      SELECT a.id, d.id, 'removing',
        CASE WHEN a.deleted_at IS NOT NULL THEN 'deleted' WHEN a.ends_at <= now() THEN 'over' ELSE 'leftScope' END
      FROM unnest(
        ${kept.map(({ deviceId }) => deviceId)}::int[], ${kept.map(({ advertisementId }) => advertisementId)}::int[]
      ) AS k(device_id, advertisement_id)
      JOIN advertisement a ON a.id = k.advertisement_id
      JOIN device d ON d.id = k.device_id
      WHERE NOT EXISTS (
        SELECT FROM advertisement_delivery v WHERE v.advertisement_id = a.id AND v.device_id = d.id)
      ON CONFLICT ON CONSTRAINT advertisement_delivery_once DO NOTHING
      RETURNING 1
    ) SELECT count(*)::int AS count FROM added`.execute(trx)
  return rows[0]?.count ?? 0
}

/** Deliveries of the advertisements that these replace, to the same devices. */
export const replacedBy = (pairs: readonly { advertisementId: number; deviceId: number }[]) => sql<SqlBool>`
  (v.advertisement_id, v.device_id) IN (
    SELECT a.replaced_id, p.device_id
    FROM unnest(
      ${pairs.map(({ advertisementId }) => advertisementId)}::int[], ${pairs.map(({ deviceId }) => deviceId)}::int[]
    ) AS p(advertisement_id, device_id)
    JOIN advertisement a ON a.id = p.advertisement_id
    WHERE a.replaced_id IS NOT NULL)`

/** Writes locked deliveries that have changed. */
export async function writeDeliveries(trx: Trx, deliveries: readonly MovingDelivery[]): Promise<void> {
  if (deliveries.length === 0) return
  const at = (ms: number | null) => (ms === null ? null : new Date(ms))
  await sql`
    UPDATE advertisement_delivery v SET
      state = n.state, attempts = n.attempts, next_at = n.next_at, reason = n.reason,
      withdrawal = n.withdrawal, command_id = n.command_id, reported_at = n.reported_at,
      asked_by = n.asked_by, asked_by_name = n.asked_by_name,
      stored_at = CASE WHEN n.state IN ('stored', 'shown') THEN coalesce(v.stored_at, now())
                       WHEN n.state IN ('waiting', 'sent', 'failed', 'refused') THEN NULL ELSE v.stored_at END,
      shown_at = CASE WHEN n.state = 'shown' THEN coalesce(v.shown_at, now())
                      WHEN n.state IN ('waiting', 'sent', 'failed', 'refused') THEN NULL ELSE v.shown_at END,
      changed_at = CASE WHEN v.state = n.state THEN v.changed_at ELSE now() END
    FROM unnest(
      ${deliveries.map(({ id }) => id)}::int8[],
      ${deliveries.map(({ state }) => state)}::text[],
      ${deliveries.map(({ attempts }) => attempts)}::int[],
      ${deliveries.map(({ dueAtMs }) => at(dueAtMs))}::timestamptz[],
      ${deliveries.map(({ reason }) => reason)}::text[],
      ${deliveries.map(({ withdrawal }) => withdrawal)}::text[],
      ${deliveries.map(({ commandId }) => commandId)}::uuid[],
      ${deliveries.map(({ reportedAtMs }) => at(reportedAtMs))}::timestamptz[],
      ${deliveries.map(({ asker }) => asker?.userId ?? null)}::int[],
      ${deliveries.map(({ asker }) => asker?.name ?? null)}::text[]
    ) AS n(id, state, attempts, next_at, reason, withdrawal, command_id, reported_at, asked_by, asked_by_name)
    WHERE v.id = n.id`.execute(trx)
}

/** Adds the cabinets `d` of that condition that the advertisement does not have yet. Answers how many. */
export async function addDeliveries(
  trx: Trx,
  advertisementId: number,
  matching: RawBuilder<SqlBool>,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    WITH added AS (
      INSERT INTO advertisement_delivery (advertisement_id, device_id)
      SELECT ${advertisementId}::int, d.id FROM device d WHERE ${matching}
      ON CONFLICT ON CONSTRAINT advertisement_delivery_once DO NOTHING
      RETURNING 1
    ) SELECT count(*)::int AS count FROM added`.execute(trx)
  return rows[0]?.count ?? 0
}

/** Deliveries `v` whose cabinet is no longer among those of the condition on `d`, and which are not withdrawn. */
export const outside = (advertisementId: number, matching: RawBuilder<SqlBool>) => sql<SqlBool>`
  v.advertisement_id = ${advertisementId} AND v.withdrawal IS NULL AND NOT ${matching}`

/** Deliveries `v` that were withdrawn when their cabinet left, and whose cabinet is back. */
export const backInside = (advertisementId: number, matching: RawBuilder<SqlBool>) => sql<SqlBool>`
  v.advertisement_id = ${advertisementId} AND v.withdrawal = 'leftScope' AND ${matching}`

export interface DeliveryFile {
  advertisementId: number
  createdBy: number
  createdByName: string
  organizationId: number
  name: string
  fileId: string
  sizeBytes: number
  sha256: string
  contentType: string
  startsAtMs: number
  endsAtMs: number
}

/** What the `advertise` command says of each advertisement. */
export async function readFiles(
  trx: Trx,
  advertisementIds: readonly number[],
): Promise<Map<number, DeliveryFile>> {
  const { rows } = await sql<DeliveryFile>`
    SELECT a.id AS "advertisementId", a.created_by AS "createdBy", a.created_by_name AS "createdByName",
      a.organization_id AS "organizationId", a.name, a.file_id AS "fileId", f.size_bytes::float8 AS "sizeBytes",
      f.sha256, f.content_type AS "contentType",
      (extract(epoch FROM a.starts_at) * 1000)::float8 AS "startsAtMs",
      (extract(epoch FROM a.ends_at) * 1000)::float8 AS "endsAtMs"
    FROM advertisement a JOIN stored_file f ON f.id = a.file_id
    WHERE a.id = ANY(${advertisementIds}::int[])`.execute(trx)
  return new Map(rows.map((row) => [row.advertisementId, row]))
}

/**
 * The deliveries `v` of devices that a report can change: all that are not at their end, and those that the device
 * still has though they are.
 */
export const concerned = (
  deviceIds: readonly number[],
  kept: readonly { deviceId: number; advertisementId: number }[],
) => sql<SqlBool>`
  v.device_id = ANY(${deviceIds}::int[]) AND (
    v.state NOT IN ('removed', 'ended')
    OR (v.device_id, v.advertisement_id) IN (
      SELECT * FROM unnest(
        ${kept.map(({ deviceId }) => deviceId)}::int[], ${kept.map(({ advertisementId }) => advertisementId)}::int[]))
  )`

/** The deliveries `v` of that advertisement that a user may send again, in the scope; of these ids where given. */
export const failedWithin = (
  scope: DataScope,
  advertisementId: number,
  ids: readonly string[] | null,
) => sql<SqlBool>`
  v.advertisement_id = ${advertisementId} AND v.state IN ('failed', 'refused', 'removing')
  AND (${ids}::int8[] IS NULL OR v.id = ANY(${ids}::int8[])) AND ${deviceWithinScope(scope)}`
