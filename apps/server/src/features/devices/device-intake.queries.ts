// SQL that device reports write: versions, parameters, status, presence.
import type { Compartment } from '@voltkeep/contract'
import type pg from 'pg'
import {
  booleanArray,
  int4Array,
  int8Array,
  textArray,
  timestampArray,
} from '../../platform/database/arrays.ts'

/** Sets times of devices' status that are later than `clockLimitMs` back to `toMs`; each device at most once. */
export async function setBackStatuses(
  db: pg.ClientBase,
  devices: readonly { deviceId: number; clockLimitMs: number; toMs: number }[],
): Promise<void> {
  await db.query({
    name: 'devices.setBackStatuses',
    text: `
      UPDATE device_state s SET status_at = m.to_time
      FROM unnest($1::int4[], $2::timestamptz[], $3::timestamptz[]) AS m(device_id, clock_limit, to_time)
      WHERE s.device_id = m.device_id AND s.status_at > m.clock_limit`,
    values: [
      int4Array(devices.map(({ deviceId }) => deviceId)),
      timestampArray(devices.map(({ clockLimitMs }) => clockLimitMs)),
      timestampArray(devices.map(({ toMs }) => toMs)),
    ],
  })
}

/** What a device reports many of, with the columns that tell them apart. */
const manyOf = {
  device_version: (s: string, m: string) => `${s}.part_type = ${m}.name AND ${s}.addr_id = ${m}.addr`,
  device_parameter: (s: string, m: string) => `${s}.parameter_id = ${m}.name`,
} as const
export type ManyTable = keyof typeof manyOf

/** One of them in a report, a part or a parameter. */
export interface Reported {
  deviceId: number
  name: string
  /** Empty where the name alone tells. */
  addr: string
  reportedAtMs: number
  clockLimitMs: number | null
}

/**
 * Sets the times of reported rows back that are later than `clockLimitMs`. Returns the positions of those that have no row.
 * Looks at the rows of the report alone: a device may have very many others.
 */
export async function meetReported(
  db: pg.ClientBase,
  table: ManyTable,
  reported: readonly Reported[],
): Promise<Set<number>> {
  const isSame = manyOf[table]('s', 'm')
  const { rows } = await db.query<{ n: number }>({
    name: `devices.meetReported.${table}`,
    text: `
      WITH m AS MATERIALIZED (
        SELECT * FROM unnest($1::int4[], $2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[])
          WITH ORDINALITY AS m(device_id, name, addr, reported_at, clock_limit, n)
      ), set_back AS (
        UPDATE ${table} s SET reported_at = m.reported_at FROM m
        WHERE s.device_id = m.device_id AND ${isSame} AND s.reported_at > m.clock_limit
      )
      SELECT m.n::int AS n FROM m
      WHERE NOT EXISTS (SELECT FROM ${table} s WHERE s.device_id = m.device_id AND ${isSame} OFFSET 0)`,
    values: [
      int4Array(reported.map(({ deviceId }) => deviceId)),
      textArray(reported.map(({ name }) => name)),
      textArray(reported.map(({ addr }) => addr)),
      timestampArray(reported.map(({ reportedAtMs }) => reportedAtMs)),
      timestampArray(reported.map(({ clockLimitMs }) => clockLimitMs)),
    ],
  })
  return new Set(rows.map(({ n }) => n - 1))
}

/** How many rows devices have, by device; no more than `most` are counted. */
export async function countUpTo(
  db: pg.ClientBase,
  table: ManyTable,
  { deviceIds, most }: { deviceIds: readonly number[]; most: number },
): Promise<Map<number, number>> {
  const { rows } = await db.query<{ deviceId: number; n: number }>({
    name: `devices.countUpTo.${table}`,
    text: `
      SELECT m.device_id AS "deviceId", s.n
      FROM unnest($1::int4[]) AS m(device_id)
      CROSS JOIN LATERAL (
        SELECT count(*)::int AS n FROM (SELECT FROM ${table} WHERE device_id = m.device_id LIMIT $2) s
      ) s`,
    values: [int4Array([...deviceIds]), most],
  })
  return new Map(rows.map(({ deviceId, n }) => [deviceId, n]))
}

export interface PartVersion {
  deviceId: number
  partType: string
  addrId: string
  version: string
  hwVersion: string | null
  pcbCode: string | null
  reportedAtMs: number
}

/** Keeps the newest version of each part; each part at most once in the list. */
export async function upsertVersions(db: pg.ClientBase, versions: readonly PartVersion[]): Promise<void> {
  await db.query({
    name: 'devices.upsertVersions',
    text: `
      INSERT INTO device_version (device_id, part_type, addr_id, version, hw_version, pcb_code, reported_at)
      SELECT m.* FROM unnest(
        $1::int4[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[]
      ) AS m(device_id, part_type, addr_id, version, hw_version, pcb_code, reported_at)
      JOIN device d ON d.id = m.device_id
      ON CONFLICT (device_id, part_type, addr_id) DO UPDATE
      SET version = excluded.version, hw_version = excluded.hw_version, pcb_code = excluded.pcb_code,
        reported_at = excluded.reported_at
      WHERE device_version.reported_at <= excluded.reported_at`,
    values: [
      int4Array(versions.map(({ deviceId }) => deviceId)),
      textArray(versions.map(({ partType }) => partType)),
      textArray(versions.map(({ addrId }) => addrId)),
      textArray(versions.map(({ version }) => version)),
      textArray(versions.map(({ hwVersion }) => hwVersion)),
      textArray(versions.map(({ pcbCode }) => pcbCode)),
      timestampArray(versions.map(({ reportedAtMs }) => reportedAtMs)),
    ],
  })
}

export interface ParameterValue {
  deviceId: number
  parameterId: string
  value: string
  reportedAtMs: number
}

/** Keeps the newest value of each parameter; each parameter at most once in the list. */
export async function upsertParameters(db: pg.ClientBase, values: readonly ParameterValue[]): Promise<void> {
  await db.query({
    name: 'devices.upsertParameters',
    text: `
      INSERT INTO device_parameter (device_id, parameter_id, value, reported_at)
      SELECT m.* FROM unnest($1::int4[], $2::text[], $3::text[], $4::timestamptz[])
        AS m(device_id, parameter_id, value, reported_at)
      JOIN device d ON d.id = m.device_id
      ON CONFLICT (device_id, parameter_id) DO UPDATE
      SET value = excluded.value, reported_at = excluded.reported_at
      WHERE device_parameter.reported_at <= excluded.reported_at`,
    values: [
      int4Array(values.map(({ deviceId }) => deviceId)),
      textArray(values.map(({ parameterId }) => parameterId)),
      textArray(values.map(({ value }) => value)),
      timestampArray(values.map(({ reportedAtMs }) => reportedAtMs)),
    ],
  })
}

export interface DeviceStatus {
  deviceId: number
  status: Record<string, unknown>
  /** Sorted by number; null where the report has none. */
  compartments: readonly Compartment[] | null
  reportedAtMs: number
}

/** Keeps the newest status; each device at most once in the list. */
export async function upsertStatuses(db: pg.ClientBase, statuses: readonly DeviceStatus[]): Promise<void> {
  await db.query({
    name: 'devices.upsertStatuses',
    text: `
      INSERT INTO device_state (device_id, status, compartments, status_at)
      SELECT m.device_id, m.status::jsonb, m.compartments::jsonb, m.status_at
      FROM unnest($1::int4[], $2::text[], $3::text[], $4::timestamptz[])
        AS m(device_id, status, compartments, status_at)
      JOIN device d ON d.id = m.device_id
      ON CONFLICT (device_id) DO UPDATE
      SET status = excluded.status, compartments = excluded.compartments, status_at = excluded.status_at
      WHERE device_state.status_at IS NULL OR device_state.status_at <= excluded.status_at`,
    values: [
      int4Array(statuses.map(({ deviceId }) => deviceId)),
      textArray(statuses.map(({ status }) => JSON.stringify(status))),
      textArray(statuses.map(({ compartments }) => compartments && JSON.stringify(compartments))),
      timestampArray(statuses.map(({ reportedAtMs }) => reportedAtMs)),
    ],
  })
}

export interface Sighting {
  deviceId: number
  lastReportAtMs: number
  /** How far the device's clock is ahead of ours; null where this is not known. */
  clockOffsetMs: number | null
}

/** Notes when devices were last heard of; each device at most once in the list. */
export async function upsertSightings(db: pg.ClientBase, sightings: readonly Sighting[]): Promise<void> {
  await db.query({
    name: 'devices.upsertSightings',
    text: `
      INSERT INTO device_state (device_id, last_report_at, clock_offset_ms)
      SELECT m.* FROM unnest($1::int4[], $2::timestamptz[], $3::int8[])
        AS m(device_id, last_report_at, clock_offset_ms)
      JOIN device d ON d.id = m.device_id
      ON CONFLICT (device_id) DO UPDATE
      SET last_report_at = greatest(excluded.last_report_at, device_state.last_report_at),
        clock_offset_ms = coalesce(excluded.clock_offset_ms, device_state.clock_offset_ms)`,
    values: [
      int4Array(sightings.map(({ deviceId }) => deviceId)),
      timestampArray(sightings.map(({ lastReportAtMs }) => lastReportAtMs)),
      int8Array(sightings.map(({ clockOffsetMs }) => clockOffsetMs)),
    ],
  })
}

export interface PresenceChange {
  deviceId: number
  isOnline: boolean
  atMs: number
  /** Where it connected from; null leaves what is known. */
  address: string | null
}

/**
 * Sets online states that devices report at an external broker; each device at most once in the list. Returns which
 * devices came or went by it.
 *
 * Several processes hear of a device, each of a part. The time of every report is kept, and what is older changes nothing:
 * a break does not end the connection that came after it. (A time beyond now is from before the clock was set back.)
 */
export async function upsertPresence(
  db: pg.ClientBase,
  changes: readonly PresenceChange[],
): Promise<number[]> {
  const { rows } = await db.query<{ deviceId: number; changedAt: Date | null }>({
    name: 'devices.upsertPresence',
    text: `
      INSERT INTO device_state (device_id, is_online, online_changed_at, connected_from)
      SELECT m.device_id, m.is_online, m.at, nullif(m.address, '')
      FROM unnest($1::int4[], $2::bool[], $3::timestamptz[], $4::text[])
        AS m(device_id, is_online, at, address)
      JOIN device d ON d.id = m.device_id
      ON CONFLICT (device_id) DO UPDATE
      SET is_online = excluded.is_online, online_changed_at = excluded.online_changed_at,
        connected_from = coalesce(excluded.connected_from, device_state.connected_from)
      WHERE coalesce(
        device_state.online_changed_at <= excluded.online_changed_at
          OR device_state.online_changed_at > now() + interval '1 minute',
        true
      )
      RETURNING device_id AS "deviceId", online_changed_at AS "changedAt"`,
    values: [
      int4Array(changes.map(({ deviceId }) => deviceId)),
      booleanArray(changes.map(({ isOnline }) => isOnline)),
      timestampArray(changes.map(({ atMs }) => atMs)),
      textArray(changes.map(({ address }) => address ?? '')),
    ],
  })
  const times = new Map(changes.map(({ deviceId, atMs }) => [deviceId, atMs]))
  return rows
    .filter(({ deviceId, changedAt }) => changedAt?.getTime() === times.get(deviceId))
    .map(({ deviceId }) => deviceId)
}

/** A device has polled: it is online, and since its first poll after it was offline. Returns whether this is that poll. */
export async function upsertPolled(
  db: pg.ClientBase,
  { deviceId, atMs, address }: { deviceId: number; atMs: number; address: string },
): Promise<boolean> {
  const { rows } = await db.query<{ changedAt: Date | null }>({
    name: 'devices.upsertPolled',
    text: `
      INSERT INTO device_state AS s (device_id, is_online, online_changed_at, connected_from)
      SELECT id, true, $2, $3 FROM device WHERE id = $1
      ON CONFLICT (device_id) DO UPDATE
      SET is_online = true,
        online_changed_at = CASE WHEN s.is_online THEN s.online_changed_at ELSE excluded.online_changed_at END,
        connected_from = excluded.connected_from
      RETURNING online_changed_at AS "changedAt"`,
    values: [deviceId, new Date(atMs), address],
  })
  return rows[0]?.changedAt?.getTime() === atMs
}

/** Sets devices offline that have not polled since that moment. Returns which these are. */
export async function endSilent(db: pg.ClientBase | pg.Pool, since: Date): Promise<number[]> {
  const { rows } = await db.query<{ deviceId: number }>({
    name: 'devices.endSilent',
    text: `
      UPDATE device_state s SET is_online = false, online_changed_at = now()
      FROM device d
      WHERE d.protocol = 'ddi' AND s.device_id = d.id AND s.is_online
        AND (s.last_report_at IS NULL OR s.last_report_at < $1)
      RETURNING s.device_id AS "deviceId"`,
    values: [since],
  })
  return rows.map(({ deviceId }) => deviceId)
}
