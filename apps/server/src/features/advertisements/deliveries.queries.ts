// SQL of deliveries: conditions on them, how they are added, and what their commands are made of.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../domain/access/data-scope.ts'
import type { Asker } from '../../domain/device-work/work.queries.ts'
import type { Db, Trx } from '../../platform/database/database.ts'

export const ofAdvertisement = (id: number) => sql<SqlBool>`t.advertisement_id = ${id}`

/** The deliveries `t` of that advertisement that are held. */
export const heldOf = (id: number) => sql<SqlBool>`
  t.advertisement_id = ${id} AND t.state = 'waiting' AND t.next_at IS NULL`

interface OfferedDelivery {
  id: string
  createdBy: number
  createdByName: string
  decidedIn: number | null
  /** Who asked for the attempt under way, where that is not the creator. */
  asker: Asker | null
}

/** The deliveries of this file to this cabinet that have not been withdrawn, within their periods. */
export async function listOffering(db: Db, deviceCode: string, fileId: string): Promise<OfferedDelivery[]> {
  const { rows } = await sql<OfferedDelivery>`
    SELECT t.id, a.created_by AS "createdBy", a.created_by_name AS "createdByName",
      a.decided_in AS "decidedIn",
      CASE WHEN t.asked_by IS NOT NULL
        THEN jsonb_build_object('userId', t.asked_by, 'name', t.asked_by_name) END AS asker
    FROM advertisement a
    JOIN advertisement_delivery t ON t.advertisement_id = a.id
    JOIN device d ON d.id = t.device_id
    WHERE a.file_id = ${fileId} AND d.code = ${deviceCode}
      AND a.deleted_at IS NULL AND a.ends_at > now() AND t.withdrawal IS NULL`.execute(db)
  return rows
}

/**
 * Adds what cabinets keep without a delivery, as one that is to be removed: a cabinet that was deleted and registered
 * again has none. Those that the advertisement is for get it back like any cabinet that left the scope. Returns their
 * number.
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
        SELECT FROM advertisement_delivery t WHERE t.advertisement_id = a.id AND t.device_id = d.id)
      ON CONFLICT ON CONSTRAINT advertisement_delivery_once DO NOTHING
      RETURNING 1
    ) SELECT count(*)::int AS count FROM added`.execute(trx)
  return rows[0]?.count ?? 0
}

/** Deliveries of the advertisements that these replace, to the same devices. */
export const replacedBy = (pairs: readonly { advertisementId: number; deviceId: number }[]) => sql<SqlBool>`
  (t.advertisement_id, t.device_id) IN (
    SELECT a.replaced_id, p.device_id
    FROM unnest(
      ${pairs.map(({ advertisementId }) => advertisementId)}::int[], ${pairs.map(({ deviceId }) => deviceId)}::int[]
    ) AS p(advertisement_id, device_id)
    JOIN advertisement a ON a.id = p.advertisement_id
    WHERE a.replaced_id IS NOT NULL)`

/** Adds the cabinets `d` of that condition that the advertisement does not have yet. Returns how many. */
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

/** Deliveries `t` whose cabinet is no longer among those of the condition on `d`, and which are not withdrawn. */
export const outside = (advertisementId: number, matching: RawBuilder<SqlBool>) => sql<SqlBool>`
  t.advertisement_id = ${advertisementId} AND t.withdrawal IS NULL AND NOT ${matching}`

/** Deliveries `t` that were withdrawn when their cabinet left, and whose cabinet is back. */
export const backInside = (advertisementId: number, matching: RawBuilder<SqlBool>) => sql<SqlBool>`
  t.advertisement_id = ${advertisementId} AND t.withdrawal = 'leftScope' AND ${matching}`

export interface DeliveryFile {
  advertisementId: number
  createdBy: number
  createdByName: string
  decidedIn: number | null
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
      a.decided_in AS "decidedIn", a.name, a.file_id AS "fileId", f.size_bytes::float8 AS "sizeBytes",
      f.sha256, f.content_type AS "contentType",
      (extract(epoch FROM a.starts_at) * 1000)::float8 AS "startsAtMs",
      (extract(epoch FROM a.ends_at) * 1000)::float8 AS "endsAtMs"
    FROM advertisement a JOIN stored_file f ON f.id = a.file_id
    WHERE a.id = ANY(${advertisementIds}::int[])`.execute(trx)
  return new Map(rows.map((row) => [row.advertisementId, row]))
}

/**
 * The deliveries `t` of devices that a report can change: all that are not at their end, and those that the device
 * still has though they are.
 */
export const concerned = (
  deviceIds: readonly number[],
  kept: readonly { deviceId: number; advertisementId: number }[],
) => sql<SqlBool>`
  t.device_id = ANY(${deviceIds}::int[]) AND (
    t.state NOT IN ('removed', 'ended')
    OR (t.device_id, t.advertisement_id) IN (
      SELECT * FROM unnest(
        ${kept.map(({ deviceId }) => deviceId)}::int[], ${kept.map(({ advertisementId }) => advertisementId)}::int[]))
  )`

/** The deliveries `t` of that advertisement that a user may send again, in the scope; of these ids where given. */
export const failedWithin = (
  scope: DataScope,
  advertisementId: number,
  ids: readonly string[] | null,
) => sql<SqlBool>`
  t.advertisement_id = ${advertisementId}
  AND (t.state IN ('failed', 'refused') OR (t.state = 'removing' AND t.attempts > 0))
  AND (${ids}::int8[] IS NULL OR t.id = ANY(${ids}::int8[])) AND ${deviceWithinScope(scope)}`

export interface Reach {
  /** Devices of the choice, of any type. */
  chosen: number
  devices: number
  offline: number
  types: { equipTypeName: string; devices: number }[]
}

/** How many devices `d` are chosen, and how many of them are cabinets, by type. */
export async function readReach(
  db: Db,
  { chosen, matching }: { chosen: RawBuilder<SqlBool>; matching: RawBuilder<SqlBool> },
): Promise<Reach> {
  const { rows } = await sql<Reach>`
    WITH cabinet AS MATERIALIZED (SELECT d.id, d.model_id FROM device d WHERE ${matching}),
    types AS (
      SELECT t.name AS "equipTypeName", count(*)::int AS devices
      FROM cabinet c JOIN equip_model m ON m.id = c.model_id JOIN equip_type t ON t.id = m.equip_type_id
      GROUP BY t.id ORDER BY 2 DESC, t.id
    )
    SELECT (SELECT count(*) FROM device d WHERE ${chosen})::int AS chosen,
      (SELECT count(*) FROM cabinet)::int AS devices,
      (SELECT count(*) FROM cabinet c LEFT JOIN device_state s ON s.device_id = c.id
       WHERE s.is_online IS NOT TRUE)::int AS offline,
      (SELECT coalesce(jsonb_agg(types), '[]') FROM types) AS types`.execute(db)
  return rows[0] ?? { chosen: 0, devices: 0, offline: 0, types: [] }
}
