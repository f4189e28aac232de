// SQL of device_state about which process has a device's connection (held_by) and how often it has connected (held_epoch).
import type pg from 'pg'
import {
  booleanArray,
  int4Array,
  readNumbers,
  textArray,
  timestampArray,
  unparsed,
} from '../../../platform/database/arrays.ts'

export interface Claim {
  deviceId: number
  /** The lease under which it has connected. */
  nodeId: number
  /** False where it has left again by now. */
  isOnline: boolean
  atMs: number
  /** Where it connected from; null leaves what is known. */
  address: string | null
}

export interface Claimed {
  deviceId: number
  epoch: number
  /** The process that had it before. */
  takenFrom: number | null
  changedAt: Date | null
}

/**
 * The devices have connected to this process; each at most once in the list. Of a process whose lease has ended nothing
 * is written: what it says is from before. The clock is the statement's, since a process may be stopped within a
 * transaction.
 */
export async function claimDevices(db: pg.ClientBase, claims: readonly Claim[]): Promise<Claimed[]> {
  const { rows } = await db.query<Claimed>({
    name: 'devices.claim',
    text: `
      INSERT INTO device_state AS s (device_id, is_online, online_changed_at, connected_from, held_by, held_epoch)
      SELECT m.device_id, m.is_online, m.at, nullif(m.address, ''), m.node_id, 1
      FROM unnest($1::int4[], $2::bool[], $3::timestamptz[], $4::text[], $5::int4[])
        AS m(device_id, is_online, at, address, node_id)
      JOIN device d ON d.id = m.device_id
      JOIN node n ON n.id = m.node_id AND n.lease_until > clock_timestamp()
      ON CONFLICT (device_id) DO UPDATE
      SET is_online = excluded.is_online,
        online_changed_at = CASE
          WHEN s.is_online = excluded.is_online THEN s.online_changed_at
          ELSE excluded.online_changed_at
        END,
        connected_from = coalesce(excluded.connected_from, s.connected_from),
        held_by = excluded.held_by, held_epoch = s.held_epoch + 1,
        taken_from = CASE WHEN s.held_by <> excluded.held_by THEN s.held_by END
      RETURNING device_id AS "deviceId", held_epoch AS epoch, taken_from AS "takenFrom",
        online_changed_at AS "changedAt"`,
    values: [
      int4Array(claims.map(({ deviceId }) => deviceId)),
      booleanArray(claims.map(({ isOnline }) => isOnline)),
      timestampArray(claims.map(({ atMs }) => atMs)),
      textArray(claims.map(({ address }) => address ?? '')),
      int4Array(claims.map(({ nodeId }) => nodeId)),
    ],
  })
  return rows
}

export interface HeldDevice {
  deviceId: number
  nodeId: number
  epoch: number
}

/** The devices have left this process. Returns those that have not connected to any since. */
export async function releaseDevices(
  db: pg.ClientBase,
  releases: readonly (HeldDevice & { atMs: number })[],
): Promise<number[]> {
  const { rows } = await db.query<{ deviceId: number }>({
    name: 'devices.release',
    text: `
      UPDATE device_state s SET is_online = false, online_changed_at = m.at
      FROM unnest($1::int4[], $2::timestamptz[], $3::int4[], $4::int4[]) AS m(device_id, at, node_id, epoch)
      WHERE s.device_id = m.device_id AND s.held_by = m.node_id AND s.held_epoch = m.epoch AND s.is_online
      RETURNING s.device_id AS "deviceId"`,
    values: [
      int4Array(releases.map(({ deviceId }) => deviceId)),
      timestampArray(releases.map(({ atMs }) => atMs)),
      int4Array(releases.map(({ nodeId }) => nodeId)),
      int4Array(releases.map(({ epoch }) => epoch)),
    ],
  })
  return rows.map(({ deviceId }) => deviceId)
}

/** Those of the devices that another process has taken. */
export async function listTaken(db: pg.Pool, held: readonly HeldDevice[]): Promise<number[]> {
  const { rows } = await db.query({
    text: `
      SELECT array_agg(s.device_id) AS ids
      FROM unnest($1::int4[], $2::int4[]) AS m(device_id, node_id)
      JOIN device_state s ON s.device_id = m.device_id AND s.held_by <> m.node_id`,
    values: [int4Array(held.map(({ deviceId }) => deviceId)), int4Array(held.map(({ nodeId }) => nodeId))],
    types: unparsed,
  })
  return readNumbers(rows[0].ids) as number[]
}

/** Puts devices under another lease of the same process, where nobody has taken them; returns these. */
export async function adoptDevices(
  db: pg.Pool,
  held: readonly HeldDevice[],
  { formerId, id }: { formerId: number; id: number },
): Promise<number[]> {
  const { rows } = await db.query<{ deviceId: number }>({
    text: `
      UPDATE device_state s SET held_by = $3
      FROM unnest($1::int4[], $2::int4[]) AS m(device_id, epoch)
      WHERE s.device_id = m.device_id AND s.held_by = $4 AND s.held_epoch = m.epoch
      RETURNING s.device_id AS "deviceId"`,
    values: [
      int4Array(held.map(({ deviceId }) => deviceId)),
      int4Array(held.map(({ epoch }) => epoch)),
      id,
      formerId,
    ],
  })
  return rows.map(({ deviceId }) => deviceId)
}

/**
 * Sets devices of these protocols offline whose process has been gone for `freeAfterMs`, or that no process has, and that have not connected to another one since; no more than `limit`.
 * Rows that are being written are left out: they are just connecting.
 */
export async function releaseAbandoned(
  db: pg.Pool,
  { freeAfterMs, limit, protocols }: { freeAfterMs: number; limit: number; protocols: readonly string[] },
): Promise<number[]> {
  const { rows } = await db.query<{ deviceId: number }>({
    text: `
      WITH abandoned AS MATERIALIZED (
        SELECT s.device_id FROM device_state s JOIN device d ON d.id = s.device_id
        WHERE s.is_online AND d.protocol = ANY($3::text[]) AND NOT EXISTS (
          SELECT FROM node n WHERE n.id = s.held_by AND n.lease_until > clock_timestamp() - $2 * interval '1 ms'
        )
        ORDER BY s.device_id LIMIT $1 FOR UPDATE OF s SKIP LOCKED
      )
      UPDATE device_state s SET is_online = false, online_changed_at = clock_timestamp()
      FROM abandoned a WHERE s.device_id = a.device_id
      RETURNING s.device_id AS "deviceId"`,
    values: [limit, freeAfterMs, textArray(protocols)],
  })
  return rows.map(({ deviceId }) => deviceId)
}

/** Those of the devices that are connected to a process which has its lease. */
export async function listHeld(db: pg.Pool, deviceIds: readonly number[]): Promise<number[]> {
  const { rows } = await db.query({
    text: `
      SELECT array_agg(s.device_id) AS ids
      FROM device_state s JOIN node n ON n.id = s.held_by AND n.lease_until > clock_timestamp()
      WHERE s.device_id = ANY ($1::int4[]) AND s.is_online`,
    values: [int4Array(deviceIds)],
    types: unparsed,
  })
  return readNumbers(rows[0].ids) as number[]
}
